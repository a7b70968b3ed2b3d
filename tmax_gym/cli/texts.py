"""`tmax texts`: what authors need to write instructions, and what becomes of their texts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tmax_gym.errors import SpecError

if TYPE_CHECKING:
    from tmax_gym.authoring.write import Progress

texts = typer.Typer(no_args_is_help=True, help="Instructions: briefs, texts, checks.")
Names = Annotated[list[str] | None, typer.Argument(help="Tasks, with or without `tmax/`.")]
Family = Annotated[str | None, typer.Option(help="All tasks of this family.")]
Missing = Annotated[
    bool, typer.Option("--missing", help="Only tasks that no author has written yet.")
]
Count = Annotated[int | None, typer.Option("-n", "--count", min=1, help="At most so many.")]


@texts.command("brief")
def write_brief(
    names: Names = None, *, family: Family = None, missing: Missing = False, count: Count = None
) -> None:
    """Print what an author needs to write the texts of these tasks."""
    from tmax_gym.authoring.brief import HOW, brief
    from tmax_gym.tasks import catalogue

    print(HOW)
    for name in _chosen(names, family, missing=missing, count=count):
        print(brief(catalogue.load(name)), end="\n\n")


@texts.command("add")
def add(
    files: Annotated[list[Path], typer.Argument(help="Batches: `=== NAME`, then the text.")],
    *,
    author: Annotated[str, typer.Option(help="Who wrote them: a model or a person.")],
) -> None:
    """Check texts and store those that are right; exit status 1 if any is not."""
    from tmax_gym.authoring import batch

    wrong = 0
    for file in files:
        given = batch.parse(file.read_text(encoding="utf-8"))
        refused = batch.add(given, author=author)
        wrong += len(refused)
        for one in refused:
            print(f"{one.name}: not stored")
            print("\n".join(f"  {problem}" for problem in one.problems))
        print(f"{file}: {len(given) - len(refused)} of {len(given)} texts stored")
    if wrong:
        raise typer.Exit(1)


@texts.command("write")
def write(
    names: Names = None,
    *,
    base_url: Annotated[str, typer.Option(help="An OpenAI-compatible endpoint, with `/v1`.")],
    model: Annotated[str, typer.Option("-m", "--model", help="The model's name there.")],
    family: Family = None,
    again: Annotated[bool, typer.Option("--again", help="Also tasks that have a text.")] = False,
    count: Count = None,
    key_env: Annotated[str, typer.Option(help="Variable with the key.")] = "OPENAI_API_KEY",
    prices: Annotated[
        str, typer.Option(help="Dollars a million tokens: INPUT,OUTPUT[,CACHED].")
    ] = "",
    budget: Annotated[
        float | None, typer.Option(min=0.0, help="Most dollars, with those in the journal.")
    ] = None,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Requests at once.")] = 8,
    journal: Annotated[
        Path, typer.Option(help="File of the paid answers; a run with the same file goes on.")
    ] = Path("texts.jsonl"),
) -> None:
    """Let a language model write texts; check them, send wrong ones back, store right ones."""
    from tmax_gym.agents.client.client import Client, Connection
    from tmax_gym.authoring.write import Writer
    from tmax_gym.bench.running.endpoint import read_prices

    chosen = _chosen(names, family, missing=not again, count=count)
    client = Client(Connection(base_url, model, os.environ.get(key_env, "")))
    writer = Writer(
        client,
        author=model,
        journal=journal,
        prices=read_prices(prices),
        budget=budget,
        show=lambda progress: print(_line(progress, len(chosen)), flush=True),
    )
    done = writer.run(chosen, jobs=jobs)
    if done.stopped:
        print(f"stopped at {done.stopped}; run it again with a larger one to go on")
    if done.stopped or done.given_up or done.failed:
        raise typer.Exit(1)


@texts.command("check")
def check(*, family: Family = None) -> None:
    """Check stored texts against obligations and each other; exit status 1 if any is wrong."""
    from tmax_gym.authoring import corpus
    from tmax_gym.proofs.validate import text_problems
    from tmax_gym.tasks import catalogue
    from tmax_gym.texts import store

    names = _chosen(None, family, missing=False, count=None)
    stored = catalogue.instructions(names)
    wrong = 0
    for name in names:
        task = catalogue.load(name)
        lines = list(text_problems(task, stored[name]))
        if task.author == store.PLAIN:
            lines.append("no author has written it yet")
        wrong += bool(lines)
        for line in lines:
            print(f"{name}: {line}")
    for one in (*corpus.repeated(stored), *corpus.close(stored)):
        wrong += 1
        print(f"{one.name}: {one.what}")
    print(f"{len(names)} texts checked, {wrong} findings")
    if wrong:
        raise typer.Exit(1)


@texts.command("stats")
def stats() -> None:
    """Count texts by author and voice, and measure how much they reuse."""
    from tmax_gym.authoring import corpus
    from tmax_gym.tasks import catalogue, folder
    from tmax_gym.texts import store

    specs = catalogue.select()
    stored = catalogue.instructions(spec.name for spec in specs)
    files = {store.path(folder.texts(), spec.family) for spec in specs}
    authors = Counter(text.author for file in sorted(files) for text in store.read(file).values())
    voices = Counter(spec.voice for spec in specs)
    for title, counts in (("author", authors), ("voice", voices)):
        for name, number in counts.most_common():
            print(f"{title:<8} {name:<24} {number:>6}")
    print(f"runs of {corpus.RUN} words in more than one text: {corpus.reuse(stored):.3f}")


def _chosen(
    names: Iterable[str] | None, family: str | None, *, missing: bool, count: int | None
) -> Sequence[str]:
    """Return the names of the chosen tasks, sorted; all of the catalogue if none are named."""
    from tmax_gym.tasks import catalogue, folder
    from tmax_gym.texts import store

    if names and family:
        raise SpecError("give names of tasks or a family, not both")
    wanted = [catalogue.spec(name) for name in names] if names else catalogue.select(family=family)
    if not wanted:
        raise SpecError(f"no task is of the family {family!r}: see tmax list")
    chosen = [spec.name for spec in wanted]
    if missing:
        place = folder.texts()
        texts_of = {spec.name: store.read(store.path(place, spec.family)) for spec in wanted}
        chosen = [n for n in chosen if n not in texts_of[n] or texts_of[n][n].author == store.PLAIN]
    return sorted(chosen)[:count]


def _line(progress: Progress, total: int) -> str:
    done = progress.written + progress.given_up + progress.failed
    cost = f", ${progress.cost:.2f}" if progress.cost else ""
    return (
        f"{done}/{total}: {progress.written} written, {progress.given_up} given up, "
        f"{progress.failed} without an answer, {progress.spent.output_tokens:,} tokens{cost}"
    )
