"""What scheduling passes are made of: they rewrite `croq` kernels to `croq` kernels."""
