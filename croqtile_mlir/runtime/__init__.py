"""Running kernels on a device through the CUDA driver API.

Importing this package loads neither the driver nor any array library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from croqtile_mlir.runtime.device import Availability

__all__ = ["available"]


def available() -> Availability:
    """Whether kernels can be launched here; its `reason` says why not.

    ```python
    if not (state := croqtile_mlir.runtime.available()):
        print(state.reason)
    ```
    """
    from croqtile_mlir.runtime import device

    return device.available()
