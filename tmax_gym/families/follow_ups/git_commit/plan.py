"""What one task of git-commit decides, and the repository with its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.families.contract import Following, World
from tmax_gym.families.products import Edits
from tmax_gym.families.shared import edited
from tmax_gym.world.repository import Person, Repository, Snapshot

START = 1_706_000_000
OWNERS = "OWNERS"
"""A file of the repository that is no part of the product."""
PLACES = ("", "", "vendor/", "src/", "files/")
TRAILERS = ("Ticket", "Refs", "Issue", "Change")


@dataclass(frozen=True, kw_only=True)
class Versioned(World):
    """The decided facts."""

    repo: str
    place: str
    """The folder of the files in the repository, with a slash at its end; "" for its top."""
    main: str
    branch: str
    """The branch for the commit, which may be `main`."""
    subject: str
    trailer: str
    """The last line of the message, or "" """
    author: str
    tag: str
    """The tag for the commit, or "" """
    tip: str
    refs: Mapping[str, str]
    """References that must stay, with their objects."""
    snapshot: Mapping[str, bytes]
    """The files of the last commit."""


def decided(ctx: Following[Edits]) -> Versioned:
    """Return a repository with the original files, and what the commit must look like."""
    rng = ctx.rng.fork("commit")
    repo = ctx.path(rng.choice(("repo", "repository", "checkout", "sources")))
    place, main = rng.choice(PLACES), rng.choice(("main", "master", "trunk"))
    ticket, noun = ctx.skin.code(rng), ctx.product.noun
    first = (
        f"{ticket}: repair the {noun}",
        f"Repair the {noun} ({ticket})",
        f"fix: mend the {noun}",
    )
    fresh = (f"repair-{ticket.lower()}", f"fix/{ticket}", f"{ticket.lower()}-repair")
    major = rng.integer(1, 3)
    repository, snapshot = history(ctx, place=place, main=main, tag=f"v{major}.3")
    name = ctx.skin.person(rng)
    return Versioned(
        nodes=repository.nodes(repo),
        outputs=(repo,),
        volatile=(f"{repo}/.git",),
        repo=repo,
        place=place,
        main=main,
        branch=rng.choice((main, rng.choice(fresh), rng.choice(fresh))),
        subject=rng.choice(first),
        trailer=f"{rng.choice(TRAILERS)}: {ticket}" if rng.chance(0.6) else "",
        author=f"{name} <{ctx.skin.login(name)}@example.org>",
        tag=rng.choice((f"v{major}.4", "")),
        tip=repository.tip(),
        refs=dict(repository.refs),
        snapshot=snapshot,
    )


def history(
    ctx: Following[Edits], *, place: str, main: str, tag: str
) -> tuple[Repository, dict[str, bytes]]:
    """Return a repository whose last commit has all files, and the files of this commit."""
    rng = ctx.rng.fork("history")
    repository = Repository(head=f"refs/heads/{main}")
    people = ctx.skin.people(rng, 3)
    authors = [Person(name, f"{ctx.skin.login(name)}@example.org") for name in people]
    files = {OWNERS: "".join(f"{name}\n" for name in people).encode()}
    paths = edited.in_order(ctx.product)
    count, last, when = ctx.knob(3, 6), "", START
    for number in range(count):
        for path in paths[number * len(paths) // count : (number + 1) * len(paths) // count]:
            files[place + path] = ctx.product.before[path]
        if number < count - 1:
            files[OWNERS] += f"{ctx.skin.place(rng)}: {rng.choice(people)}\n".encode()
        when += rng.integer(3_000, 300_000)
        snapshot: Snapshot = dict(files)
        last = repository.commit(
            snapshot,
            rng.choice(
                ("Add more files", "Import", "New owners", f"After the {ctx.skin.event(rng)}")
            ),
            author=rng.choice(authors),
            when=when,
            parents=(last,) if last else (),
            branch=main,
        )
        if number == count - 2:
            repository.tag(tag, last)
    return repository, files
