"""What passes are made of: builders, shared steps, and the parts of larger passes."""
