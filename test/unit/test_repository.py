"""Facts about the repository that are easy to break without noticing."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DIRECTIVE = re.compile(r"//\s*([A-Z][A-Z0-9_-]*[A-Z0-9]):")
SUFFIXES = ("", "-NEXT", "-SAME", "-NOT", "-DAG", "-EMPTY", "-LABEL")
WORDS = {"RUN", "REQUIRES", "XFAIL", "UNSUPPORTED"}


def lit_tests() -> list[Path]:
    paths = sorted((ROOT / "test").rglob("*.mlir"))
    return [path for path in paths if "Inputs" not in path.parts]


@pytest.mark.parametrize("path", lit_tests(), ids=lambda p: p.name)
def test_directives_are_spelt_right(path: Path):
    """filecheck silently ignores a directive that it does not know."""
    text = path.read_text()
    assert "RUN:" in text, "no RUN line"
    prefixes = {"CHECK"}
    for names in re.findall(r"--check-prefix(?:es)?[= ](\S+)", text):
        prefixes |= set(names.split(","))
    for directive in DIRECTIVE.findall(text):
        if directive in WORDS:
            continue
        known = any(
            re.fullmatch(
                re.escape(prefix) + f"({'|'.join(SUFFIXES)}|-COUNT-\\d+)", directive
            )
            for prefix in prefixes
        )
        assert known, f"{directive} is no directive of prefixes {sorted(prefixes)}"
    if "filecheck" in text:
        assert any(d.startswith(tuple(prefixes)) for d in DIRECTIVE.findall(text))


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
        "import croqtile_mlir.passes.running;"
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
