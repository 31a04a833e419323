import os
import shutil
import sys
from pathlib import Path

import lit.formats

root = Path(__file__).resolve().parent

config.name = "croqtile-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".co"]
# The suite's root must be this file's folder: lit maps `lit test/passes` onto it.
config.test_source_root = str(root)
config.test_exec_root = str(root / "build" / "lit")
# Names, not paths: `passes` here would also leave out `test/passes`.
config.excludes = ["build", "dist", "examples", ".venv", "Inputs"]

# The tools beside this interpreter, whichever environment it is.
config.environment["PATH"] = os.pathsep.join(
    [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
)
config.environment["PYTHONPATH"] = str(root)

for tool, module in (("croq-opt", "croq_opt"), ("croq-run", "croq_run")):
    config.substitutions.append(
        (rf"\b{tool}\b(?!\.)", f"{sys.executable} -m croqtile_mlir.tools.{module}")
    )
config.substitutions.append(("%examples", str(root / "examples")))

if "exec" not in lit_config.params:
    sys.path[:0] = [str(root), str(root / "test")]
    from support import forked_tools

    forked_tools.install()

# Device tests say `REQUIRES: hopper`; only a caller who has one asks for them.
if "hopper" in lit_config.params:
    config.available_features.add("hopper")
version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
wheels = Path(sys.prefix) / "lib" / version / "site-packages"
for tool, places in (
    ("ptxas", "nvidia/*/bin/ptxas"),
    ("mlir-opt", "mlir/bin/mlir-opt"),
):
    if shutil.which(tool) or any(wheels.glob(places)):
        config.available_features.add(tool)

supported, reason = lit_config.maxIndividualTestTimeIsSupported
if supported:
    config.maxIndividualTestTime = 120
