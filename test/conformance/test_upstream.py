"""What we print at the hardware level is read by upstream, and the other way round."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from conformance import upstream
from conformance.lit_runs import ROOT, SEPARATOR, LitRun, hardware_runs, parse_run
from conformance.ptx_sequence import instruction_sequence
from croqtile_mlir.context import new_context
from croqtile_mlir.dialects import gpu_ext, llvm_ext
from croqtile_mlir.dialects.llvm_ext import atomics, functions, memory, values
from croqtile_mlir.dialects.nvvm import NVVM
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.ptx_tools import assemble, find_ptxas

DIALECTS = ROOT / "test" / "dialects"
FILES = (
    *sorted((DIALECTS / "nvvm").glob("*.mlir")),
    DIALECTS / "llvm.mlir",
    DIALECTS / "gpu.mlir",
)
INPUTS = Path(__file__).parent / "Inputs"
REFUSED = INPUTS / "refused-by-upstream.mlir"
KERNEL = INPUTS / "kernel.mlir"

needs_upstream = pytest.mark.skipif(
    upstream.missing() is not None, reason=str(upstream.missing())
)


def parse(text: str) -> ModuleOp:
    """Parse and verify a module."""
    module = parse_text(new_context(), text, "<test>")
    module.verify()
    return module


def show(module: ModuleOp, *, generic: bool) -> str:
    """Print a module in one of the two forms."""
    text = StringIO()
    Printer(stream=text, print_generic_format=generic).print_op(module)
    return text.getvalue()


def parts(text: str) -> list[str]:
    """The modules of a text."""
    pieces = re.split(rf"(?m)^{SEPARATOR}$", text)
    return [piece for piece in pieces if piece.strip()]


@needs_upstream
@pytest.mark.parametrize("generic", [False, True], ids=["pretty", "generic"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_upstream_reads_what_we_print(path: Path, generic: bool):
    """And what it makes of it, in its generic form, is the same IR to us."""
    module = parse(path.read_text())
    text = show(module, generic=generic)
    assert upstream.check_upstream(text, path.name) == []
    assert parse(upstream.print_generic(text)).is_structurally_equivalent(module)


@needs_upstream
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_we_read_what_upstream_prints(path: Path):
    """Its pretty form, too."""
    printed = upstream.run_mlir_opt(path.read_text(), "--allow-unregistered-dialect")
    assert parse(printed).is_structurally_equivalent(parse(path.read_text()))


def test_every_op_is_tried():
    """The files hold every op of the dialect, and every op that replaces xDSL's."""
    tried = {op.name for path in FILES for op in parse(path.read_text()).walk()}
    own = (*atomics.OPS, *functions.OPS, *memory.OPS, *values.OPS, gpu_ext.ModuleOp)
    assert {op.name for op in (*NVVM.operations, *own)} - tried == set()


def test_own_ops_replace():
    """Each name stands for one op in the dialects that replace xDSL's."""
    for dialect in (llvm_ext.LLVM, gpu_ext.GPU, NVVM):
        names = [op.name for op in dialect.operations]
        assert sorted(names) == sorted(set(names))


REFUSED_PARTS = parts(REFUSED.read_text())


@needs_upstream
@pytest.mark.parametrize("text", REFUSED_PARTS, ids=range(len(REFUSED_PARTS)))
def test_refused_by_both(text: str):
    """Our verifiers refuse what upstream's refuse."""
    assert upstream.check_upstream(text) != []
    with pytest.raises((ParseError, VerifyException, DiagnosticException)):
        parse(text)


def test_ops_of_ours_are_no_ops_of_upstream():
    text = '"builtin.module"() ({\n  "croq.yield"() : () -> ()\n}) : () -> ()'
    assert upstream.check_upstream(text, "x.mlir") == [
        "x.mlir:2: error: 'croq.yield' is not an op of upstream"
    ]


@needs_upstream
def test_diagnostics_name_the_place():
    text = "llvm.func @f() {\n  nvvm.setmaxregister increase 41\n  llvm.return\n}"
    first = upstream.check_upstream(text, "x.mlir")[0]
    assert first.startswith("x.mlir:2:3: error: 'nvvm.setmaxregister' op ")


RUNS = list(hardware_runs())


@needs_upstream
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_lowered_lit_tests(run: LitRun):
    """What passes the legality check of the hardware level is upstream's language."""
    for text in parts(run.output()):
        assert upstream.check_upstream(text, str(run)) == []


def test_runs_are_found(tmp_path: Path):
    path = ROOT / "test" / "x.mlir"
    run = parse_run(path, 3, "croq-opt --cse --split-input-file %s | filecheck %s")
    assert run == LitRun(path, 3, ("--cse", "--split-input-file", str(path)))
    assert run is not None
    assert run.last_passes == "--cse"
    assert parse_run(path, 1, "not croq-opt %s") is None
    assert parse_run(path, 1, "croq-opt -t ptx --cse %s") is None
    (tmp_path / "a.mlir").write_text(
        "// RUN: croq-opt --lower-mma \\\n// RUN:   --check-level=level=nvvm %s\n"
        "// RUN: croq-opt --check-level{level=nvvm} --convert-to-ptx %s\n"
        "// RUN: croq-opt '--check-level{level=nvvm}' %s | filecheck %s\n"
        '// RUN: croq-opt -p "cse,check-level{level=nvvm}" --print-op-generic %s\n'
        '// RUN: croq-opt -p "check-level{level=nvvm},convert-to-ptx" %s\n'
    )
    assert [run.line for run in hardware_runs(tmp_path)] == [1, 4, 5]


KERNEL_SEQUENCE = [
    "mbarrier.init.shared::cta.b64 1",
    "fence.mbarrier_init.release.cluster",
    "barrier.sync.aligned 0",
    "mbarrier.arrive.expect_tx.shared::cta.b64 8192",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
    "mbarrier.try_wait.parity.shared::cta.b64",
    "wgmma.fence.sync.aligned",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 1 1 0 0",
    "wgmma.commit_group.sync.aligned",
    "wgmma.wait_group.sync.aligned 0",
    "fence.proxy.async.shared::cta",
    "barrier.sync.aligned 1 128",
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group",
    "cp.async.bulk.commit_group",
    "cp.async.bulk.wait_group 0",
]


@needs_upstream
def test_ptx_of_upstream():
    """A kernel of the hardware level, through upstream's own code generator."""
    ptx = upstream.to_ptx(show(parse(KERNEL.read_text()), generic=False))
    assert instruction_sequence(ptx) == KERNEL_SEQUENCE
    if find_ptxas() is not None:
        assert assemble(ptx, "sm_90a").spill_bytes == 0
