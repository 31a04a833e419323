"""What notebooks show of kernels and of simulated runs."""
