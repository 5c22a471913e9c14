"""Test controls of a cloud, such as the health of a target. No operation of a service changes them."""

from __future__ import annotations

from functools import cache
from typing import Any

from nephos import _modules, _nephos
from nephos._signatures import Described


class Controls:
    """Test controls of a cloud, each a method: `cloud.controls.target_health(…)`. `dir()` has all of them."""

    __slots__ = ("_cloud",)

    def __init__(self, cloud: _nephos.Cloud) -> None:
        self._cloud = cloud

    def __getattr__(self, name: str) -> BoundControl:
        control = all_controls().get(name)
        if control is None:
            raise AttributeError(f"a cloud has no test control {name!r}{_nephos.suggest(name, list(all_controls()))}")
        return BoundControl(self._cloud, control)

    def __dir__(self) -> list[str]:
        return sorted(all_controls())

    def __repr__(self) -> str:
        return f"<Controls {', '.join(dir(self))}>"


class BoundControl(Described):
    """A test control of a cloud. Calling it sets it."""

    __slots__ = ("_cloud", "_call")

    def __init__(self, cloud: _nephos.Cloud, control: Any) -> None:
        self._cloud = cloud
        self._call = control

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _nephos.run_control(self._cloud, self._call, args, kwargs)

    def __repr__(self) -> str:
        return f"<control {self._call.name}>"


@cache
def all_controls() -> dict[str, Any]:
    """All test controls by the names of their methods."""
    return {method_name(control.name): control for service in _modules.services().values() for control in service.controls}


def method_name(name: str) -> str:
    """Returns the name of a control as a method."""
    return name.replace("-", "_")
