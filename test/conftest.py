"""Settings of all tests."""

from __future__ import annotations

import os

# Tests change passes; what they compile must not be found by anyone else.
os.environ["CROQ_CACHE"] = "0"
