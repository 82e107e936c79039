"""One mail to one verdict and one submission."""
