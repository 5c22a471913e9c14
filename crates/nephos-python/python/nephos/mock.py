"""`mock_aws`: boto3 in this process calls a cloud in this process, as with moto."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from nephos.boto import UnsupportedService

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Mapping

    from nephos.mock_frame import Frame, State
    from nephos.mock_options import Options

__all__ = ["MockAWS", "UnsupportedService", "mock_aws"]

T = TypeVar("T")


@overload
def mock_aws(target: T) -> T: ...


@overload
def mock_aws(
    *,
    cloud: Any = None,
    account: str | None = None,
    region: str | None = None,
    clock: datetime.datetime | str | None = None,
    permissions: str | None = None,
    moto: bool | Iterable[str] = True,
    config: Mapping[str, Mapping[str, Any]] | None = None,
) -> MockAWS: ...


def mock_aws(
    target: Any = None,
    *,
    cloud: Any = None,
    account: str | None = None,
    region: str | None = None,
    clock: datetime.datetime | str | None = None,
    permissions: str | None = None,
    moto: bool | Iterable[str] = True,
    config: Mapping[str, Mapping[str, Any]] | None = None,
) -> Any:
    """Answers AWS requests of this process by a cloud in memory: a context manager, and a decorator of functions and classes.

    `cloud` is used instead of a new one. `account` and `region` are those of callers that name none. `clock` stops the time: at a
    time, or now with "frozen". `permissions` is "off", "record" or "enforce". Services that are not here pass to moto if it is
    installed, and those that `moto` lists even if they are here; `moto=False` refuses them. `config` is as in moto.
    """
    # Imported here, so that `import nephos` stays short.
    from nephos.mock_options import Options

    mock = MockAWS(Options(cloud, account, region, clock, permissions, moto, config or {}))
    return mock if target is None else mock(target)


class MockAWS:
    """Activates a cloud for boto3. It can be active several times at once, such as by functions that call each other."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._frames: list[Frame] = []
        self._kept: Any = None

    def start(self, reset: bool = True) -> Any:
        """Activates the cloud and returns it. `reset=False` activates what `stop(remove_data=False)` kept."""
        return self._activate(None if reset else self._kept).cloud

    def stop(self, remove_data: bool = True) -> None:
        """Ends the last activation, and restores the environment."""
        if not self._frames:
            raise RuntimeError("mock_aws is not active: stop() was called before start()")
        frame = self._frames.pop()
        self._kept = None if remove_data else frame.state
        frame.stop(remove_data)

    def _activate(self, state: State | None) -> Frame:
        from nephos.mock_frame import Frame

        frame = Frame(self._options, state)
        self._frames.append(frame)
        return frame

    def reset(self) -> None:
        """Replaces the active cloud by an empty one."""
        if not self._frames:
            raise RuntimeError("mock_aws is not active: reset() was called before start()")
        self._frames[-1].reset()

    def __enter__(self) -> Any:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    async def __aenter__(self) -> Any:
        return self.start()

    async def __aexit__(self, *error: object) -> None:
        self.stop()

    def __call__(self, target: T) -> T:
        from nephos.mock_decorators import decorate

        return cast(T, decorate(self, target))
