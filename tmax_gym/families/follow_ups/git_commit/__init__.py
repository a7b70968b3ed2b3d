"""Follow-up: the agent commits what it edited to a git repository, with a history to keep."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from shlex import quote

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, fraction
from tmax_gym.families.contract import Attempt, Following, FollowUp
from tmax_gym.families.follow_ups.git_commit.objects import Commit, Store, commit
from tmax_gym.families.follow_ups.git_commit.plan import Versioned, decided
from tmax_gym.families.products import Edits
from tmax_gym.families.shared import edited
from tmax_gym.nodes import Node
from tmax_gym.texts.obligations import Obligation

EXECUTABLE = 0o100


class GitCommit(FollowUp[Edits, Versioned]):
    """One commit on top of a history, on a stated branch."""

    slug = "git-commit"
    tools = ("bash", "git")
    works_on = Edits

    def world(self, ctx: Following[Edits]) -> Versioned:
        """Return a repository with the original files, and what the commit must look like."""
        return decided(ctx)

    def oracle(self, ctx: Following[Edits], world: Versioned) -> tuple[str, ...]:
        """Return the branch, the copies, the commit and the tag."""
        return _committed(ctx, world)

    def checks(self, ctx: Following[Edits], world: Versioned) -> tuple[Check | Gate, ...]:
        """Return checks of the files in the commit, of its message, and of the repository."""

        def opened(evidence: Evidence) -> tuple[Store, Commit, float]:
            return _opened(evidence, ctx.product, world)

        def files(evidence: Evidence) -> float:
            _, _, share = opened(evidence)
            return exact.reduced(share)

        def message(evidence: Evidence) -> float:
            _, made, share = opened(evidence)
            ends = made.lines[-2:] == ("", world.trailer) or not world.trailer
            kept = (made.author == world.author, made.lines[0] == world.subject, ends)
            return share * fraction(sum(kept), len(kept))

        def state(evidence: Evidence) -> float:
            store, made, share = opened(evidence)
            kept = (
                store.head == f"refs/heads/{world.branch}",
                _refs_kept(store, world),
                not world.tag or _tagged(store, world),
                _clean(evidence, store, made, world.repo),
            )
            return share * fraction(sum(kept), len(kept))

        return (
            Check("files", "exact_text", files, weight=0.5),
            Check("message", "exact_text", message, weight=0.2),
            Check("state", "exact_text", state, weight=0.3),
        )

    def say(self, ctx: Following[Edits], world: Versioned) -> tuple[Obligation, ...]:
        """Return where the files go, and what the commit and the repository must be like."""
        product, folder = ctx.product, f"{world.repo}/{world.place}".rstrip("/")
        new = world.branch != world.main
        where = (
            f"a new branch `{world.branch}` that starts there, and leave this branch checked out"
            if new
            else f"`{world.main}`"
        )
        ending = f", and its last line, after an empty one, is `{world.trailer}`"
        return (
            Obligation(
                "goal",
                f"Commit your final version of the {product.noun} in `{product.root}` to the git "
                f"repository `{world.repo}`.",
                "goal",
            ),
            Obligation(
                "place",
                f"There, `{folder}` has the original files, at the same paths as below "
                f"`{product.root}`. Replace those that you have changed, and do not change, add or "
                "remove anything else.",
                "input",
            ),
            Obligation(
                "branch",
                f"The branch `{world.main}` is checked out. Make exactly one commit on {where}.",
            ),
            Obligation(
                "message",
                f"The first line of the commit message is `{world.subject}`"
                f"{ending if world.trailer else ''}. The author of the commit is "
                f"`{world.author}`.",
                "format",
            ),
            *_about_tag(world),
            _about_end(world),
        )

    def mutants(self, ctx: Following[Edits], world: Versioned) -> tuple[Attempt, ...]:
        """Return other branches, authors, messages, untracked files, and an amended commit."""
        right = _committed(ctx, world)
        amended = right[-1].replace("commit -q", "commit --amend -q")
        other = "backup" if world.branch == world.main else world.main
        wrong = {
            "another author": _committed(ctx, replace(world, author="root <root@localhost>")),
            "another branch": _committed(ctx, replace(world, branch=other)),
            "another message": _committed(ctx, replace(world, subject=f"{world.subject}.")),
            "a file is left": (*right, f"touch {world.repo}/notes.orig"),
            "not committed": right[:-1],
            "amended": (*right[:-1], amended),
        }
        return tuple(Attempt(name, commands) for name, commands in wrong.items())

    def exploits(self, ctx: Following[Edits], world: Versioned) -> tuple[Attempt, ...]:
        """Return a commit without changes, and one with other changes."""
        *_, add, finish = _committed(ctx, world)
        start = _begun(world)
        other = f"echo >> {world.repo}/{world.place}{edited.in_order(ctx.product)[0]}"
        forced = finish.replace("commit -q", "commit --allow-empty -q")
        return (
            Attempt("empty", (*start, add, forced)),
            Attempt("another change", (*start, other, add, finish)),
        )


def _begun(world: Versioned) -> tuple[str, ...]:
    """Return the commands before the copies: into the repository, and the branch."""
    switch = f"git switch -q -c {world.branch}"
    return (f"cd {world.repo}; git status; git log --oneline",
            *([switch] if world.branch != world.main else []))  # fmt: skip


def _committed(ctx: Following[Edits], world: Versioned) -> tuple[str, ...]:
    """Return commands that copy the files and commit them."""
    names = edited.words(edited.in_order(ctx.product))
    to = f"./{world.place}$f"
    name, _, mail = world.author.rstrip(">").partition(" <")
    message = f"-m {quote(world.subject)}" + (f" -m {quote(world.trailer)}" * bool(world.trailer))
    tagged = f"; git tag {world.tag}" if world.tag else ""
    return (
        *_begun(world),
        f"for f in {names}; do cat {ctx.product.root}/$f > {to}; done; git diff --stat",
        f"git config user.name {quote(name)}; git config user.email {mail}; git add -A",
        f"git commit -q {message}{tagged}; git status --short; cd /",
    )


def _opened(evidence: Evidence, product: Edits, world: Versioned) -> tuple[Store, Commit, float]:
    """Return the repository, the commit on the branch, and the share of its files."""
    now = edited.changed(evidence, product)
    store = _store(evidence, world.repo)
    made = commit(store, store.ref(f"refs/heads/{world.branch}"))
    if made.parents != (world.tip,):
        raise BadOutput(f"{world.branch} is no commit on top of {world.main}")
    return store, made, _share(store, made, world, now)


def _store(evidence: Evidence, repo: str) -> Store:
    home = f"{repo}/.git/"
    files = [n for n in evidence.tree(repo) if n.path.startswith(home) and n.kind == "file"]
    return Store({n.path.removeprefix(home): n.data for n in files if n.data is not None})


def _share(store: Store, made: Commit, world: Versioned, now: Mapping[str, bytes]) -> float:
    """Return the share of files that are right, of all that did or should change."""
    wanted = {**world.snapshot, **{world.place + path: body for path, body in now.items()}}
    tree = store.tree(made.tree)
    bodies = {path: store.read(name, "blob") for path, (mode, name) in tree.items()
              if mode.startswith("100") and path in wanted}  # fmt: skip
    touched = {path for path in {*tree, *wanted} if bodies.get(path) != world.snapshot.get(path)}
    touched |= {path for path in tree if path not in wanted}
    should = {path for path in wanted if wanted[path] != world.snapshot.get(path)}
    right = sum(bodies.get(path) == wanted[path] for path in should)
    return fraction(right, len(touched | should))


def _refs_kept(store: Store, world: Versioned) -> bool:
    """Return whether other branches and tags are where they were, with their history."""
    moved = f"refs/heads/{world.branch}"
    names = [commit(store, target).tree for target in world.refs.values()]
    return bool(names) and all(
        store.ref(name) == target for name, target in world.refs.items() if name != moved
    )


def _tagged(store: Store, world: Versioned) -> bool:
    """Return whether the tag leads to the commit, directly or as an annotated one."""
    target, wanted = store.ref(f"refs/tags/{world.tag}"), store.ref(f"refs/heads/{world.branch}")
    if target in ("", wanted):
        return target == wanted
    return store.read(target, "tag").startswith(f"object {wanted}\n".encode())


def _clean(evidence: Evidence, store: Store, made: Commit, repo: str) -> bool:
    """Return whether the index and the files are those of the commit."""
    tree = store.tree(made.tree)
    if store.index() != tree:
        return False
    there = {
        posixpath.relpath(node.path, repo): node
        for node in evidence.tree(repo)
        if node.kind != "dir" and not node.path.startswith(f"{repo}/.git/")
    }
    return there.keys() == tree.keys() and all(
        _is(there[path], mode, store.read(name, "blob")) for path, (mode, name) in tree.items()
    )


def _is(node: Node, mode: str, body: bytes) -> bool:
    kind = "100755" if node.mode & EXECUTABLE else "100644"
    return node.kind == "file" and node.data == body and mode == kind


def _about_tag(world: Versioned) -> tuple[Obligation, ...]:
    if not world.tag:
        return ()
    return (Obligation("tag", f"Put the tag `{world.tag}` on your commit.", "output"),)


def _about_end(world: Versioned) -> Obligation:
    others = f"The branch `{world.main}`, the tags and all earlier commits"
    if world.branch == world.main:
        others = "All earlier commits and tags"
    return Obligation(
        "state",
        "In the end, `git status` must show no changes and no untracked files. "
        f"{others} must stay as they are.",
        "limit",
    )


FOLLOW_UP = GitCommit()
