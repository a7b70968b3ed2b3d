"""The policy of a depot, a document in the world of the push-policy family."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.system_administration.push_policy.depot import Pipeline


def document(rules: Sequence[str], flow: Pipeline) -> str:
    """Return the document that the depot's owners agreed on."""
    numbered = "".join(f"{n}. {rule}\n" for n, rule in enumerate(rules, start=1))
    which = "`main` or `release/X.Y`" if flow.releases else "`main`"
    links = f"the symbolic link `site/{flow.live}`" + (
        " (for `main`) or `site/X.Y` (for `release/X.Y`)" if flow.releases else ""
    )
    branch = (
        "- Steps find the branch in the environment variable `CI_BRANCH` and the full commit id "
        "in `CI_REVISION`.\n"
        if flow.told
        else ""
    )
    pruned = (
        "- After that, builds to which no link of the site leads any more are removed.\n"
        if flow.pruned
        else ""
    )
    return f"""\
# Policy of the depot

## What is refused

Rules hold for every commit that a push brings along and the depot does not have yet; what it has
already was imported long ago and keeps to no rule. A push that breaks a rule in one place is
refused as a whole, and who pushes reads `policy N`, N being the number of the rule.

{numbered}
## What follows an accepted push

- `site` is the directory beside the repository, wherever the repository lies; it may have to be
  made.
- Only a push to {which} is built; other refs, and deletions, leave no trace in the site.
- The pushed tree is exported into a new directory outside repository and site. There the steps of
  its file `{flow.steps}` run in order. A line is the name of a step, a blank and a command for
  `sh -c`; empty lines and lines that begin with `#` are none. A step that fails is the last one.
{branch}- If no step failed, the directory `{flow.out}` of the export becomes `site/builds/SHORT`,
  SHORT being the first {flow.digits} digits of the commit id. Then {links}
  leads to `builds/SHORT`, written like that.
{pruned}- `site/log` gets one more line, in any case: `BRANCH SHORT ok` or, with the step that
  failed, `BRANCH SHORT failed STEP`.
- A failed step does not undo the push.
"""
