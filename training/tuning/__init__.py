"""Networks and weights fitted to drawn ink."""
