"""The break-it list, on every backend."""

import pytest

from tests.support.break_it_cases import CASES, Case, attempt
from tmax_gym.sandboxes import Backend

ENGINES = [pytest.param(name, marks=pytest.mark.docker) for name in ("docker", "podman")]
FORMS = ["native", "gvisor", "kubernetes", *ENGINES]


def test_the_list_has_fifty_five_cases() -> None:
    assert len({case.name for case in CASES}) == 55


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "_"))
def test_the_session_survives(
    request: pytest.FixtureRequest, image: str, case: Case, form: str
) -> None:
    machines: Backend = request.getfixturevalue(f"{form}_backend")
    sandbox = machines.open(image)
    try:
        wrong, alive = attempt(case, sandbox)
    finally:
        sandbox.close()
    assert wrong == []
    assert alive
