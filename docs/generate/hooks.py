"""What MkDocs calls: pages made from the sources, and links to files beside `docs`."""

from __future__ import annotations

import os
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from dialect_pages import dialect_pages
from mkdocs.structure.files import File
from pass_pages import pass_pages

from croqtile_mlir.runtime.advice import ADVICE, OTHERWISE

_LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
_OF_ROOT = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md"}
"""Pages that stand beside `docs`."""


def on_files(files: Any, config: Any) -> Any:
    """Add reference pages, pages of the root, and the files that pages link to."""
    made = {**dialect_pages(), **pass_pages(ROOT / "test")}
    for name, page in _OF_ROOT.items():
        made[page] = (ROOT / name).read_text(encoding="utf-8")
    written = {
        file.src_uri: Path(file.abs_src_path).read_text(encoding="utf-8")
        for file in files.documentation_pages()
    }
    for uri, text in {**written, **made}.items():
        for link, _ in _LINK.findall(text):
            path = _in_repository(uri, link)
            if path is not None and path.is_file():
                name = f"files/{path.relative_to(ROOT).as_posix()}"
                if files.get_file_from_path(name) is None:
                    files.append(_file(config, name, path.read_bytes()))
    for uri, text in made.items():
        files.append(_file(config, uri, text.encode()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Point links to files of the repository at their copies in the site."""
    uri: str = page.file.src_uri
    if uri == "troubleshooting.md":
        markdown += "\n".join(_advice())
    here = posixpath.dirname(uri)

    def moved(match: re.Match[str]) -> str:
        link, anchor = match.group(1), match.group(2) or ""
        path = _in_repository(uri, link)
        if path is None:
            return match.group(0)
        target = path.relative_to(ROOT).as_posix()
        if target in _OF_ROOT:
            target = _OF_ROOT[target]
        elif target.startswith("docs/"):
            target = target.removeprefix("docs/")
        elif path.is_dir():
            # A folder has no page: its name is enough.
            return f"] (`{target}`)"
        else:
            target = f"files/{target}"
        return f"]({posixpath.relpath(target, here or '.')}{anchor})"

    return _LINK.sub(moved, markdown)


def _advice() -> Iterator[str]:
    """The table of statuses, from where the runtime has it."""
    yield "\n| status | what to do |"
    yield "|---|---|"
    for name, text in sorted(ADVICE.items()):
        yield f"| `CUDA_ERROR_{name}` | {text} |"
    yield f"| all others | {OTHERWISE} |"


def _in_repository(uri: str, link: str) -> Path | None:
    """The file or folder that a link of a page means; None for all other links."""
    if ":" in link or link.startswith("/"):
        return None
    beside = {page: ROOT for page in _OF_ROOT.values()}
    folder = beside.get(uri, (ROOT / "docs" / uri).parent)
    path = Path(os.path.normpath(folder / link))
    return path if path.is_relative_to(ROOT) and path.exists() else None


def _file(config: Any, uri: str, content: bytes) -> Any:
    return File.generated(config, uri, content=content)
