"""Reads a kernel of hardware level into the model."""
