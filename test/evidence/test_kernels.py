"""The unusual kernels are well formed, have a reference, and compile."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from pipeline.lowering import TARGET, lower, parse, printed

from croqtile_mlir.dialects.croq import KernelOp
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from evidence.arguments import (
    expected,
    random_arguments,
    signature,
    wrong_tiles,
)
from evidence.corpus import CASES, FOLDER, Case
from evidence.levels import Level, module_at
from evidence.references import REFERENCES

EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def test_every_file_is_a_case():
    assert {path.stem for path in FOLDER.glob("*.mlir")} == set(CASES)


@EVERY
def test_well_formed(case: Case):
    module = parse(case.text)
    module.verify()
    text = printed(module)
    assert printed(parse(text)) == text
    assert signature(module_at(Level.TILE, case.text)).kernel == case.name


@EVERY
def test_one_reference_each(case: Case):
    known = signature(module_at(Level.TILE, case.text))
    assert (known.reference is None) == (known.kernel in REFERENCES)


@EVERY
def test_reference_is_of_the_written_tiles(case: Case):
    """A run that leaves everything as it was, or one element, is seen to be wrong."""
    known = signature(module_at(Level.TILE, case.text))
    dims = case.sizes(5, ragged=True)
    given = random_arguments(known, dims, seed=3)
    wanted = expected(known, given)
    assert wanted
    assert set(wrong_tiles(known, given, given)) == set(wanted)
    after = {**given, **wanted}
    assert wrong_tiles(known, given, after) == {}
    for name in given:
        one = after[name].astype(np.float64)
        one[(-1,) * one.ndim] += 0.5
        assert list(wrong_tiles(known, given, {**after, name: one})) == [name]


@EVERY
def test_sizes(case: Case):
    """Steps are counted from none, around the depth of the ring, to many."""
    steps = case.steps()
    assert steps[0] == 0
    assert all(a < b for a, b in pairwise(steps))
    assert {case.default_stages, case.default_stages + 1} <= set(steps)
    known = signature(module_at(Level.TILE, case.text))
    for ragged in (False, True):
        for number in steps:
            dims = case.sizes(number, ragged=ragged)
            given = random_arguments(known, dims, seed=1)
            for name, tile in expected(known, given).items():
                assert tile.shape == given[name].shape


@EVERY
def test_stages_that_are_right(case: Case):
    """The file's own number of slots is one of those that are said to be right."""
    kernels = [op for op in parse(case.text).walk() if isinstance(op, KernelOp)]
    slots = {kernels[0].param_values[name] for name in case.params if case.stages}
    assert slots <= set(case.stages)
    if case.stages:
        assert kernels[0].param_values["S"] == case.default_stages


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@EVERY
def test_compiles(case: Case):
    result = assemble(lower(case.text, between=True), TARGET)
    assert result.warnings == ()
    assert result.spill_bytes == 0
