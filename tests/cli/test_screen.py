"""What commands print, from records that are made by hand."""

from tmax_gym.cli import screen
from tmax_gym.cli.diagnosis import Finding
from tmax_gym.proofs.validate import Proof
from tmax_gym.trajectory import Ending, Step, Trajectory


def played(observation: str) -> list[str]:
    steps = (Step("seq 20", observation, 0, 0.1),)
    parts = (("s0.rows", 0.5), ("s0.kept", 1.0))
    return list(screen.episode(Trajectory("t", "a", 0, Ending.SUBMITTED, 0.5, steps, parts)))


def test_a_long_observation_is_cut_and_the_rest_counted() -> None:
    lines = played("".join(f"{n}\n" for n in range(20)))
    assert lines[0] == "[1] $ seq 20" and lines[1:13] == [str(n) for n in range(12)]
    assert lines[13] == "... 8 more lines"


def test_an_episode_ends_with_its_parts_and_its_reward() -> None:
    assert played("1\n")[-3:] == [
        "0.500  s0.rows",
        "1.000  s0.kept",
        "reward 0.500  (submitted after 1 steps)",
    ]


def test_an_episode_without_a_verdict_shows_no_number() -> None:
    broken = Trajectory("t", "a", 0, Ending.INFRA_ERROR, None, message="the machine is gone")
    (line,) = screen.episode(broken)
    assert line == "reward none  (infra_error after 0 steps: the machine is gone)"


def test_a_failed_proof_shows_every_reason() -> None:
    seen = Proof("t", "d", 1, "native", (0.5, 0.5), 0.0, (), 1.0, ("oracle earns 0.5", "text: x"))
    assert screen.proof(seen) == "FAIL  t\n      oracle earns 0.5\n      text: x"


def test_a_finding_shows_its_remedy_below() -> None:
    line = screen.finding(Finding("docker", "absent", "not available", "start it\nor not"))
    assert [part.strip() for part in line.splitlines()] == [
        "– docker              not available",
        "start it",
        "or not",
    ]
