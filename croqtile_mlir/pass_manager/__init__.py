"""Passes by their text: read with their options, and run one after another."""
