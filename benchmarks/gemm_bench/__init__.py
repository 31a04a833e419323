"""What `benchmarks/gemm.py` is made of.

Nothing here loads torch, Triton, cuBLAS or a driver when it is imported.
"""
