"""Order sheets with their truth."""
