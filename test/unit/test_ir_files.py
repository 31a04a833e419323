"""`croq-opt --ir-dir`: the IR after each pass in a file of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqtile_mlir.passes.pipelines import lowering_stages
from croqtile_mlir.tools.croq_opt import run

ADD = Path(__file__).parents[2] / "examples" / "add.mlir"


def test_every_level_is_written(tmp_path: Path):
    folder, out = tmp_path / "deep" / "ir", tmp_path / "out.mlir"
    arguments = [str(ADD), "--croq-to-ptx", "--ir-dir", str(folder)]
    assert run([*arguments, "-o", str(out)]) == 0
    stages = [text for stage in lowering_stages() for text in stage.passes]
    passes = ["set-target", *stages]
    files = sorted(file.name for file in folder.iterdir())
    assert files == [
        f"{number:02}-{text.split('{')[0]}.mlir"
        for number, text in enumerate(["input", *passes])
    ]
    assert (folder / files[-1]).read_text().strip() == out.read_text().strip()
    # From each the rest of the way can be gone.
    again = tmp_path / "again.mlir"
    for number in (0, 12, len(passes) - 2):
        left = ["-p", ",".join(passes[number:])]
        assert run([str(folder / files[number]), *left, "-o", str(again)]) == 0
        assert again.read_text() == out.read_text()


def test_what_a_refused_pass_left_is_kept(tmp_path: Path):
    source = tmp_path / "in.mlir"
    source.write_text(ADD.read_text().replace("croq.copy %a", "croq.copy %b", 1))
    folder = tmp_path / "ir"
    arguments = ["--bind-params{Q=3}", "--ir-dir", str(folder)]
    assert run([str(source), *arguments]) == 1
    assert sorted(file.name for file in folder.iterdir()) == [
        "00-input.mlir",
        "01-bind-params-failed.mlir",
    ]


def test_modules_of_one_file(tmp_path: Path):
    source = tmp_path / "in.mlir"
    source.write_text("// -----\n".join([ADD.read_text()] * 3))
    folder = tmp_path / "ir"
    arguments = ["--split-input-file", "--cse", "--ir-dir", str(folder)]
    assert run([str(source), *arguments, "-o", str(tmp_path / "out")]) == 0
    made = sorted(str(file.relative_to(folder)) for file in folder.rglob("*.mlir"))
    names = ["00-input.mlir", "01-cse.mlir"]
    parts = [f"part-{part}/{name}" for part in (2, 3) for name in names]
    assert [name.replace("\\", "/") for name in made] == sorted([*names, *parts])


def test_a_folder_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    taken = tmp_path / "taken"
    taken.write_text("a file")
    assert run([str(ADD), "--cse", "--ir-dir", str(taken)]) == 1
    assert "File exists" in capsys.readouterr().err
