"""What notebooks show: kernels as HTML, simulated runs as pictures."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import croqtile_mlir as croq
from croqtile_mlir.display.timeline import Timeline
from croqtile_mlir.errors import ArgumentError

EXAMPLES = Path(__file__).parents[2] / "examples"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def product() -> croq.Kernel:
    return croq.compile(EXAMPLES / "matmul_1p1c.mlir")


def operands(m: int = 128, k: int = 320) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(6)
    lhs, rhs = (rng.normal(size=(n, k)).astype("f2") for n in (m, 128))
    return lhs, rhs, np.zeros((m, 128), "f2")


def test_a_kernel_in_one_line(product: croq.Kernel):
    assert repr(product) == (
        "<Kernel matmul_1p1c(lhs: f16[M, K], rhs: f16[N, K], out: f16[M, N]) for "
        "sm_90a, 256 threads, 163904 bytes of shared memory>"
    )
    scaled = croq.compile(Path(__file__).parent / "Inputs" / "scale.mlir")
    assert "alpha: f32" in repr(scaled)


def test_a_kernel_as_html(product: croq.Kernel):
    html = product.html()
    root = ElementTree.fromstring(re.sub(r"(<input[^>]*?)( checked)?>", r"\1/>", html))
    texts = {pre.attrib["id"]: "".join(pre.itertext()) for pre in root.iter("pre")}
    labels = [label.text for label in root.iter("label")]
    assert labels == ["croq", "nvvm", "ptx", "PTX"]
    expected = [product.ir("croq"), product.ir("nvvm"), product.ir("ptx"), product.ptx]
    assert list(texts.values()) == expected
    cells = dict(zip(root.iter("th"), root.iter("td"), strict=True))
    rows = {name.text: what.text for name, what in cells.items()}
    assert rows["lhs"] == "f16[M, K], read"
    assert rows["out"] == "f16[M, N], written"
    assert rows["threads"] == "256"
    assert [code.text for code in root.iter("code")] == [
        "kernel.timeline(lhs, rhs, out)"
    ]
    # Two of them on one page do not share their tabs.
    group = r'name="([^"]+)"'
    assert re.findall(group, html)[0] not in re.findall(group, product.html())
    # Notebooks look for these names.
    assert hasattr(product, "_repr_html_")
    assert hasattr(Timeline, "_repr_svg_")


def test_a_kernel_of_a_lower_level_as_html():
    html = croq.compile(Path(__file__).parent / "Inputs" / "scale.mlir").html()
    assert re.findall(r"<label[^>]*>(\w+)", html) == ["ptx", "PTX"]


def checked(found: Timeline) -> ElementTree.Element:
    """The picture, after checks that hold for all."""
    for track in found.tracks:
        mine = sorted((s.began, s.ended) for s in found.slices if s.track == track)
        assert all(one[1] <= two[0] for one, two in pairwise(mine)), track
    assert all(s.began < s.ended <= found.ticks for s in found.slices)
    root = ElementTree.fromstring(found.svg())
    shown = [r for r in root.iter(f"{SVG}rect") if r.find(f"{SVG}title") is not None]
    assert len(shown) == len(found.slices)
    return root


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_a_run_as_a_picture(product: croq.Kernel, level: str):
    found = product.timeline(*operands(), level=level)
    root = checked(found)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts[0] == "matmul_1p1c, policy rr, block 0, 0, 0"
    assert set(found.tracks) <= set(texts)
    assert {"TMA", "wgmma"} <= set(found.tracks)
    kinds = {each.kind for each in found.slices}
    assert {"wait", "product", "copy"} <= kinds
    assert kinds <= set(texts)
    assert "stuck" not in kinds
    # Five steps over K, two loads in each; all else stores.
    loads = [s for s in found.slices if s.track.startswith("TMA")]
    assert len(loads) > 10


def test_a_part_of_a_run(product: croq.Kernel):
    found = product.timeline(*operands(), level="croq")
    part = found.between(10, 25)
    checked(part)
    assert part.ticks == 15
    assert part.title.endswith("ticks 10 to 25")
    inside = [s for s in found.slices if s.began < 25 and s.ended > 10]
    assert [s.name for s in part.slices] == [s.name for s in inside]


def test_another_block(product: croq.Kernel, tmp_path: Path):
    found = product.timeline(*operands(300, 64), block=2, policy="late")
    assert found.title == "matmul_1p1c, policy late, block 2, 0, 0"
    found.save(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text() == found.svg()
    with pytest.raises(ArgumentError, match="block must be between 0 and 2, got 3"):
        product.timeline(*operands(300, 64), block=3, level="croq")
    word: Any = "x"
    with pytest.raises(ArgumentError, match="block must be between 0 and 0, got x"):
        product.timeline(*operands(64, 64), block=word, level="croq")


def test_a_deadlock_is_red():
    text = (EXAMPLES / "matmul_1p1c.mlir").read_text()
    # Without its last trigger the producer waits for credits for ever.
    broken = re.sub(r"\n *croq.trigger %empty at %k \+ S.*", "", text)
    assert broken != text
    with pytest.raises(croq.CompileError):
        croq.compile(broken)
    kernel = croq.compile(text)
    stuck = replace(kernel, source=replace(kernel.source, text=broken))
    found = stuck.timeline(*operands(128, 512), level="croq")
    checked(found)
    last = {s.track: s for s in found.slices if s.kind == "stuck"}
    assert set(last) == {'role "producer"', 'role "consumer"'}
    assert all(each.name.startswith("for ever") for each in last.values())
