"""Reads a kernel of tile level into the model."""
