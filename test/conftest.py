"""Settings of all tests."""

from __future__ import annotations

import gc
import os

# Tests change passes; what they compile must not be found by anyone else.
os.environ["CROQ_CACHE"] = "0"

# Modules and kernels that tests share stay: to look through them again and again for
# garbage takes a twentieth of the time.
gc.set_threshold(100_000, 20, 50)


def pytest_collection_finish() -> None:
    """The tests themselves stay, too, and are many."""
    gc.collect()
    gc.freeze()
