"""Executes a program of the model, and finds what goes wrong."""
