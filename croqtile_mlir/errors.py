"""Errors that a caller of a kernel sees; those of a compilation: `diagnostics`."""

from __future__ import annotations


class ArgumentError(TypeError, ValueError):
    """An argument of a kernel call breaks a rule.

    The message names the argument, the value and the rule; nothing was launched.
    """


class DeviceError(RuntimeError):
    """The device or its driver refused an operation, or there is no device."""
