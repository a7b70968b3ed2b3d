"""Rules of the push-policy family: each as a sentence, as a part of the hook, and with a slip.

Covers the facts that differ from depot to depot.  Does not cover the pushes that try a rule.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.contract import Context
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import slugged

ALWAYS = "names"
RULES = (
    "names", "message", "email", "size", "paths", "rewind", "delete", "merges", "tags", "modes",
    "version",
)  # fmt: skip
BARRED = (
    ("`.env`", r"(^|/)\.env$", ".env", ".env.sample"),
    ("`*.pem`", r"\.pem$", "server.pem", "pem.txt"),
    ("`*.key`", r"\.key$", "host.key", "keys.md"),
    ("`*.bak`", r"\.bak$", "table.bak", "bak.list"),
)
"""A sentence, its pattern, a path that matches, and one that does not."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one depot's policy."""

    prefixes: tuple[str, str]
    """Prefixes of the branches that people work on."""
    ticket: str
    """Prefix of ticket numbers; "" for subjects that begin with a type."""
    types: tuple[str, ...]
    longest: int
    """Characters of a subject."""
    domain: str
    limit: int
    """Bytes of a file."""
    barred: tuple[str, str, str, str]
    folder: str
    """Where files may be executable."""

    @property
    def branches(self) -> str:
        """Return the pattern of branches that may exist."""
        return rf"main|release/[0-9]+\.[0-9]+|({'|'.join(self.prefixes)})/[a-z0-9-]+"

    @property
    def subject(self) -> str:
        """Return the pattern of a subject, its length aside."""
        return rf"{self.ticket}-[0-9]+ [^ ]" if self.ticket else f"({'|'.join(self.types)}): [^ ]"


def facts(ctx: Context, rng: Rng) -> Facts:
    """Draw the facts of a policy."""
    org = slugged(ctx.skin.org(rng)).replace("_", "-")
    first, second = rng.choice(
        (("feature", "fix"), ("topic", "hotfix"), ("work", "bug"), ("task", "try"))
    )
    types = rng.choice((("feat", "fix", "docs"), ("add", "change", "remove"), ("new", "mend")))
    return Facts(
        prefixes=(first, second),
        ticket=rng.choice(ctx.skin.codes) if rng.chance(0.5) else "",
        types=types,
        longest=rng.integer(44, 60),
        domain=f"{org[:18].strip('-')}.example",
        limit=rng.integer(9, 30) * 100,
        barred=rng.choice(BARRED),
        folder=rng.choice(("bin", "tools", "scripts")),
    )


def told(rule: str, f: Facts, tags: bool) -> str:
    """Return a rule as the policy states it; `tags` is true if another rule admits tags."""
    kinds = " or ".join(f"`{t}: `" for t in f.types)
    start = f"`{f.ticket}-NUMBER `" if f.ticket else kinds
    others = (
        "For tags there is a rule of its own."
        if tags
        else "No other refs are allowed, not even tags."
    )
    return {
        "names": f"Branches are called `main`, `release/X.Y` (two numbers), `{f.prefixes[0]}/NAME` "
        f"or `{f.prefixes[1]}/NAME`, where NAME has only small letters, digits and hyphens. "
        f"{others}",
        "message": f"The first line of every commit message begins with {start}. After it "
        f"comes text, which does not begin with a blank. The line has at most {f.longest} "
        f"characters.",
        "email": f"The author's address of every commit ends in `@{f.domain}`.",
        "size": f"No commit has a file of more than {f.limit} bytes, not even one that a later "
        "commit of the same push removes.",
        "paths": f"No commit adds or changes a file {f.barred[0]}, in any directory.",
        "rewind": "`main` and release branches only move forward, so the old tip must be an "
        "ancestor of the new one. Other branches may be rewritten.",
        "delete": "Release branches and `main` must not be deleted. Other branches may be deleted.",
        "merges": "No merge commit is pushed to `main`. On other branches, merge commits are "
        "allowed.",
        "tags": "Tags are annotated and called `vX.Y.Z` (three numbers). They must not be moved or "
        "deleted.",
        "modes": f"Commits make files executable only in the top directory `{f.folder}`, and they "
        "do not add symbolic links.",
        "version": "A commit that is pushed to `release/X.Y` has a file `VERSION` with the single "
        "line X.Y.Z, where Z can be any number.",
    }[rule]


def script(rule: str, f: Facts, number: int, *, tags: bool) -> str:
    """Return the check of a rule, run for each ref: $old $new $ref $branch $commits."""
    body = {
        "names": f"[[ $branch =~ ^({f.branches})$ ]]"
        + (" || [[ $ref == refs/tags/* ]]" if tags else "")
        + " || refuse RULE name",
        "message": "subjects=$(git log --no-walk --format=%s $commits < /dev/null)\n"
        'if [ -n "$commits" ]; then\n'
        f"    grep -Evq '^{f.subject}' <<< \"$subjects\" && refuse RULE subject\n"
        f"    grep -Eq '^.{{{f.longest + 1}}}' <<< \"$subjects\" && refuse RULE length\nfi",
        "email": '[ -n "$commits" ] && git log --no-walk --format=%ae $commits |'
        f" grep -Evq '@{f.domain.replace('.', chr(92) + '.')}$' && refuse RULE author",
        "size": '[ -n "$commits" ] && git rev-list --objects "$new" --not --all |\n'
        "    git cat-file --batch-check='%(objecttype) %(objectsize) %(rest)' |\n"
        f"    awk '$1 == \"blob\" && $2 > {f.limit} {{ big = 1 }} END {{ exit !big }}' "
        "&& refuse RULE size",
        "paths": '[ -n "$commits" ] && git log --no-walk -m --name-only --diff-filter=d '
        f"--format= $commits |\n    grep -Eq '{f.barred[1]}' && refuse RULE path",
        "rewind": 'if [[ $branch =~ ^(main|release/.*)$ && $old != "$zero" && $new != "$zero" ]]'
        '; then\n    git merge-base --is-ancestor "$old" "$new" || refuse RULE rewind\nfi',
        "delete": '[[ $branch =~ ^(main|release/.*)$ && $new == "$zero" ]] && refuse RULE deletion',
        "merges": "[[ $branch == main && -n $commits ]] &&\n"
        '    [ -n "$(git rev-list --merges "$new" --not --all)" ] && refuse RULE merge',
        "tags": "if [[ $ref == refs/tags/* ]]; then\n"
        '    [[ $ref =~ ^refs/tags/v[0-9]+\\.[0-9]+\\.[0-9]+$ && $old == "$zero" ]] || '
        "refuse RULE tag\n"
        '    [ "$(git cat-file -t "$new")" = tag ] || refuse RULE tag\nfi',
        "modes": '[ -n "$commits" ] && git log --no-walk -m --raw --format= $commits |\n'
        f"    grep -v $'\\t{f.folder}/' | grep -Eq '^:[0-9]+ 100755' && refuse RULE mode\n"
        '[ -n "$commits" ] && git log --no-walk -m --raw --format= $commits |\n'
        "    grep -Eq '^:[0-9]+ 120000' && refuse RULE link",
        "version": "if [[ $branch == release/* && $new != $zero ]]; then\n"
        "    line=${branch#release/}\n"
        '    [[ $(git show "$new:VERSION" 2> /dev/null) =~ ^"$line"[.][0-9]+$ ]] || '
        "refuse RULE version\nfi",
    }[rule]
    return body.replace("refuse RULE", f"refuse {number}")


def slip(rule: str, right: str, f: Facts) -> str:
    """Return a rule with a typical mistake."""
    old, new = {
        "names": ("$ ]]", " ]]"),
        "message": ("--no-walk --format=%s $commits", "-1 --format=%s $new"),
        "email": (f"'@{f.domain.replace('.', chr(92) + '.')}$'", f"'{f.domain}'"),
        "size": (f"> {f.limit} ", f">= {f.limit} "),
        "paths": ("--no-walk -m", "-1 -m"),
        "rewind": ("$branch =~ ^(main|release/.*)$", "-n $branch"),
        "delete": ("$branch =~ ^(main|release/.*)$", "-n $branch"),
        "merges": ("$branch == main", "-n $branch"),
        "tags": ("= tag ]", "!= blob ]"),
        "modes": (f"grep -v $'\\t{f.folder}/' | ", ""),
        "version": ("[0-9]+$ ]]", "[0-9]+ ]]"),
    }[rule]
    if old not in right:
        raise ValueError(f"the slip of {rule!r} changes nothing: {old!r} is not in it")
    return right.replace(old, new)
