"""Where threads of a body, and blocks of a grid, meet in memory: element by element."""
