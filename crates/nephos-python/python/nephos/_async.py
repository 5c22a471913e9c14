"""Calls from coroutines: they run on another thread, so that the event loop goes on."""

from __future__ import annotations

from itertools import islice
from typing import Any, AsyncIterator, Callable, Iterable

# Models that are taken at a time.
BATCH = 50


async def run(function: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
    """Calls a function on another thread."""
    # Imported when it is needed, because it takes longer than the whole package.
    import asyncio

    return await asyncio.to_thread(function, *args, **(kwargs or {}))


async def iterate(items: Iterable[Any]) -> AsyncIterator[Any]:
    """Iterates over items whose iterator blocks."""
    iterator = iter(items)
    while batch := await run(lambda: list(islice(iterator, BATCH))):
        for item in batch:
            yield item
