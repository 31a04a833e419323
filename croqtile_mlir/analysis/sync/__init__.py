"""The static verifier of synchronisation: a model of a kernel, and its decision."""
