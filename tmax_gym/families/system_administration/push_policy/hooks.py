"""Hooks of the push-policy family: the frame that reads the rules, and the pipeline.

Covers what is the same in every depot, and what a pipeline asks for.  Does not cover the rules.
"""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.system_administration.push_policy.depot import Pipeline

PRE_RECEIVE = program_text(__package__, "pre_receive.sh")


def post_receive(flow: Pipeline) -> str:
    """Return the hook that builds and publishes."""
    release = "        release/*) link=${branch#release/} ;;\n" if flow.releases else ""
    variables = "CI_BRANCH=$branch CI_REVISION=$new " if flow.told else ""
    pruned = (
        '    for build in "$site"/builds/*; do\n'
        "        find \"$site\" -maxdepth 1 -type l -printf '%l\\n' |"
        ' grep -qxF "builds/${build##*/}" || rm -rf "$build"\n'
        "    done\n"
    )
    parts = {
        "@release\n": release,
        "@told@": variables,
        "@pruned\n": pruned if flow.pruned else "",
        "@live": flow.live,
        "@digits": str(flow.digits),
        "@steps": flow.steps,
        "@out": flow.out,
    }
    hook = program_text(__package__, "post_receive.sh")
    for mark, part in parts.items():
        hook = hook.replace(mark, part)
    return hook
