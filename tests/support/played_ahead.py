"""Cases that mostly wait, played a few ahead of the tests that look at them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class PlayedAhead(Generic[Key, Result]):
    """What came of cases, each played once: the next few begin as soon as one is asked for."""

    def __init__(
        self, keys: Iterable[Key], play: Callable[[Key], Result], *, at_once: int = 6
    ) -> None:
        self._keys = tuple(keys)
        self._play = play
        self._at_once = at_once
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="ahead")
        self._results: dict[Key, Future[Result]] = {}

    def __getitem__(self, key: Key) -> Result:
        """Return what came of a case; what its play raised is raised here."""
        first = self._keys.index(key)
        for following in self._keys[first : first + self._at_once]:
            if following not in self._results:
                self._results[following] = self._pool.submit(self._play, following)
        return self._results[key].result()

    def __enter__(self) -> PlayedAhead[Key, Result]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
