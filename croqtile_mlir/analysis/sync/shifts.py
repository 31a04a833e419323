"""How numbers change from one period of an execution to the next."""
