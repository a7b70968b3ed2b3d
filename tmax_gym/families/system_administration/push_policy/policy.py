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
        "- The steps find the name of the branch in the environment variable `CI_BRANCH` and the "
        "full commit id in `CI_REVISION`.\n"
        if flow.told
        else ""
    )
    pruned = (
        "- After that, remove all builds to which no link of the site points any more.\n"
        if flow.pruned
        else ""
    )
    return flowed(f"""\
# Policy of the depot

## What is refused

The rules apply to every commit of a push that the depot does not have yet. The commits that it has
already were imported long ago and do not have to follow any rule. If a push breaks a rule anywhere,
the whole push is refused, and the message for the person who pushes contains `policy N`, where N is
the number of the rule.

{numbered}

## What follows an accepted push

- `site` is the directory next to the repository, wherever the repository is. It may not exist yet.
- Only a push to {which} is built. Other refs and deletions change nothing in the site.
- The pushed tree is exported into a new directory outside of the repository and the site. In this
  directory, the steps in its file `{flow.steps}` are run in their order. Each line has the name of
  a step, a blank and a command for `sh -c`. Empty lines and lines that begin with `#` do nothing.
  If a step fails, the following steps are not run.
{branch}- If no step has failed, the directory `{flow.out}` of the export becomes
`site/builds/SHORT`, where SHORT stands for the first {flow.digits} digits of the commit id. Then
{links} is set to `builds/SHORT`, written exactly like this.
{pruned}- In any case, `site/log` gets one more line: `BRANCH SHORT ok`, or
  `BRANCH SHORT failed STEP` with the step that has failed.
- If a step fails, the push itself is still accepted.
""")
