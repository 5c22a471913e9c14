"""The module that is built from Rust."""

import datetime
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, Generic, TypeVar, overload

from typing_extensions import Self

T = TypeVar("T")

VERSION: str

class SecretStr:
    """A text that is never printed, such as a password."""

    def __init__(self, text: str) -> None: ...
    def get_secret_value(self) -> str:
        """Returns the text. Do not print it."""
    def __len__(self) -> int: ...

class SecretBytes:
    """Bytes that are never printed, such as a key."""

    def __init__(self, bytes: bytes) -> None: ...
    def get_secret_value(self) -> bytes:
        """Returns the bytes. Do not print them."""
    def __len__(self) -> int: ...

class Session:
    """A caller, on a cloud or on an endpoint: account, Region, credentials and transport. It does not change."""

    def __init__(
        self,
        *,
        endpoint: str | None = None,
        profile: str | None = None,
        region: str | None = None,
        account: str | None = None,
        access_key_id: str | None = None,
        secret_access_key: str | None = None,
        session_token: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None: ...
    @property
    def account(self) -> str: ...
    @property
    def region(self) -> str: ...
    def with_region(self, region: str) -> Session:
        """Returns the same session in another Region."""
    def with_account(self, account: str) -> Session:
        """Returns the same session in another account."""
    def tagged(self, key: str, value: str) -> list[Any]:
        """Returns the models of all kinds whose tag `key` has this value, in order of their ARNs."""
    def _pause(self, seconds: float) -> None: ...
    def __enter__(self) -> Session: ...
    def __exit__(self, *_failure: object) -> None: ...

class Cloud:
    """A cloud inside the process: in memory, or in a file."""

    def __init__(
        self,
        path: str | PathLike[str] | None = None,
        *,
        clock: str | None = None,
        time: str | None = None,
        seed: int | None = None,
        transitions: str | None = None,
        quotas: bool | None = None,
        permissions: str | None = None,
        own_events: bool | None = None,
        passphrase: str | None = None,
        durable: bool | None = None,
    ) -> None: ...
    @classmethod
    def in_memory(cls, clock: str | None = None) -> Self: ...
    @classmethod
    def open(cls, path: str | PathLike[str]) -> Self: ...
    def session(self, account: str | None = None, region: str | None = None) -> Session:
        """Returns a session in an account and a Region."""
    def fork(self) -> Self:
        """Forks the cloud: neither sees later changes of the other, and each has its own time."""
    def save_snapshot(self, path: str | PathLike[str]) -> None:
        """Saves the whole state to a new file."""
    def restore_snapshot(self, path: str | PathLike[str]) -> None:
        """Replaces the whole state, including the time, with a saved one."""
    def reset(self) -> None:
        """Deletes everything but the time."""
    def advance(self, seconds: float) -> int: ...
    def now(self) -> str: ...
    def _now(self) -> datetime.datetime: ...
    def is_frozen(self) -> bool: ...
    def set_time(self, time: str) -> None: ...
    def freeze(self) -> None: ...
    def resume(self) -> None: ...
    def permissions(self) -> str:
        """Enforcement of policies: `off`, `record` or `enforce`."""
    def set_permissions(self, mode: str) -> None:
        """Sets the enforcement of policies."""
    def _register(self, name: str, function: Callable[..., Any]) -> None: ...
    def _function(self, name: str) -> Callable[..., Any] | None: ...
    def close(self) -> None:
        """Completes accepted writes and closes the file."""
    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str | bytes] | Iterable[tuple[str, str | bytes]],
        body: bytes,
        account: str | None = None,
    ) -> tuple[int, list[tuple[str, str]], bytes] | None:
        """Answers an AWS request on the wire without a socket; `None` for a service that is not here."""

class Field:
    """A field of a record."""

    name: str
    wire_name: str
    aliases: list[str]
    doc: str
    type_name: str
    type: Any
    is_required: bool
    is_service_set: bool
    is_sensitive: bool
    is_fixed: bool
    is_tags: bool
    is_model: bool
    is_wire_only: bool
    source: str
    default: Any
    rules: dict[str, Any]

class Record:
    """Base class of all records and models."""

    @classmethod
    def model_validate(cls, obj: Any) -> Self:
        """Builds a record from a mapping, and checks it."""
    @classmethod
    def model_validate_json(cls, json_data: str | bytes) -> Self:
        """Builds a record from JSON, and checks it."""
    @classmethod
    def model_validate_strings(
        cls,
        obj: dict[str, Any],
        *,
        strict: bool | None = None,
        context: Any = None,
        by_alias: bool | None = None,
        by_name: bool | None = None,
    ) -> Self:
        """Builds a record from a mapping whose leaves are all texts, and checks it."""
    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:
        """Builds a record from trusted values: defaults are applied, nothing is checked."""
    def model_copy(self, *, update: dict[str, Any] | None = None) -> Self:
        """Returns a copy with other values in some fields."""
    @property
    def model_fields_set(self) -> set[str]: ...
    @property
    def model_extra(self) -> dict[str, Any] | None: ...
    @property
    def model_changed(self) -> list[str]:
        """Names of the fields that a save sends."""
    @property
    def is_saved(self) -> bool: ...
    @property
    def session(self) -> Session | None: ...
    def set_session(self, session: Session | Cloud | None) -> None: ...
    def transform(self, attribute: str, transformer: str | None = None) -> Any:
        """Applies a regular expression to a text attribute: returns the first group, or a mapping of the named groups."""
    def _dump(
        self,
        *,
        mode: str = "python",
        exclude_none: bool = False,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        by_alias: bool = False,
    ) -> dict[str, Any]: ...
    def _identity(self, which: str) -> Any: ...
    def _replace(self, other: Any) -> None: ...

class ResultSet(Generic[T]):
    """Models that are fetched lazily, page by page, and kept. No method changes the set."""

    def filter(self, **criteria: Any) -> ResultSet[T]:
        """Returns the models that match all criteria, each a `field__lookup` with its value."""
    def order_by(self, path: str) -> ResultSet[T]: ...
    def with_fields(self, *fields: str) -> ResultSet[T]: ...
    def first(self) -> T | None: ...
    def count(self) -> int: ...
    def exists(self) -> bool: ...
    def all(self) -> list[T]: ...
    def values(self, *fields: str) -> list[dict[str, Any]]: ...
    def values_list(self, *fields: str, flat: bool = False) -> list[Any]: ...
    async def afirst(self) -> T | None: ...
    async def acount(self) -> int: ...
    async def aexists(self) -> bool: ...
    async def aall(self) -> list[T]: ...
    async def aget(self, index: int) -> T: ...
    def _repr_html_(self) -> str: ...
    def __iter__(self) -> Iterator[T]: ...
    def __aiter__(self) -> AsyncIterator[T]: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> ResultSet[T]: ...
    def __add__(self, other: ResultSet[T]) -> ResultSet[T]: ...

class Choice:
    name: str
    doc: str
    id: int
    values: list[tuple[str, str, str]]

class Shape:
    name: str
    doc: str
    id: int
    fields: list[Field]
    kind: Any
    extras: bool

class Kind: ...
class Call: ...
class Service: ...

def main(argv: list[str]) -> int: ...
def parse_duration(text: str) -> float: ...
def services() -> list[Any]: ...
def kind_names() -> list[tuple[str, str]]: ...
def suggest(wrong: str, known: list[str]) -> str: ...
def access_shapes() -> list[Shape]: ...
def kind_shape(name: str) -> Shape | None: ...
def class_of_record(shape: Shape) -> type: ...
def class_of_choice(choice: Choice) -> type: ...
def run_call(call: Any, session: Any, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
def preview_call(call: Any, session: Any, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
def save_model(model: Any, kwargs: dict[str, Any]) -> None: ...
def preview_save(model: Any, kwargs: dict[str, Any]) -> Any: ...
def run_control(cloud: Cloud, control: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
def explain_access(cloud: Cloud, principal: str, action: str, resource: str, context: dict[str, Any]) -> Any: ...
def decisions(cloud: Cloud, principal: str | None) -> list[Any]: ...
def clear_decisions(cloud: Cloud) -> None: ...
def smallest_policy(cloud: Cloud, principal: str | None) -> dict[str, Any]: ...
def look_up(model: Any, name: str) -> Any: ...
