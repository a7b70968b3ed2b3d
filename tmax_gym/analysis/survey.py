"""Take every measure of this package in one pass over the tasks of a catalogue.

Instructions are read, and tasks are expanded for measures of their solutions.  Of an expanded
task only numbers are kept, so that memory does not grow with the worlds.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tmax_gym.analysis.findings import NEAR, Closeness, Shape, Solutions, Survey, Wording
from tmax_gym.analysis.measures import texts
from tmax_gym.analysis.measures.balance import Tally
from tmax_gym.analysis.measures.difficulty import Features, answer_bits, features
from tmax_gym.analysis.measures.dropout import BUCKETS, Dropped, measured, rates
from tmax_gym.analysis.measures.neighbours import nearest
from tmax_gym.analysis.measures.programs import Use, profile
from tmax_gym.analysis.measures.structure import clusters
from tmax_gym.errors import SpecError
from tmax_gym.families import slugs
from tmax_gym.nodes import digest
from tmax_gym.reports.statistics import Run
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.tasks.curriculum import blind_trials
from tmax_gym.tasks.curriculum.blind_trials import Tried
from tmax_gym.tasks.spec import TaskSpec
from tmax_gym.texts.store import PLAIN

SAMPLE = 1000
"""Texts for the comparison of neighbours with the reference: larger sets have nearer neighbours,
so that only equal sizes compare."""
LOCKS = re.compile(r"\b(passwords?|passphrases?|openssl)\b", re.I)
"""Words of a text that hides a part of a task, or is about secrets."""
TOP = 25
"""Number of reused passages in the report."""


def survey(
    specs: Sequence[TaskSpec],
    *,
    expand: int | None = None,
    dropped: Sequence[Dropped] = (),
    run: Run | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Survey:
    """Return all measures of a part of the stored catalogue, or of the whole.

    Args:
        specs: Tasks, at least two.
        expand: Number of tasks to expand for their solutions, evenly spaced; all if None.
        dropped: The rewards of the dropout agent (`play.py`).
        run: Trials of an agent, which are reported by complexity.
        progress: Called with the name of every expanded task.

    Raises:
        SpecError: There are fewer than two tasks, one has no stored instruction, or one
            regenerates differently.
    """
    if len(specs) < 2:
        raise SpecError(
            f"the catalogue has {len(specs)} tasks, which cannot be compared.\n"
            "Write it with: tmax catalogue build"
        )
    count = len(specs) if expand is None else min(expand, len(specs))
    some = [specs[i * len(specs) // count] for i in range(count)]
    stored = catalogue.texts(spec.name for spec in specs)
    tried = [tried for each in dropped for tried in each.tried]
    if run:
        tried += measured(run, {spec.name: spec.complexity for spec in specs})
    return Survey(
        tally=tallied(specs),
        wording=wording(specs, [stored[spec.name].text for spec in specs]),
        shape=shape(specs),
        solutions=solutions(some, progress=progress) if some else None,
        dropped=tuple(dropped),
        written=sum(text.author != PLAIN for text in stored.values()) / len(specs),
        rates=rates(tried),
        blind=blind(),
    )


def blind() -> tuple[tuple[str, Tried], ...]:
    """Return the stored blind trials by complexity, easiest first, and then by domain."""
    counts = blind_trials.stored()
    by_complexity, by_domain = counts["complexity"], counts["domain"]
    rows = [(bucket, by_complexity[bucket]) for bucket in BUCKETS if bucket in by_complexity]
    return (*rows, *sorted(by_domain.items()))


def tallied(specs: Iterable[TaskSpec]) -> Tally:
    """Return the counts of specs."""
    tally = Tally()
    for spec in specs:
        tally.add(spec)
    return tally


def wording(specs: Sequence[TaskSpec], instructions: Sequence[str]) -> Wording:
    """Return the measures of the instructions, of which at least two are needed."""
    families = [spec.family for spec in specs]
    hashed = [texts.grams(text) for text in instructions]
    whole = nearest([texts.tokens(text) for text in instructions])
    part = nearest([texts.tokens(text) for text in texts.spread(instructions, SAMPLE)])
    reuse = texts.reuse(hashed, families)
    columns = (whole.cosine, reuse.shares, reuse.across)
    known = texts.benchmark_grams()
    return Wording(
        words=texts.percentiles([len(text.split()) for text in instructions]),
        distinct=(
            texts.distinct(instructions, 1),
            texts.distinct(instructions, 2),
            texts.distinct(instructions, 3),
        ),
        sampled=_closeness(part.cosine, part.mean),
        whole=_closeness(whole.cosine, whole.mean),
        cosines=whole.cosine,
        reuse=reuse.mean,
        across=reuse.mean_across,
        growth=tuple((len(hashed[::step]), texts.reuse(hashed[::step]).mean) for step in (4, 2, 1)),
        by_family=_by(families, columns),
        by_voice=_by([spec.voice for spec in specs], columns),
        repeated=tuple(texts.repeated(instructions, hashed, top=TOP)),
        contaminated=tuple(specs[i].name for i in texts.contaminated(hashed, known)),
        locked=sum(LOCKS.search(text) is not None for text in instructions) / len(instructions),
    )


def _closeness(cosines: Sequence[float], mean: float) -> Closeness:
    near = sum(cosine > NEAR for cosine in cosines) / len(cosines)
    return Closeness(len(cosines), statistics.median(cosines), near, mean)


def _by(
    labels: Sequence[str], columns: tuple[Sequence[float], ...]
) -> tuple[tuple[str, float, float, float], ...]:
    """Return, by label, the median of the first column and the means of the others."""
    result = []
    for label in sorted(set(labels)):
        own = [i for i, other in enumerate(labels) if other == label]
        cosines, shares, across = ([column[i] for i in own] for column in columns)
        means = statistics.fmean(shares), statistics.fmean(across)
        result.append((label, statistics.median(cosines), *means))
    return tuple(result)


def shape(specs: Sequence[TaskSpec]) -> Shape:
    """Return the measures of the plans."""
    families = Counter(spec.family for spec in specs)
    graphs = [tuple(stage.family for stage in spec.plan) for spec in specs]
    links = [
        {(spec.plan[ref.product[0]].family, ref.family) for ref in spec.plan if ref.product}
        for spec in specs
    ]
    own = set(slugs())
    firsts = Counter(first for some in links for first in {first for first, _ in some} & own)
    return Shape(
        families=tuple(sorted(families.items(), key=lambda item: (-item[1], item[0]))),
        family_skin=max(Counter((spec.family, spec.skin) for spec in specs).values()),
        graphs=len(set(graphs)),
        graph=max(Counter(graphs).values()),
        pairs=len(set[tuple[str, str]]().union(*links)),
        firsts=tuple(sorted(firsts.items(), key=lambda item: (-item[1], item[0]))),
    )


def solutions(
    specs: Sequence[TaskSpec], *, progress: Callable[[str], None] = lambda _: None
) -> Solutions:
    """Expand tasks one by one and return the measures of their solutions and worlds."""
    measured: list[Features] = []
    prints: list[frozenset[Use]] = []
    programs: Counter[str] = Counter()
    worlds: dict[str, list[str]] = {}
    hidden: dict[str, list[tuple[str, str]]] = {}
    for spec in specs:
        task = compose(spec)
        runs = profile(task.oracle)
        measured.append(features(task, runs))
        prints.append(runs.fingerprint)
        programs.update(set(runs.programs))
        worlds.setdefault(_files(task), []).append(spec.name)
        hidden[spec.name] = list(_hidden(task))
        progress(spec.name)
    alike = clusters(prints)
    first = Counter(specs[i].family for i in alike.members)
    return Solutions(
        names=tuple(spec.name for spec in specs),
        complexities=tuple(spec.complexity for spec in specs),
        features=tuple(measured),
        clusters=alike,
        fingerprints=len(set(prints)),
        cluster_families=tuple(sorted(first.items(), key=lambda item: (-item[1], item[0]))),
        programs=tuple(sorted(programs.items(), key=lambda item: (-item[1], item[0]))),
        worlds=len(worlds),
        same_worlds=tuple(tuple(own) for own in worlds.values() if len(own) > 1),
        bits=tuple(sorted(answer_bits(hidden).values())),
    )


def _files(task: Task) -> str:
    """Return a digest of the files of a task, the words of documents included."""
    return digest(replace(node, canonical=None) for node in task.nodes)


def _hidden(task: Task) -> Iterable[tuple[str, str]]:
    """Yield (kind, value): values at one place of one family's list are of one kind."""
    for stage in task.stages:
        for place, value in enumerate(stage.world.hidden):
            yield f"{stage.family.slug}/{place}", value
