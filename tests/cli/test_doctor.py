"""The doctor tells the truth about this machine."""

import platform

import pytest

from tmax_gym.cli import diagnosis
from tmax_gym.cli.diagnosis import Finding
from tmax_gym.errors import BackendUnavailable
from tmax_gym.sandboxes import ELSEWHERE, ORDER, backend
from tmax_gym.sandboxes.images import available
from tmax_gym.tasks import catalogue


def findings() -> dict[str, Finding]:
    return {finding.name: finding for finding in diagnosis.examine()}


def test_every_backend_is_judged_as_it_judges_itself() -> None:
    seen = findings()
    for name in (*ORDER, *ELSEWHERE):
        try:
            backend(name)
        except BackendUnavailable as error:
            assert seen[name].state == "absent" and str(error) in seen[name].remedy
        else:
            works = seen[name].state == "ok" and "first command after" in seen[name].text
            assert works or ("core" not in available() and "images build" in seen[name].remedy)


def test_auto_takes_the_first_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMAX_BACKEND", raising=False)
    assert ORDER == ("native", "docker", "podman", "apptainer", "gvisor")
    seen = findings()
    usable = [name for name in ORDER if seen[name].state != "absent"]
    if usable:
        assert backend("auto").name == usable[0]
    else:
        with pytest.raises(BackendUnavailable, match="no sandbox backend works here"):
            backend("auto")


def test_what_does_not_work_comes_with_a_remedy() -> None:
    for finding in diagnosis.examine():
        assert finding.text and (finding.state == "ok" or finding.remedy), finding


def test_the_interpreter_and_the_catalogue_are_the_ones_in_use() -> None:
    seen = findings()
    assert seen["python"].text.startswith(platform.python_version())
    assert seen["catalogue"].text.startswith(f"{len(catalogue.names())} tasks")


def test_an_optional_part_that_is_absent_is_no_illness() -> None:
    fine = Finding("torch", "absent", "not installed", "pip install it")
    ill = Finding("native", "broken", "does not start", "mount cgroups")
    assert diagnosis.healthy([fine]) and not diagnosis.healthy([fine, ill])
