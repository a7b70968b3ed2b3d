"""`Driver`: gives the works of a run to the nodes of a cluster, until each has one result.

A node that is lost, a lease that is overdue and a sandbox that failed are faults of infrastructure:
the work goes to another node, and after `TRIES` losses its future raises `LeaseLost`.  A result is
never made up.  The book (`leases.py`) decides which result counts.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from tmax_gym.errors import FleetError, LeaseLost
from tmax_gym.fleet.contract import Cluster, Job, Lease, Node, Outcome, Work
from tmax_gym.fleet.leases import LeaseBook
from tmax_gym.fleet.placement import preferred
from tmax_gym.fleet.timings import Timings

logger = logging.getLogger(__name__)
TRIES = 5
"""Losses of one work after which it fails: more than the nodes that a run is likely to lose."""
_LOST = "node %s is lost; its leases go to other nodes"
_TICK = 0.5
_REMIND = 30.0
"""Seconds between two messages that no node is there."""


@dataclass(slots=True)
class _Waiting:
    work: Work
    future: Future[str]
    since: float
    failed_on: set[str] = field(default_factory=set)
    """Nodes that lost it, which get it again only if there is no other."""


@dataclass(frozen=True, slots=True)
class _Held:
    lease: Lease
    waiting: _Waiting


class Driver:
    """Use it as a context; `submit` may be called from many threads.

    Args:
        cluster: The nodes; closed with the driver.
        book: Holds leases and results; closed with the driver.
        job: What the nodes do.
        keep: Whether results stay in the book, so that another driver can go on from its file.
        tries: Losses of one work after which it fails.
    """

    def __init__(
        self, cluster: Cluster, book: LeaseBook, job: Job, *, keep: bool = True, tries: int = TRIES
    ) -> None:
        self._cluster, self._book, self._job = cluster, book, job
        self._keep, self._tries = keep, tries
        self.timings = Timings()
        self._queue: deque[_Waiting] = deque()
        self._held: dict[int, _Held] = {}
        self._nodes: dict[str, Node] = {}
        self._room: dict[str, int] = {}
        self._warmed: set[tuple[str, str]] = set()
        self._alone_since = time.monotonic()
        self._changed = threading.Condition()
        self._dirty = self._closed = False
        self._thread = threading.Thread(target=self._run, name="fleet-driver", daemon=True)
        self._thread.start()

    @property
    def room(self) -> int:
        """Return how many leases all nodes take at the same time."""
        with self._changed:
            return sum(self._room.values())

    def inside(self) -> dict[str, int]:
        """Return how many works wait, and how many are on nodes."""
        with self._changed:
            return {"queued": len(self._queue), "leased": len(self._held)}

    def submit(self, work: Work) -> Future[str]:
        """Queue a work; its future has the result, at once if the book knows it.

        The future raises `LeaseLost` if nodes lost the work again and again, and `FleetError` if no
        node can do it or none is left.
        """
        future: Future[str] = Future()
        if (result := self._book.known(work.key)) is not None:
            future.set_result(result)
            return future
        with self._changed:
            if self._closed:
                raise FleetError("the driver is closed")
            self._queue.append(_Waiting(work, future, time.monotonic()))
            self._wake()
        return future

    def cancel(self, key: str) -> None:
        """End a work early: it has no result, and its future raises `LeaseLost`."""
        with self._changed:
            queued = [waiting for waiting in self._queue if waiting.work.key == key]
            for waiting in queued:
                self._queue.remove(waiting)
            held = [held for held in self._held.values() if held.lease.work.key == key]
            for each in held:
                del self._held[each.lease.number]
                self._book.lose(each.lease, "cancelled")
                if (node := self._nodes.get(each.lease.node)) is not None:
                    node.cancel(each.lease.number)
        for waiting in (*queued, *(each.waiting for each in held)):
            _fail(waiting.future, LeaseLost(f"{key} was cancelled"))

    def results(self, works: Iterable[Work]) -> Iterator[tuple[Work, Future[str]]]:
        """Yield every work with its future as it is done.

        Only as many works are queued as the nodes take at the same time, twice.
        """
        pending: dict[Future[str], Work] = {}
        left = iter(works)
        more = True
        while more or pending:
            while more and len(pending) < 2 * max(self.room, 1):
                if (work := next(left, None)) is None:
                    more = False
                else:
                    pending[self.submit(work)] = work
            done, _ = wait(pending, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in done:
                yield pending.pop(future), future

    def close(self) -> None:
        """End what runs; futures that have no result raise `FleetError`.  Idempotent."""
        with self._changed:
            self._closed = True
            self._wake()
        self._thread.join()
        self._cluster.close()
        self._fail_all(LeaseLost("the driver was closed before this was done"))
        self._book.close()

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wake(self) -> None:
        self._dirty = True
        self._changed.notify_all()

    def _run(self) -> None:
        try:
            self._work()
        finally:
            with self._changed:
                failed, self._closed = not self._closed, True
            if failed:  # the error itself goes to `threading.excepthook`
                self._fail_all(FleetError("the driver's thread failed; its error is on stderr"))

    def _work(self) -> None:
        looked = 0.0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._dirty or self._closed, _TICK)
                self._dirty = False
                if self._closed:
                    return
            if time.monotonic() - looked >= _TICK:
                looked = time.monotonic()
                self._look()
            while self._assign():
                pass

    def _look(self) -> None:
        """Take in new nodes, give up lost ones and overdue leases."""
        present = {node.name: node for node in self._cluster.nodes()}
        alive = {n: h for n, node in present.items() if (h := node.health()) is not None}
        self._book.beat(sorted(alive))
        with self._changed:
            gone = self._nodes.keys() - alive.keys()
            self._nodes = {name: present[name] for name in alive}
            self._room = {n: 0 if h.draining else h.room for n, h in alive.items()}
            lost = [held for held in self._held.values() if held.lease.node in gone]
            late = [self._held[n] for n in self._book.overdue() if n in self._held]
        for name in sorted(gone):
            logger.warning(_LOST, name)
        for held in lost:
            self._lose(held, f"node {held.lease.node} was lost")
        for held in late:
            if held.lease.node in present:
                present[held.lease.node].cancel(held.lease.number)
            self._lose(held, f"it took more than {held.lease.work.seconds:g} s")
        self._watch_for_nodes()

    def _watch_for_nodes(self) -> None:
        now = time.monotonic()
        if self._nodes or not self._queue:
            self._alone_since = now
            return
        if not (expected := self._cluster.expected()):
            why = "no node is left, and none can come. Start nodes, and run this again"
            self._fail_all(FleetError(why))
        elif now - self._alone_since >= _REMIND:
            self._alone_since = now
            logger.warning("no node is there; waiting for %s", expected)

    def _assign(self) -> bool:
        """Give the next work to a node; return False if there is none, or no room."""
        with self._changed:
            busy = Counter(held.lease.node for held in self._held.values())
            free = [name for name in self._nodes if busy[name] < self._room[name]]
            if not free or not self._queue:
                self._warm()
                return False
            waiting = self._queue.popleft()
            others = [name for name in free if name not in waiting.failed_on]
            name = preferred(waiting.work.environment, others or free)
            assert name is not None
            lease = self._book.lease(waiting.work, name)
            held = self._held[lease.number] = _Held(lease, waiting)
            node = self._nodes[name]
        self.timings.add((("queue", time.monotonic() - waiting.since),))
        node.start(lease, self._job, self._ended(held))
        return True

    def _warm(self) -> None:
        """Let nodes prepare for what waits."""
        for waiting in list(self._queue)[: sum(self._room.values())]:
            environment = waiting.work.environment
            name = preferred(environment, self._nodes)
            if name is not None and (name, environment) not in self._warmed:
                self._warmed.add((name, environment))
                self._nodes[name].warm(self._job, (environment,))

    def _ended(self, held: _Held) -> Callable[[Outcome | None], None]:
        def ended(outcome: Outcome | None) -> None:
            if outcome is None:
                with self._changed:  # it gets no other lease, even before the next look
                    first = self._nodes.pop(held.lease.node, None) is not None
                if first:
                    logger.warning(_LOST, held.lease.node)
                self._lose(held, f"node {held.lease.node} was lost")
                return
            self.timings.add(outcome.phases)
            if outcome.value is not None:
                self._finish(held, outcome.value)
            elif outcome.hopeless:
                self._lose(held, outcome.error, hopeless=True)
            else:
                self._lose(held, outcome.error)

        return ended

    def _finish(self, held: _Held, value: str) -> None:
        with self._changed:
            mine = self._held.pop(held.lease.number, None)
            self._wake()
        if mine is None:  # given to another node meanwhile, or the driver is closed
            return
        if self._book.finish(held.lease, value) and not self._keep:
            self._book.forget(held.lease.work.key)
        held.waiting.future.set_result(value)

    def _lose(self, held: _Held, why: str, *, hopeless: bool = False) -> None:
        with self._changed:
            if self._held.pop(held.lease.number, None) is None:
                return
            losses = self._book.lose(held.lease, why)
            again = not hopeless and losses < self._tries
            if again:
                held.waiting.failed_on.add(held.lease.node)
                self._queue.appendleft(held.waiting)
            self._wake()
        if hopeless:
            _fail(held.waiting.future, FleetError(why))
        elif not again:
            text = f"{held.lease.work.key} was lost {losses} times: {why}"
            _fail(held.waiting.future, LeaseLost(text))

    def _fail_all(self, why: FleetError) -> None:
        with self._changed:
            open_ = [*self._queue, *(held.waiting for held in self._held.values())]
            self._queue.clear()
            self._held.clear()
        for waiting in open_:
            _fail(waiting.future, why)


def _fail(future: Future[str], error: FleetError) -> None:
    if not future.done():
        future.set_exception(error)
