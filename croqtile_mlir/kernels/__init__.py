"""Kernels that come with the compiler."""
