"""The depot of the push-policy family: its history, and pushes that try the rules.

Covers pushes that break one rule each, and pushes that only look as if they did.  Does not cover
hooks, nor the pushes on which the pipeline is tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tmax_gym.families.contract import Context
from tmax_gym.families.system_administration.push_policy.rules import Facts
from tmax_gym.rng import Rng
from tmax_gym.world.repository import Blob, Person, Repository, Snapshot

START = 1_700_000_000
"""2023-11-14 22:13:20 UTC, when the first commit was made."""
BASE = "1.2"
"""The release branch that exists from the start."""


@dataclass(frozen=True, slots=True)
class Push:
    """One push: what it sends, and which rule it breaks."""

    name: str
    refspecs: tuple[str, ...]
    rule: str = ""
    """"" for one that must be accepted."""
    keep: bool = False
    site: Mapping[str, tuple[str, str]] | None = None
    """Expected content of the site, where the pipeline is tested."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The pipeline that follows an accepted push."""

    steps: str
    """The file in the pushed tree."""
    out: str
    """The directory that steps fill."""
    live: str
    """The link to the build of `main`."""
    digits: int
    releases: bool
    """Release branches are published too."""
    pruned: bool
    """Builds that no link leads to are removed."""
    told: bool
    """Steps learn the branch and the revision from their environment."""


@dataclass(slots=True)
class Depot:
    """A repository under construction, and its authors."""

    ctx: Context
    rng: Rng
    facts: Facts
    pipeline: Pipeline
    repository: Repository = field(default_factory=Repository)
    clock: int = START
    made: int = 0
    refs: dict[str, str] = field(default_factory=dict)
    tips: dict[str, str] = field(default_factory=dict)
    """Commits by the names that pushes use: m1, m2, m3, r1, f1, f2."""
    stem: str = ""

    def person(self) -> Person:
        """Return somebody of the organisation."""
        name = self.ctx.skin.person(self.rng.fork("person", self.made))
        return Person(name, f"{self.ctx.skin.login(name)}@{self.facts.domain}")

    def subject(self) -> str:
        """Return a first line that fulfils the policy."""
        r = self.rng.fork("subject", self.made)
        f = self.facts
        start = f"{f.ticket}-{r.integer(10, 9999)} " if f.ticket else f"{r.choice(f.types)}: "
        return (start + self.ctx.skin.event(r))[: f.longest].rstrip()

    def commit(
        self,
        parents: Sequence[str],
        changes: Mapping[str, str | Blob | None],
        *,
        subject: str = "",
        email: str = "",
    ) -> str:
        """Add a commit on top of others; None removes a file."""
        self.made += 1
        self.clock += self.rng.fork("clock", self.made).integer(600, 90_000)
        files: dict[str, bytes | str | Blob] = {}
        for parent in reversed(parents):
            files |= self.repository.snapshots[parent]
        for path, content in changes.items():
            files.pop(path, None)
            if content is not None:
                files[path] = content
        snapshot: Snapshot = files
        author = self.person()
        body = "\n\nAsked for by the night shift.\n" if self.made % 3 == 0 else "\n"
        return self.repository.commit(
            snapshot,
            (subject or self.subject()) + body,
            author=replace(author, email=email) if email else author,
            committer=author,
            when=self.clock,
            parents=tuple(parents),
        )

    def note(self) -> dict[str, str | Blob | None]:
        """Return a harmless change."""
        return {
            f"src/{self.stem}.txt": f"{self.ctx.skin.event(self.rng.fork('note', self.made))}\n"
        }


def history(depot: Depot) -> None:
    """Make the history of the depot; its first commit breaks every rule."""
    f, rng = depot.facts, depot.rng.fork("history")
    depot.stem = depot.ctx.skin.stem(rng)
    legacy: dict[str, str | Blob | None] = {
        "README": f"{depot.ctx.skin.org(rng)}\n",
        "VERSION": "1.1.0\n",
        f"old/{f.barred[2]}": "left over\n",
        "old/convert": Blob(b"#!/bin/sh\n", executable=True),
        "old/table.txt": "x" * (f.limit + 400) + "\n",
        depot.pipeline.steps: _steps(depot.pipeline, depot.stem),
        **depot.note(),
    }
    t = depot.tips
    t["m1"] = depot.commit(
        (), legacy, subject="Initial import of everything", email="root@localhost"
    )
    t["m2"] = depot.commit([t["m1"]], depot.note())
    t["r1"] = depot.commit([t["m2"]], {"VERSION": f"{BASE}.0\n"})
    t["m3"] = depot.commit([t["m2"]], depot.note())
    t["f1"] = depot.commit([t["m2"]], {"src/more.txt": "more\n"})
    t["f2"] = depot.commit([t["f1"]], {"src/most.txt": "most\n"})
    person, when = depot.person(), depot.clock
    tag = depot.repository.tag("v1.1.0", t["m2"], "First release", tagger=person, when=when)
    depot.refs = {
        "refs/heads/main": t["m3"],
        f"refs/heads/release/{BASE}": t["r1"],
        f"refs/heads/{depot.facts.prefixes[0]}/more": t["f2"],
        "refs/tags/v1.1.0": tag,
    }
    depot.repository.refs = dict(depot.refs)


def pushes(depot: Depot, rules: Sequence[str]) -> tuple[Push, ...]:
    """Return pushes that break one rule each, and others that break none."""
    tried = _Trials(depot, depot.tips, depot.facts.prefixes[1])
    pushes = [push for rule in rules for push in getattr(tried, rule)()]
    if "tags" in rules:
        pushes = [push for push in pushes if push.name != "a tag"]
    return tuple(pushes)


@dataclass(frozen=True, slots=True)
class _Trials:
    """The pushes by which each rule is tried."""

    depot: Depot
    tips: Mapping[str, str]
    prefix: str

    def _good(self, on: str = "m3") -> str:
        return self.depot.commit([self.tips[on]], self.depot.note())

    def _one(self, changes: Mapping[str, str | Blob | None], *, subject: str = "") -> str:
        return self.depot.commit([self.tips["m3"]], changes, subject=subject)

    def _topic(self, target: str) -> str:
        word = self.depot.ctx.skin.stem(self.depot.rng.fork("topic", target)).replace("_", "-")
        return f"{target}:refs/heads/{self.prefix}/{word}-{len(word)}"

    def names(self) -> list[Push]:
        good = self._good()
        release = self.depot.commit([self.tips["m3"]], {"VERSION": "2.10.0\n"})
        upper = f"{good}:refs/heads/{self.prefix}/Odd_Name"
        return [
            Push("main-old", (f"{good}:refs/heads/main-old",), "names"),
            Push("odd name", (upper,), "names"),
            Push("a tag", (f"{good}:refs/tags/v7",), "names"),
            Push("topic", (self._topic(good),)),
            Push("release", (f"{release}:refs/heads/release/2.10",)),
            Push("two refs", (f"{good}:refs/heads/main", f"{good}:refs/heads/wip"), "names"),
        ]

    def message(self) -> list[Push]:
        f = self.depot.facts
        wrong = f"Re{self.depot.subject()}"
        below = self._one(self.depot.note(), subject=wrong)
        top = self.depot.commit([below], self.depot.note())
        start = self.depot.subject() + " and"
        long = self._one(self.depot.note(), subject=start + "x" * (f.longest + 1 - len(start)))
        full = self._one(self.depot.note(), subject=start + "x" * (f.longest - len(start)))
        if len(start) > f.longest:
            full = self._good()
        return [
            Push("subject below the tip", (f"{top}:refs/heads/main",), "message"),
            Push("long subject", (self._topic(long),), "message"),
            Push("full subject", (f"{full}:refs/heads/main",)),
        ]

    def email(self) -> list[Push]:
        note, on = self.depot.note(), [self.tips["m3"]]
        longer = self.depot.commit(on, note, email=f"a@{self.depot.facts.domain}.net")
        below = self.depot.commit(on, note, email=f"a@mail.{self.depot.facts.domain}")
        top = self.depot.commit([below], self.depot.note())
        return [
            Push("longer domain", (f"{longer}:refs/heads/main",), "email"),
            Push("address below the tip", (self._topic(top),), "email"),
            Push("fine address", (f"{self._good()}:refs/heads/main",)),
        ]

    def size(self) -> list[Push]:
        limit = self.depot.facts.limit
        below = self._one({"src/big.txt": "b" * (limit + 1)})
        top = self.depot.commit([below], {"src/big.txt": None})
        exact = self._one({"src/big.txt": "c" * limit})
        return [
            Push("big below the tip", (f"{top}:refs/heads/main",), "size"),
            Push("just fits", (self._topic(exact),)),
        ]

    def paths(self) -> list[Push]:
        _, _, bad, like = self.depot.facts.barred
        below = self._one({f"src/deep/{bad}": "secret\n"})
        top = self.depot.commit([below], {f"src/deep/{bad}": None, "src/tidy.txt": "tidied\n"})
        fine = self._one({f"src/{like}": "nothing\n", f"old/{bad}": None})
        return [
            Push("file below the tip", (f"{top}:refs/heads/main",), "paths"),
            Push("similar name", (self._topic(fine),)),
        ]

    def rewind(self) -> list[Push]:
        aside = self.depot.commit([self.tips["m2"]], {"VERSION": f"{BASE}.7\n"})
        topic = f"refs/heads/{self.depot.facts.prefixes[0]}/more"
        return [
            Push("main back", (f"+{self.tips['m2']}:refs/heads/main",), "rewind"),
            Push("release aside", (f"+{aside}:refs/heads/release/{BASE}",), "rewind"),
            Push("topic back", (f"+{self.tips['f1']}:{topic}",)),
        ]

    def delete(self) -> list[Push]:
        topic = f"refs/heads/{self.depot.facts.prefixes[0]}/more"
        return [
            Push("release gone", (f":refs/heads/release/{BASE}",), "delete"),
            Push("topic gone", (f":{topic}",)),
        ]

    def merges(self) -> list[Push]:
        ours, theirs = self.tips["m3"], self.tips["f2"]
        onto_main = self.depot.commit([ours, theirs], {})
        onto_topic = self.depot.commit([theirs, ours], {})
        topic = f"refs/heads/{self.depot.facts.prefixes[0]}/more"
        return [
            Push("merge into main", (f"{onto_main}:refs/heads/main",), "merges"),
            Push("merge into topic", (f"{onto_topic}:{topic}",)),
        ]

    def tags(self) -> list[Push]:
        person, when, tip = self.depot.person(), self.depot.clock, self.tips["m3"]

        def tag(name: str, target: str) -> str:
            repository = self.depot.repository
            return repository.tag(name, target, "Release", tagger=person, when=when)

        fine, odd = tag("v1.3.0", tip), tag("release-1", tip)
        return [
            Push("plain tag", (f"{tip}:refs/tags/v1.2.0",), "tags"),
            Push("tag named otherwise", (f"{odd}:refs/tags/release-1",), "tags"),
            Push("tag moved", (f"+{fine}:refs/tags/v1.1.0",), "tags"),
            Push("fine tag", (f"{fine}:refs/tags/v1.3.0",)),
        ]

    def modes(self) -> list[Push]:
        program = Blob(b"#!/bin/sh\necho\n", executable=True)
        away = self._one({f"src/{self.depot.facts.folder}/run": program})
        link = self._one({"src/latest": Blob(b"more.txt", link=True)})
        fine = self._one({f"{self.depot.facts.folder}/run": program})
        return [
            Push("program elsewhere", (f"{away}:refs/heads/main",), "modes"),
            Push("link", (self._topic(link),), "modes"),
            Push("program in its place", (f"{fine}:refs/heads/main",)),
        ]

    def version(self) -> list[Push]:
        on = [self.tips["r1"]]
        stale = self.depot.commit(on, {"VERSION": f"{BASE}.1-rc2\n"})
        fine = self.depot.commit(on, {"VERSION": f"{BASE}.14\n"})
        return [
            Push("odd version", (f"{stale}:refs/heads/release/{BASE}",), "version"),
            Push("next version", (f"{fine}:refs/heads/release/{BASE}",)),
        ]


def _steps(flow: Pipeline, stem: str) -> str:
    """Return the steps file of every tree."""
    stamp = f'stamp echo "$CI_BRANCH $CI_REVISION" > {flow.out}/revision\n' if flow.told else ""
    return (
        "# step, command\n"
        "lint ! grep -rq FIXME src\n"
        f"build mkdir {flow.out} && sed 's/^/- /' src/{stem}.txt > {flow.out}/{stem}.txt\n"
        f"{stamp}"
        f"\nlist ls src > {flow.out}/list.txt && test -s VERSION\n"
    )
