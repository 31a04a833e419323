"""What `launch_overhead.py` measures, and how."""
