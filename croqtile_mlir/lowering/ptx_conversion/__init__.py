"""
From the hardware level to `ptx`: what the rules share (`emitter`, `lowered`), and the
rules, one file for each family of ops. `convert_to_ptx` puts them together.
"""
