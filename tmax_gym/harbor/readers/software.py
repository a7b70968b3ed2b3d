"""Sets of software repairs: SWE-smith (a patch that brings a bug in) and R2E-Gym.

A task names its image and the tests that must pass; the solution of SWE-smith is its patch undone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tmax_gym.harbor.readers.drafts import Draft, Made
from tmax_gym.harbor.readers.recipes import LISTED
from tmax_gym.harbor.readers.rows import Row, listed, rows, text_of
from tmax_gym.harbor.readers.tmax15k import read_rlvr

HOME = "/testbed"
_RUN = b"#!/bin/bash\ncd /testbed\npython3 /tests/run_listed.py\n"
_SOLVE = b"#!/bin/bash\ncd /testbed\ngit apply -R /solution/bug.patch\n"


def read_swe_smith(path: Path) -> Iterator[Made]:
    """Yield the tasks of SWE-smith's rows."""
    for row in rows(path):
        yield _smith(row)


def read_r2e_gym(path: Path) -> Iterator[Made]:
    """Yield the tasks of R2E-Gym: RLVR rows and a tarball with images, tests and scores."""
    yield from read_rlvr(path)


def _smith(row: Row) -> Made:
    name = text_of(row, "instance_id", "task_id")
    patch, image = text_of(row, "patch"), text_of(row, "image_name")
    if not name:
        return "a row: it has no instance_id"
    failing, passing = listed(row.get("FAIL_TO_PASS")), listed(row.get("PASS_TO_PASS"))
    for missing, what in ((patch, "patch"), (image, "image_name"), (failing, "FAIL_TO_PASS")):
        if not missing:
            return f"{name}: it has no {what}"
    patch = patch if patch.endswith("\n") else f"{patch}\n"
    expected = {"fail_to_pass": list(failing), "pass_to_pass": list(passing)}
    statement = text_of(row, "problem_statement")
    return Draft(
        name,
        statement or f"Tests of the project in {HOME} fail. Find the bug and repair it.",
        dockerfile=(
            f"FROM {image}\nWORKDIR {HOME}\nCOPY bug.patch /tmp/bug.patch\n"
            "RUN git apply /tmp/bug.patch && rm /tmp/bug.patch\n"
        ),
        environment={"bug.patch": patch.encode()},
        tests={
            "test.sh": _RUN,
            "run_listed.py": LISTED.encode(),
            "expected.json": json.dumps(expected).encode(),
        },
        solution={"solve.sh": _SOLVE, "bug.patch": patch.encode()},
        metadata={"category": "software_repair", "repository": text_of(row, "repo")},
        agent_seconds=1800.0,
        verifier_seconds=600.0,
        workdir=HOME,
    )
