"""A CPU simulator of the asynchronous Hopper machine."""
