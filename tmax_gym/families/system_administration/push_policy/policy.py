"""The policy of a depot, a document in the world of the push-policy family."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.shared.sheets import flowed
from tmax_gym.families.system_administration.push_policy.depot import Pipeline


def document(rules: Sequence[str], flow: Pipeline) -> str:
    """Return the document that the depot's owners agreed on."""
    numbered = "".join(f"{n}. {rule}\n" for n, rule in enumerate(rules, start=1))
    which = "`main` or `release/X.Y`" if flow.releases else "`main`"
    links = f"the symbolic link `site/{flow.live}`" + (
        " (for `main`) or `site/X.Y` (for `release/X.Y`)" if flow.releases else ""
    )
    branch = (
        "- In the environment of the steps, `CI_BRANCH` is the name of the branch and "
        "`CI_REVISION` is the full commit id.\n"
        if flow.told
        else ""
    )
    pruned = (
        "- After that, all builds to which no link in `site` points are removed.\n"
        if flow.pruned
        else ""
    )
    return flowed(f"""\
# Policy of the depot

## What is refused

The rules about commits apply to every commit of a push that is new to the depot, that is, not yet
reachable from any of its branches or tags. The commits that the depot already has were imported
long ago and do not have to follow any rule. If any part of a push breaks a rule, the whole push is
refused, and the message for the person who pushes contains `policy N`, where N is the number of
the rule.

{numbered}

## What follows an accepted push

- `site` is a directory next to the repository, wherever the repository is. It may not exist yet.
- Only pushes to {which} are built. Other refs and deletions change nothing in `site`.
- The tree of the pushed commit is exported to a new directory outside the repository and `site`.
  There, the steps in its file `{flow.steps}` are run in order. Each line of this file has the name
  of a step, a space and a command for `sh -c`. Empty lines and lines that begin with `#` are
  ignored. If a command fails, the remaining steps are not run.
{branch}- If no step has failed, the directory `{flow.out}` of the export becomes
`site/builds/SHORT`, where SHORT stands for the first {flow.digits} digits of the commit id. It
replaces an earlier build of the same name. Then {links} is set to exactly `builds/SHORT`.
{pruned}- Whether or not a step has failed, a line is appended to `site/log`: `BRANCH SHORT ok`, or
  `BRANCH SHORT failed STEP` with the name of the step that failed.
- A push is accepted even if a step fails.
""")
