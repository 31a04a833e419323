"""The parts of `croqtile_mlir.builder.KernelBuilder`: methods by what they build."""
