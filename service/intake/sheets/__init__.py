"""From a photograph or typed lines to a submission's lines."""
