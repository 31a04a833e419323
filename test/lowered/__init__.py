"""Lowered IR, executed on the CPU."""
