"""Fixtures for tests on a device; without one the tests here are skipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import croqtile_mlir as croq


@pytest.fixture(scope="session")
def torch() -> Any:
    """The module torch, on a machine with a Hopper device."""
    state = croq.runtime.available()
    if not state:
        pytest.skip(state.reason)
    module: Any = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("torch sees no device")
    capability = module.cuda.get_device_capability()
    if capability != (9, 0):
        pytest.skip(f"needs compute capability 9.0, got {capability}")
    module.manual_seed(0)
    return module


@pytest.fixture(scope="session")
def cupy(torch: Any) -> Any:
    """The module cupy, on such a machine."""
    return pytest.importorskip("cupy")


@pytest.fixture(scope="session")
def examples() -> Path:
    """The folder of the example kernels."""
    return Path(__file__).resolve().parents[2] / "examples"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.hopper)
