"""Prove tasks on the nodes of a fleet.

A task whose lease was lost again and again is undecided, as with a machine that fails here: it is
no fault of the task, and the next run tries it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from tmax_gym.errors import FleetError, SandboxError
from tmax_gym.fleet.contract import Work
from tmax_gym.fleet.driver import Driver
from tmax_gym.proofs import validate
from tmax_gym.proofs.validate import Depth, Proof
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import GENERATOR

SECONDS = 1800.0
"""Longest time of one proof on one node; those with all cheats take about a minute."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """The job that proves tasks; a request is a task's name and the depth of its proof."""

    backend: str
    image: str | None

    @property
    def digest(self) -> str:
        """Return a hash of the settings and of this version of the generator."""
        text = json.dumps(["validate", self.backend, self.image, GENERATOR])
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def open(self) -> Proving:
        """Begin on this node; raises `BackendUnavailable` if it has no such backend."""
        return Proving(backend_named(self.backend), self.image)


class Proving:
    """Proves tasks on this node."""

    def __init__(self, backend: Backend, image: str | None) -> None:
        self._backend, self._image = backend, image

    def __call__(self, request: str) -> str:
        """Return the proof of a task as JSON.

        Raises:
            SandboxError: Machines failed twice, so that nothing was decided.
        """
        name, cheats, deep = json.loads(request)
        depth = Depth(cheats=cheats, deep=deep)
        proof = validate.prove_named(name, backend=self._backend, image=self._image, depth=depth)
        if proof.undecided:
            raise SandboxError(proof.problems[0])
        return proof.to_json()

    def warm(self, environments: Sequence[str]) -> None:
        """Start one machine of each image, which the pool then keeps in stock."""
        for image in environments:
            with suppress(SandboxError), closing(self._backend.open(image)):
                pass

    def close(self) -> None:
        """Do nothing: proofs share the node's backend."""


def works(names: Sequence[str], depth: Depth, *, image: str | None) -> Iterator[Work]:
    """Yield a work for each task; tasks of one image share an environment."""
    for name in names:
        request = json.dumps([name, depth.cheats, depth.deep])
        kind = "".join(("+cheats" * depth.cheats, "+deep" * depth.deep))
        used = image or catalogue.spec(name).image
        yield Work(f"{name}{kind}", used, request, SECONDS)


def sweep(driver: Driver, asked: Iterable[Work], *, backend: str) -> Iterator[Proof]:
    """Yield a proof for every work of a driver, as they end."""
    for work, future in driver.results(asked):
        try:
            yield Proof.from_json(future.result())
        except FleetError as error:
            name = json.loads(work.request)[0]
            problem = f"{validate.INFRASTRUCTURE} {error}"
            yield validate.unproven(name, problem, backend=backend)
