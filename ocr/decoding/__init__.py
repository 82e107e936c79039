"""From frame scores to texts: CTC, beam search, alignment, confusions, confidence."""
