"""What happens in one phase: movement, retreats, adjustments, the end of a year, and their parts."""
