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
    *some, final = (f"`{t}: `" for t in f.types)
    kinds = f"{', '.join(some)} or {final}"
    start = f"`{f.ticket}-NUMBER `" if f.ticket else kinds
    others = (
        "Tags have their own rule, and no other refs are allowed."
        if tags
        else "No other refs are allowed, not even tags."
    )
    return {
        "names": "Branches are called `main`, `release/X.Y` (X and Y are numbers), "
        f"`{f.prefixes[0]}/NAME` or `{f.prefixes[1]}/NAME`, where NAME consists only of lowercase "
        f"letters, digits and hyphens. {others}",
        "message": f"The first line of every commit message begins with {start}, followed by "
        f"text that does not begin with another space. The line has at most {f.longest} "
        f"characters.",
        "email": f"The email address of every commit's author ends with `@{f.domain}`.",
        "size": f"No commit adds a file of more than {f.limit} bytes or gives a file such a size, "
        "not even if a later commit of the same push removes the file.",
        "paths": f"No commit adds or changes a file named {f.barred[0]}, in any directory. Such "
        "files may be removed.",
        "rewind": "`main` and release branches only move forward: the old tip must be an ancestor "
        "of the new one. Other branches may be rewritten.",
        "delete": "`main` and release branches must not be deleted. Other branches may be deleted.",
        "merges": "A push to `main` brings no merge commit that is new to the depot. On other "
        "branches, merge commits are allowed.",
        "tags": "Tags are annotated and called `vX.Y.Z` (X, Y and Z are numbers). They must not be "
        "moved or deleted.",
        "modes": "No commit adds or changes an executable file, except below the top-level "
        f"directory `{f.folder}`. No commit adds or changes a symbolic link anywhere.",
        "version": "At the tip of `release/X.Y`, the file `VERSION` consists of the single line "
        "X.Y.Z, where X and Y are those of the branch and Z can be any number.",
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
