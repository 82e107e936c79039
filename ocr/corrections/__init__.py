"""What the writer corrected: strikes, inserted words, carets, and ink that no row explains."""
