"""The boards: data in folders, one loader."""
