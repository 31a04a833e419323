"""Kernels as files for programs without Python: code for the driver and a C header."""
