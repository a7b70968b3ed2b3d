"""The parts around a task's world: solutions, steps, entry points, other images, builders."""

import os
import stat
from pathlib import Path

import pytest

from tests.support.trial_tasks import trial_task
from tmax_gym import load_dataset
from tmax_gym.agents.agent import noop, oracle
from tmax_gym.agents.rollout import rollout
from tmax_gym.errors import ImageError
from tmax_gym.harbor.run.build.context import read_context
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.docker.images import build, buildkit

F = "FROM tmax/core:latest\n"
GRADE = "#!/bin/bash\nif {}; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n"


@pytest.fixture(autouse=True)
def _core(image: str) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")


def load(place: Path, settings: HarborSettings | None = None) -> TrialTask:
    found = load_dataset(place, name="ours", settings=settings or HarborSettings())
    assert found.problems == ()
    return found.tasks[0]


def test_a_solution_keeps_its_links_modes_and_empty_directories(
    tmp_path: Path, any_backend: Backend
) -> None:
    solve = (
        'cd /solution; [ -d void ] && [ "$(readlink l)" = f ] && '
        "stat -c %a f void tool > /seen; ./tool >> /seen\n"
    )
    home = trial_task(tmp_path, files={
        "environment/Dockerfile": F,
        "solution/solve.sh": solve,
        "solution/f": "",
        "solution/tool": "#!/bin/sh\necho ran\n",
        "tests/test.sh": GRADE.format('[ "$(cat /seen | xargs)" = "640 711 750 ran" ]'),
    })  # fmt: skip
    (home / "solution/void").mkdir()
    (home / "solution/l").symlink_to("f")
    for name, mode in (("f", 0o640), ("void", 0o711), ("tool", 0o750)):
        (home / "solution" / name).chmod(mode)
    trial = load(tmp_path)
    assert rollout(trial, oracle(trial), backend=any_backend, retries=0).reward == 1.0
    assert rollout(trial, noop(), backend=any_backend, retries=0).reward == 0.0


def test_a_script_that_is_not_executable_still_grades(
    tmp_path: Path, native_backend: Backend
) -> None:
    home = trial_task(tmp_path, files={
        "tests/test.sh": GRADE.format('[ "$(stat -c %a /tests/*.sh | xargs)" = "600 711" ]'),
        "tests/h.sh": "true\n",
    })  # fmt: skip
    (home / "tests/test.sh").chmod(0o600)
    (home / "tests/h.sh").chmod(0o600)
    assert rollout(load(tmp_path), noop(), backend=native_backend, retries=0).reward == 1.0


def test_an_image_is_substituted_without_an_engine(tmp_path: Path, native_backend: Backend) -> None:
    trial_task(tmp_path, files={
        "environment/Dockerfile": "ARG TAG=24.04\nFROM ubuntu:${TAG} AS base\nRUN touch /made\n",
        "tests/test.sh": GRADE.format("[ -e /made ]"),
    })  # fmt: skip
    settings = HarborSettings(substitutes=(("ubuntu:24.04", "tmax/core:latest"),))
    trial = load(tmp_path, settings)
    assert trial.obstacle("native") == ""
    assert rollout(trial, noop(), backend=native_backend, retries=0).reward == 1.0
    assert "ubuntu:24.04" in load(tmp_path).obstacle("native")


@pytest.mark.docker
def test_an_image_whose_name_begins_like_another_is_not_taken_for_it(
    tmp_path: Path, docker_backend: Backend
) -> None:
    trial_task(tmp_path, files={
        "environment/Dockerfile": F,
        "tests/test.sh": GRADE.format("true"),
    })  # fmt: skip
    settings = HarborSettings(substitutes=(("tmax/core:late", "no/such:image"),))
    assert rollout(load(tmp_path, settings), noop(), backend=docker_backend, retries=0).reward == 1


def test_a_service_of_the_entry_point_serves_the_tests_where_leftovers_are_kept(
    tmp_path: Path, any_backend: Backend
) -> None:
    entry = '#!/bin/bash\n(while :; do touch /alive; sleep 0.2; done) &\nexec "$@"\n'
    home = trial_task(tmp_path, files={
        "environment/Dockerfile": f'{F}COPY entry /entry\nENTRYPOINT ["/entry"]\n',
        "environment/entry": entry,
        "tests/test.sh": GRADE.format("rm -f /alive; sleep 1; [ -e /alive ]"),
    })  # fmt: skip
    (home / "environment/entry").chmod(0o755)
    kept = load(tmp_path, HarborSettings(leftovers="keep"))
    assert rollout(kept, noop(), backend=any_backend, retries=0).reward == 1.0
    seen = rollout(load(tmp_path), noop(), backend=any_backend, retries=0)
    assert seen.reward is None
    assert "ENTRYPOINT leaves" in seen.message


def test_an_entry_point_in_the_shell_form_is_run_by_a_shell(
    tmp_path: Path, any_backend: Backend
) -> None:
    trial_task(tmp_path, files={
        "environment/Dockerfile": f"{F}ENV A=1\nENTRYPOINT echo $A > /said; sleep infinity\n",
        "tests/test.sh": GRADE.format('[ "$(cat /said)" = 1 ]'),
    })  # fmt: skip
    assert rollout(load(tmp_path), noop(), backend=any_backend, retries=0).reward == 1.0


def test_a_build_that_takes_too_long_is_ended_and_reported(
    tmp_path: Path, native_backend: Backend
) -> None:
    trial_task(tmp_path, files={
        "task.toml": '[environment]\nbuild_timeout_sec = 2.0\n',
        "environment/Dockerfile": f"{F}RUN sleep 60\n",
    })  # fmt: skip
    seen = rollout(load(tmp_path), noop(), backend=native_backend, retries=0)
    assert seen.reward is None
    assert "it took longer than 2 s" in seen.message


def test_rules_behind_a_link_hide_as_well(tmp_path: Path) -> None:
    home = trial_task(tmp_path, files={"environment/s": "", "environment/rules": "s\n"})
    (home / "environment/.dockerignore").symlink_to("rules")
    harbor = load(tmp_path).harbor
    assert "s" not in read_context(harbor, harbor.directory / "environment").entries


@pytest.mark.parametrize("name", ["Dockerfile", ".dockerignore", "docker-compose.yaml"])
def test_what_is_read_on_the_host_never_lies_outside_the_task(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").write_text("FROM secret\n")
    home = trial_task(tmp_path / "set")
    (home / "environment" / name).unlink(missing_ok=True)
    (home / "environment" / name).symlink_to(tmp_path / "outside")
    dataset = load_dataset(tmp_path / "set", name="ours")
    problem = f"hello: environment/{name} is a link out of the task"
    assert [str(p) for p in dataset.problems] == [problem]


def test_equal_contexts_are_equal_bytes_and_a_mode_makes_another(tmp_path: Path) -> None:
    packed = []
    for name, mode in (("a", 0o644), ("b", 0o644), ("c", 0o600)):
        home = trial_task(tmp_path / name, files={"environment/f": "x", ".keep": ""})
        for path in (home / "environment").rglob("*"):
            path.chmod(0o644)
            os.utime(path, (len(packed), len(packed)))
        (home / "environment/f").chmod(mode)
        harbor = load(tmp_path / name).harbor
        packed.append(read_context(harbor, harbor.directory / "environment").pack())
    assert packed[0] == packed[1] != packed[2]


@pytest.fixture
def clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that is the only entry of PATH."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", str(place))
    return place


def _client(place: Path, version: str, *, buildx: bool) -> None:
    file = place / "docker"
    plugin = "echo buildx 0.13" if buildx else "exit 1"
    file.write_text(
        f'#!/bin/sh\n[ "$1" = buildx ] && {{ {plugin}; exit; }}\n'
        f'echo "Docker version {version}, build x"\n'
    )
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def test_without_a_client_there_is_no_buildkit(clients: Path) -> None:
    assert buildkit.client() is None


def test_a_new_client_without_its_plugin_has_no_buildkit(clients: Path) -> None:
    _client(clients, "28.2.2", buildx=False)
    assert buildkit.client() is None


def test_an_old_client_has_buildkit_built_in(clients: Path) -> None:
    _client(clients, "20.10.24+dfsg1", buildx=False)
    client = buildkit.client()
    assert client is not None
    assert (client.command[1:], client.env) == (("build",), {"DOCKER_BUILDKIT": "1"})


def test_the_plugin_is_taken_where_it_is(clients: Path) -> None:
    _client(clients, "28.2.2", buildx=True)
    client = buildkit.client()
    assert client is not None
    assert client.command[1:4] == ("buildx", "build", "--builder")


@pytest.mark.docker
def test_what_buildkit_alone_builds_is_refused_where_nothing_speaks_to_it(
    docker_backend: Backend, clients: Path
) -> None:
    engine = DockerBackend.shared("docker", network="none").engine
    wanted = build.Build("localhost/tmax/trial:never", b"", dockerfile=F, buildkit="RUN --mount")
    with pytest.raises(ImageError, match="RUN --mount, which BuildKit alone builds"):
        build.build(engine, wanted)
