"""The active mocks of this process, innermost last, and what each of them changes."""

from __future__ import annotations

import dataclasses
import datetime
import threading
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse

import nephos
from nephos import boto_session
from nephos.boto import DEFAULT_ACCOUNT
from nephos.mock_environment import Environment
from nephos.mock_events import RECEIVERS
from nephos.mock_moto import Moto, SuspendedMoto, signing_names, with_moto_hint
from nephos.mock_network import Network
from nephos.mock_options import Options, to_time
from nephos.mock_time import moved_time, to_text

_lock = threading.RLock()
_frames: list[Frame] = []


def current() -> Frame | None:
    """Returns the innermost active mock."""
    try:
        return _frames[-1]
    except IndexError:
        return None


_network = Network(current)


@dataclasses.dataclass
class State:
    """What there is for the requests of a mock: here, and in moto."""

    cloud: Any
    moto: Moto

    def fork(self) -> State:
        """Returns a state that begins with what is here, and with nothing in moto, which has no forks."""
        return State(self.cloud.fork(), self.moto.empty())


class Frame:
    """One activation of `mock_aws`, with a `state` that was active before, or else with the one that the options say."""

    def __init__(self, options: Options, state: State | None) -> None:
        with _lock:
            outer = current()
            self._outer = outer
            self._options = options
            self._moto_services = frozenset() if isinstance(options.moto, bool) else signing_names(options.moto)
            self.state = state or State(_find_cloud(options, outer), _find_moto(options, outer))
            self._permissions = None
            if options.permissions is not None:
                self._permissions = self.cloud.permissions()
                self.cloud.set_permissions(options.permissions)
            self.account: str = options.account or (outer.account if outer else DEFAULT_ACCOUNT)
            self._environment = Environment(self.cloud, self.account, options.region) if options.core("mock_credentials") else None
            self._suspended = SuspendedMoto()
            self._time: datetime.datetime | None = None
            if outer is None:
                _network.install()
            else:
                _network.install_async()
            _frames.append(self)

    @property
    def cloud(self) -> Any:
        """The cloud that answers."""
        return self.state.cloud

    def answer(self, request: AWSPreparedRequest) -> AWSResponse:
        """Answers a request, here or in moto."""
        if self._options.clock is None:
            self._follow_time()
        service = boto_session.service_of(request)
        if service not in self._moto_services and (answer := boto_session.answer(self, request, self.account)):
            return answer
        if service in RECEIVERS:
            self.state.moto.events.deliver(self.cloud, request, self.account)
        return self.state.moto.answer(request)

    def request(self, *request: Any) -> Any:
        """Answers a request by the cloud, as `Cloud.request` does. The error for a missing operation says how moto gets it."""
        answered = self.cloud.request(*request)
        if answered is None or answered[0] < 400 or not self._options.moto:
            return answered
        status, headers, body = answered
        return status, headers, with_moto_hint(body)

    def answer_parts(self, method: str, url: str, headers: dict[str, Any], body: bytes) -> tuple[int, Any, bytes] | None:
        """Answers a request by the cloud: status, headers and body; None if it has to be answered as a whole."""
        if self._moto_services:
            return None
        if self._options.clock is None:
            self._follow_time()
        answered: tuple[int, Any, bytes] | None = self.request(method, url, headers, body, self.account)
        return answered

    def _follow_time(self) -> None:
        """Moves the clock to the time that a test shows to Python, if that lies ahead."""
        time = moved_time()
        if time == self._time:
            return
        with _lock:
            self._time = time
            if time is None:
                self.cloud.resume()
                return
            self.cloud.freeze()
            if time > self.cloud.clock.now():
                self.cloud.clock.set(time)

    def reset(self) -> None:
        """Replaces the cloud of this mock, and of those that share it, by an empty one."""
        with _lock:
            sharing = [frame for frame in _frames if frame.cloud is self.cloud]
            if any(frame._options.cloud is self.cloud for frame in sharing):
                raise RuntimeError("reset() would replace the cloud that mock_aws was given: give it a fork, and another one later")
            empty = _find_cloud(sharing[0]._options, None)
            for frame in sharing:
                frame.state.cloud = empty
            self.state.moto.stop()

    def stop(self, remove_data: bool = True) -> None:
        """Undoes what this activation changed. Others that are still active stay as they are. The data that is not removed is in `state`."""
        with _lock:
            later = [frame._environment for frame in _frames[_frames.index(self) + 1 :] if frame._environment]
            _frames.remove(self)
            if not _frames:
                _network.remove()
            self._suspended.resume()
            if self._environment is not None:
                self._environment.undo(later[0] if later else None)
            if self._permissions is not None:
                self.cloud.set_permissions(self._permissions)
            is_shared = self._outer is not None and self.state.moto is self._outer.state.moto
            if remove_data and not is_shared:
                self.state.moto.stop()


def _find_cloud(options: Options, outer: Frame | None) -> Any:
    """Returns the cloud that is given, or that of the mock around this one, or a new one."""
    time = to_time(options.clock)
    cloud = options.cloud or (outer.cloud if outer else None)
    if cloud is None:
        moved = moved_time()
        cloud = nephos.Cloud(time=time or (to_text(moved) if moved else None))
    elif time is not None:
        cloud.freeze()
        cloud.set_time(time)
    if options.clock == "frozen":
        cloud.freeze()
    return cloud


def _find_moto(options: Options, outer: Frame | None) -> Moto:
    """Returns the moto of the mock around this one, unless the options say otherwise."""
    if outer is not None and options.moto is True:
        return outer.state.moto
    return Moto(bool(options.moto), dict(options.config))
