"""What Nsight Compute sees of the ladder, and what is read of its output."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from gemm_bench import profiler
from gemm_bench.profiler import (
    CYCLES,
    DRAM_BYTES,
    L2_SECTORS,
    METRICS,
    TENSOR,
    Launched,
    by_rung,
    entry_name,
    parse_report,
    profile,
    renamed,
)
from gemm_bench.rungs import (
    SHAPES,
)
from gemm_bench.schedules import compile_schedule, parse_schedule
from gemm_bench.tables import TORCH

CUBE, FLAT = SHAPES

REPORT = """\
==PROF== Connected to process 71 (/usr/bin/python3.12)
==PROF== Profiling "rung0_4096x4096x4096" - 0: 0%....50%....100% - 3 passes
==PROF== Disconnected from process 71
[71] python3.12@127.0.0.1
  rung0_4096x4096x4096 (32, 16, 1)x(256, 1, 1), Context 1, Stream 13, Device 0, CC 9.0
    Section: Command line profiler metrics
    ---------------------------------------------------------------- ----- -----------
    Metric Name                                                Metric Unit Metric Value
    ---------------------------------------------------------------- ----- -----------
    dram__bytes_read.sum                                              byte  134,217,728
    lts__t_sectors_op_read.sum                                      sector   12,345,678
    sm__cycles_elapsed.max                                           cycle      412,001
    sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active % 62.50
    smsp__inst_executed.sum                                           inst    5,000,000
    ---------------------------------------------------------------- ----- -----------

  rung1_4096x4096x4096, 2026-Nov-30 08:14:50, Context 1, Stream 13
    Section: Command line profiler metrics
    ---------------------------------------------------------------- ----- -----------
    dram__bytes_read.sum                                             Mbyte       134.22
    lts__t_sectors_op_read.sum                                             (!) n/a
    sm__cycles_elapsed.max                                           cycle      300,000
    ---------------------------------------------------------------- ----- -----------

  void cutlass::K<(int)3, float>(P<T2, T3>) (4, 1, 1)x(8, 1, 1), Context 1, Stream 7
    Section: Command line profiler metrics
    sm__cycles_elapsed.max                                           cycle      290,000

"""


def test_a_report_is_read():
    first, second, third = parse_report(REPORT)
    assert first.kernel == "rung0_4096x4096x4096"
    assert first.metrics == {
        DRAM_BYTES: 134217728,
        L2_SECTORS: 12345678,
        CYCLES: 412001,
        TENSOR: 62.5,
        "smsp__inst_executed.sum": 5e6,
    }
    assert set(first.metrics) == set(METRICS)
    assert second.kernel == "rung1_4096x4096x4096"
    assert second.metrics == {DRAM_BYTES: pytest.approx(134.22e6), CYCLES: 300000}
    assert third.kernel == "void cutlass::K<(int)3, float>(P<T2, T3>)"
    assert third.metrics == {CYCLES: 290000}
    assert parse_report("==ERROR== no permission\n") == []


def test_reports_by_rung():
    def ran(kernel: str, cycles: float) -> Launched:
        return Launched(kernel, {CYCLES: cycles})

    ours = [ran(entry_name(1, CUBE), each) for each in (5.0, 9.0, 6.0)]
    flat = [ran(entry_name(0, FLAT), 7.0)]
    theirs = [ran("nvjet", 4.0), ran("memset", 1.0), ran("nvjet", 2.0)]
    found = by_rung([ran("before", 1.0), *ours, *theirs, *flat, ran("nvjet", 8.0)])
    assert found == {
        CUBE: {"one role": {CYCLES: 6.0}, TORCH: {CYCLES: 3.0}},
        FLAT: {"plain": {CYCLES: 7.0}, TORCH: {CYCLES: 8.0}},
    }


def test_an_entry_is_renamed():
    kernel = compile_schedule(
        parse_schedule("bind-params{BM=64 BN=16 BK=16},warp-specialize{consumers=1}")
    )
    other = renamed(kernel, entry_name(3, CUBE))
    assert other.name == "rung3_4096x4096x4096"
    assert kernel.name == "matmul"
    assert other.ptx.count(".entry rung3_4096x4096x4096(") == 1
    assert ".entry matmul" not in other.ptx
    assert len(other.ptx.splitlines()) == len(kernel.ptx.splitlines())


def fake_ncu(tmp_path: Path, status: int) -> str:
    """A program that writes its arguments down and prints the report."""
    program = tmp_path / "ncu"
    (tmp_path / "report").write_text(REPORT)
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\n'
        f"cat {tmp_path}/report\nexit {status}\n"
    )
    program.chmod(0o755)
    return str(program)


def test_a_program_is_profiled(tmp_path: Path):
    found = profile(fake_ncu(tmp_path, 0), ["python", "x.py"], 20)
    assert list(found) == [CUBE]
    assert found[CUBE]["plain"][TENSOR] == 62.5
    assert found[CUBE][TORCH] == {CYCLES: 290000}
    *options, program, argument = (tmp_path / "arguments").read_text().splitlines()
    assert (program, argument) == ("python", "x.py")
    assert {"--clock-control=none", f"--metrics={','.join(METRICS)}"} <= set(options)


def test_a_profiler_that_fails(tmp_path: Path):
    with pytest.raises(RuntimeError, match=r"status 9:(.|\n)*290,000"):
        profile(fake_ncu(tmp_path, 9), ["python"], 20)


def returning(value: object) -> Callable[..., object]:
    def call(*_: object, **__: object) -> object:
        return value

    return call


def test_what_the_profiler_sees(monkeypatch: pytest.MonkeyPatch):
    """Each rung and torch.matmul once before, then in turn, torch.matmul last."""
    log: list[str] = []

    def logging(name: str) -> Callable[..., None]:
        def call(*_: object) -> None:
            log.append(name)

        return call

    def named(_: object, name: str) -> SimpleNamespace:
        return SimpleNamespace(prepare=returning(SimpleNamespace(launch=logging(name))))

    cuda = SimpleNamespace(
        stream=returning(nullcontext()),
        synchronize=returning(None),
        profiler=SimpleNamespace(start=logging("start"), stop=logging("stop")),
    )
    compiled = [("", "kernel", ""), ("", None, "refused"), ("", "kernel", "")]
    theirs = SimpleNamespace(prepare=returning(logging("torch")))
    fakes: dict[str, object] = {
        "import_module": returning(SimpleNamespace(cuda=cuda)),
        "make_operands": returning(
            SimpleNamespace(lhs=[0], rhs=[0], out=[0], stream=None)
        ),
        "torch_matmul": returning(SimpleNamespace(candidates=[theirs])),
        "compile_rungs": returning(compiled),
        "renamed": named,
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(profiler, name, fake)
    profiler.launch_all([CUBE])
    names = [entry_name(0, CUBE), entry_name(2, CUBE), "torch"]
    profiled = [name for name in names for _ in range(profiler.LAUNCHES)]
    assert log == [*names, "start", *profiled, "stop"]
