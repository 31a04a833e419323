"""Compiled kernels in files: what is stored of one, and the cache that keeps them."""
