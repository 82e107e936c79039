"""The verdict on a mail: values in, a value out, no database."""
