"""Facts about the repository that are easy to break without noticing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LABEL = re.compile(r"//\s*([A-Z][A-Z0-9_-]*[A-Z0-9]):")
SUFFIX = r"-NEXT|-SAME|-NOT|-DAG|-EMPTY|-LABEL|-COUNT-\d+"
KEYWORDS = {"RUN", "REQUIRES", "XFAIL", "UNSUPPORTED"}


def lit_tests() -> list[Path]:
    paths = sorted((ROOT / "test").rglob("*.mlir"))
    return [path for path in paths if "Inputs" not in path.parts]


def misspelt(text: str, prefixes: Iterable[str]) -> list[str]:
    """The labels of comments that look like directives of filecheck but are none."""
    known = sorted(prefixes)
    directive = re.compile(f"({'|'.join(map(re.escape, known))})({SUFFIX})?")
    return [
        label
        for label in LABEL.findall(text)
        if label not in KEYWORDS
        and not directive.fullmatch(label)
        and (
            any(prefix in label for prefix in known)
            or re.search(f"({SUFFIX})$", label)
            or get_close_matches(re.split("[-_]", label)[0], known, cutoff=0.75)
        )
    ]


@pytest.mark.parametrize(
    "label",
    ["CHEKC", "CHECK-NXT", "CHECK_NEXT", "CHCK", "CHECKS", "CHEK-SAME", "XY-NOT"],
)
def test_misspelt_directives_are_found(label: str):
    assert misspelt(f"// CHECK: a\n  // {label}: b\n", ["CHECK"]) == [label]


@pytest.mark.parametrize(
    "label", ["CHECK", "CHECK-NEXT", "PTX-COUNT-12", "TMA", "FIRST", "L2", "RUN"]
)
def test_directives_and_prose_are_told_apart(label: str):
    assert misspelt(f"// {label}: a\n", ["CHECK", "PTX"]) == []


@pytest.mark.parametrize("path", lit_tests(), ids=lambda p: p.name)
def test_directives_are_spelt_right(path: Path):
    """filecheck silently ignores a directive that it does not know."""
    text = path.read_text()
    runs = re.findall(r"// RUN:.*", text)
    assert runs, "no RUN line"
    prefixes = set[str]()
    for run in runs:
        named = re.findall(r"--check-prefix(?:es)?[= ](\S+)", run)
        prefixes |= set(",".join(named).split(",") if named else ["CHECK"])
    assert misspelt(text, {"CHECK", *prefixes}) == []
    if "filecheck" in "".join(runs):
        unused = {p for p in prefixes if not re.search(f"// *{p}({SUFFIX})?:", text)}
        assert unused <= {"CHECK"}, "a prefix without a directive checks nothing"
        assert unused != prefixes


def passes() -> list[str]:
    from croqtile_mlir.passes import get_all_passes

    return sorted(get_all_passes())


@pytest.mark.parametrize("name", passes())
def test_every_pass_is_documented_by_a_lit_test(name: str):
    folder = ROOT / "test" / "passes"
    assert (folder / f"{name}.mlir").exists() or (folder / name).is_dir()


@pytest.mark.parametrize("name", passes())
def test_pass_names_and_files_agree(name: str):
    from croqtile_mlir.passes import get_all_passes

    cls = get_all_passes()[name]()
    assert cls.name == name
    assert (cls.__doc__ or "").strip()


def run_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return done.stdout


def test_import_is_light():
    code = (
        "import sys, croqtile_mlir, croqtile_mlir.context;"
        "import croqtile_mlir.pass_manager.running;"
        "print([m for m in ('numpy', 'cuda', 'torch', 'cupy') if m in sys.modules])"
    )
    assert run_python(code).strip() == "[]"


def test_xdsl_opt_knows_our_passes_and_dialects():
    """A name that clashes with xDSL's would break every xDSL tool."""
    from xdsl.universe import Universe

    if not entry_points(group="xdsl.universe", name="croqtile_mlir"):
        pytest.skip("the package is not installed, so xDSL cannot see its entry point")
    universe = Universe.get_multiverse()
    assert {"croq", "nvvm", "ptx"} <= set(universe.all_dialects)
    assert set(passes()) <= set(universe.all_passes)
    assert "ptx" in universe.all_targets


def test_links_lead_to_the_package():
    for name in ("dialects", "passes"):
        assert (ROOT / name).resolve() == ROOT / "croqtile_mlir" / name


def test_the_documented_pipeline_is_the_one_that_runs():
    """The numbered passes of docs/levels.md, in their order."""
    from croqtile_mlir.passes.pipelines import lowering_stages

    text = (ROOT / "docs" / "levels.md").read_text()
    section = text.split("## Pass by pass")[1].split("\n## ")[0]
    listed = re.findall(r"^\d+\. `--([^`]+)`", section, re.MULTILINE)
    assert len(listed) == len(re.findall(r"^\d+\.", section, re.MULTILINE))
    # An option that is shown only for its spelling is no part of the pipeline.
    fixed = ("level=", "events=")
    names = [
        each if any(option in each for option in fixed) else each.split("{")[0]
        for each in listed
    ]
    run = [each for stage in lowering_stages() for each in stage.passes]
    assert names == ["set-target", *run]


def test_every_op_and_pass_is_documented():
    from croqtile_mlir.dialects import get_all_dialects

    text = (ROOT / "docs" / "levels.md").read_text()
    # Of the products the page names the first in full and then `mma.exec`, ..
    ops = {op.name for op in get_all_dialects()["croq"]().operations}
    missing = {
        name
        for name in ops
        if not re.search(rf"\b(croq\.)?{re.escape(name[5:])}\b", text)
    }
    assert missing == set()
    assert {name for name in passes() if f"--{name}" not in text} == set()


def test_ops_that_the_documentation_names_exist():
    from croqtile_mlir.dialects import get_all_dialects

    known = {
        op.name
        for factory in get_all_dialects().values()
        for op in factory().operations
    }
    text = (ROOT / "docs" / "levels.md").read_text()
    named = set(re.findall(r"\b(?:croq|nvvm|ptx)\.[a-z_0-9.]*[a-z0-9]\b", text))
    attributes = {"croq.launch", "croq.target", "croq.checks", "nvvm.kernel"}
    attributes |= {"nvvm.reqntid", "nvvm.minctasm", "nvvm.maxnreg", "nvvm.cluster_dim"}
    unknown = {
        name
        for name in named - attributes
        if name not in known and not any(op.startswith(name + ".") for op in known)
    }
    types = {"croq.tile", "croq.future", "croq.event", "croq.acc"}
    types |= {"ptx.reg", "ptx.pred", "ptx.group"}
    assert unknown <= types
