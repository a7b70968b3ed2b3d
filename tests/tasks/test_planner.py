"""Plans and quotas: even, and each spec on its own."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tmax_gym import families
from tmax_gym.axes import DOMAINS
from tmax_gym.proofs import evidence
from tmax_gym.tasks import build, catalogue, chain, planner, quotas
from tmax_gym.tasks.compose import compose
from tmax_gym.texts.plain import plain_text

SOME = ("bulk-rename", "regime-shift", "seeded-fault", "space-crisis", "traversal-guard")


def test_the_whole_plan_has_14600_tasks_and_even_domains() -> None:
    shared = quotas.quotas()
    assert sum(shared.values()) == quotas.TOTAL == 14_600
    by_domain = Counter[str]()
    for slug, count in shared.items():
        by_domain[families.family(slug).domain] += count
    shares = [count / quotas.TOTAL for count in by_domain.values()]
    assert math.exp(-sum(s * math.log(s) for s in shares)) / len(DOMAINS) >= 0.999


def test_a_family_has_the_tasks_named_for_it_and_the_others_of_its_domain_share_the_rest() -> None:
    shared = quotas.quotas()
    assert {slug: shared[slug] for slug in quotas.NAMED} == quotas.NAMED
    for domain in DOMAINS:
        rest = [s for s in shared.keys() - quotas.NAMED if families.family(s).domain == domain]
        even = {shared[slug] for slug in rest}
        assert max(even) - min(even) <= 1


def test_a_part_of_the_catalogue_has_so_many_a_family_on_average() -> None:
    shared = quotas.quotas(7)
    assert sum(shared.values()) == 7 * len(families.slugs())
    assert set(shared) == set(families.slugs())


def test_a_spec_does_not_depend_on_how_many_there_are() -> None:
    few = {spec.name: spec for spec in planner.plan(per_family=3)}
    many = {spec.name: spec for spec in planner.plan(per_family=9)}
    assert few.items() <= many.items()


def test_a_spec_does_not_depend_on_which_other_families_exist(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {s.name: s for s in planner.plan(per_family=8) if s.family in SOME}
    monkeypatch.setattr(families, "slugs", lambda: SOME)
    after = {s.name: s for s in planner.plan(per_family=8) if s.family in SOME}
    assert after == before


def test_about_a_tenth_of_the_families_is_held_out_and_some_of_every_domain() -> None:
    out = [slug for slug in families.slugs() if planner.held_out(slug)]
    assert 0.05 <= len(out) / len(families.slugs()) <= 0.25
    assert {families.family(slug).domain for slug in out} == set(DOMAINS)


def test_no_training_task_has_a_stage_of_a_family_that_is_held_out() -> None:
    for spec in planner.plan(per_family=12):
        held = [ref.family for ref in spec.plan if planner.held_out(ref.family)]
        assert not held or spec.split == "test"


def test_a_family_needs_the_image_of_its_language() -> None:
    for spec in planner.plan(per_family=12):
        assert spec.image == ("poly" if spec.language in planner.POLYGLOT else "core")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a handful of families, which is enough to write a catalogue of."""
    monkeypatch.setattr(families, "slugs", lambda: SOME)


@pytest.mark.usefixtures("small")
def test_the_bytes_of_a_catalogue_do_not_depend_on_the_processes(tmp_path: Path) -> None:
    one = build.build(target=tmp_path / "one", most=3, jobs=1)
    two = build.build(target=tmp_path / "two", most=3, jobs=2)
    assert one == two
    files = [file for file in sorted((tmp_path / "one").rglob("*")) if file.is_file()]
    assert len(files) > 4
    for file in files:
        other = tmp_path / "two" / file.relative_to(tmp_path / "one")
        assert file.read_bytes() == other.read_bytes()


@pytest.mark.usefixtures("small")
def test_a_task_that_regenerates_differently_is_named() -> None:
    specs = [spec for spec, _ in build.expanded(list(planner.plan(per_family=1)), jobs=1)]
    assert evidence.differing(specs, {}, jobs=2) == ()
    drifted = [replace(specs[0], digest="0" * 16), *specs[1:]]
    (line,) = evidence.differing(drifted, {}, jobs=2)
    assert specs[0].name in line
    assert specs[0].digest in line


def test_a_task_whose_obligations_outgrew_three_stages_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = next(spec for spec in catalogue.select() if len(spec.plan) == chain.MOST_STAGES)
    assert evidence.differing([spec], {}, jobs=1) == ()
    words = len(plain_text([compose(spec).obligations]).split())
    monkeypatch.setattr(chain, "MOST_WORDS", words - 1)
    (line,) = evidence.differing([spec], {}, jobs=1)
    assert f"task {spec.name} has grown too long" in line
