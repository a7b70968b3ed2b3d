"""The break-it list, on every backend."""

import pytest

from tests.break_it_cases import CASES, Case
from tmax_gym.sandboxes import Backend
from tmax_gym.shell import Shell


def test_the_list_has_fifty_five_cases() -> None:
    assert len({case.name for case in CASES}) == 55


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "_"))
def test_the_session_survives(any_backend: Backend, image: str, case: Case) -> None:
    sandbox = any_backend.open(image)
    try:
        with Shell(sandbox, cwd="/tmp") as shell:
            for command in case.commands:
                seen = shell.run(command, timeout=case.timeout)
            wrong = case.verdict(seen)
            after = shell.run('\\command echo al""ive_42', timeout=20.0)
    finally:
        sandbox.close()
    assert wrong == []
    assert "alive_42\n" in after.output, after
