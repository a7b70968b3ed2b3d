"""The doctor tells the truth about this machine."""

import platform

from tmax_gym import catalogue, doctor
from tmax_gym.doctor import Finding
from tmax_gym.errors import BackendUnavailable
from tmax_gym.sandboxes import backend
from tmax_gym.sandboxes.images import available


def found() -> dict[str, Finding]:
    return {finding.name: finding for finding in doctor.examine()}


def test_every_backend_is_judged_as_it_judges_itself() -> None:
    seen = found()
    for name in ("native", "docker", "podman"):
        try:
            backend(name)
        except BackendUnavailable as error:
            assert seen[name].state == "absent" and str(error) in seen[name].remedy
        else:
            works = seen[name].state == "ok" and "first command after" in seen[name].text
            assert works or ("core" not in available() and "images build" in seen[name].remedy)


def test_what_does_not_work_comes_with_a_remedy() -> None:
    for finding in doctor.examine():
        assert finding.text and (finding.state == "ok" or finding.remedy), finding


def test_the_interpreter_and_the_catalogue_are_the_ones_in_use() -> None:
    seen = found()
    assert seen["python"].text.startswith(platform.python_version())
    assert seen["catalogue"].text.startswith(f"{len(catalogue.names())} tasks")


def test_an_optional_part_that_is_absent_is_no_illness() -> None:
    fine = Finding("torch", "absent", "not installed", "pip install it")
    ill = Finding("native", "broken", "does not start", "mount cgroups")
    assert doctor.healthy([fine]) and not doctor.healthy([fine, ill])
