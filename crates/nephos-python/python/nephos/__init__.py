"""Typed AWS resources, and a cloud inside the process that answers for them."""

from nephos._nephos import Cloud

__all__ = ["Cloud"]
