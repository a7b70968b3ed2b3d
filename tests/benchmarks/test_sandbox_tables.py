"""The tables of the sandboxes' document have a row for whatever was measured."""

from benchmarks import sandbox_tables
from tests.support.attack_cases import ATTACKS
from tests.support.break_it_cases import CASES


def test_the_results_have_every_attack_and_every_case() -> None:
    played = sandbox_tables.results("attacks")["attacks"]
    assert {frozenset(run) for run in played.values()} == {frozenset(a.name for a in ATTACKS)}
    tried = sandbox_tables.results("break_it")["break_it"]
    assert {frozenset(run) for run in tried.values()} == {frozenset(c.name for c in CASES)}


def test_no_attack_of_the_committed_results_succeeded() -> None:
    played = sandbox_tables.results("attacks")["attacks"]
    assert set(played) == {"native", "native, rootless", "gvisor", "docker", "podman"}
    assert {cell for run in played.values() for cell in run.values()} <= {"ok", "open"}


def test_every_part_of_the_table_is_played() -> None:
    listed = [attack for part in sandbox_tables.PARTS.values() for attack in part]
    assert listed == list(ATTACKS)
