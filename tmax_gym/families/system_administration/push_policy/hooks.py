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
    told = "CI_BRANCH=$branch CI_REVISION=$new " if flow.told else ""
    pruned = (
        '    for build in "$site"/builds/*; do\n'
        "        find \"$site\" -maxdepth 1 -type l -printf '%l\\n' |"
        ' grep -qxF "builds/${build##*/}" || rm -rf "$build"\n'
        "    done\n"
    )
    return f"""\
#!/bin/bash
# Builds what was pushed, and publishes it beside the repository.
site="$PWD/../site"
while read -r old new ref; do
    branch=${{ref#refs/heads/}}
    [ -n "${{new//0/}}" ] || continue
    case $branch in
        main) link={flow.live} ;;
{release}        *) continue ;;
    esac
    short=${{new:0:{flow.digits}}}
    work=$(mktemp -d)
    mkdir -p "$site/builds"
    git archive "$new" | tar -x -C "$work"
    verdict=ok
    while read -r step command; do
        [[ -z $step || $step == '#'* ]] && continue
        (cd "$work" && {told}env -u GIT_DIR sh -c "$command") < /dev/null > /dev/null 2>&1 ||
            {{ verdict="failed $step"; break; }}
    done < "$work/{flow.steps}"
    if [ "$verdict" = ok ]; then
        rm -rf "$site/builds/$short"
        mv "$work/{flow.out}" "$site/builds/$short"
        ln -sfn "builds/$short" "$site/$link"
    fi
    echo "$branch $short $verdict" >> "$site/log"
    rm -rf "$work"
{pruned if flow.pruned else ""}done
"""
