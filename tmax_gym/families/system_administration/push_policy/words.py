"""Words of the push-policy family, and the policy of a depot."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.system_administration.push_policy.depot import Pipeline
from tmax_gym.texts.clauses import Clause


def policy(rules: Sequence[str], flow: Pipeline) -> str:
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


def clauses(depot: str, policy_: str, *, drill: str, sender: str, plan: str) -> tuple[Clause, ...]:
    """Return the hooks that the depot needs, and their tests."""
    return (
        Clause(
            "goal",
            (
                "The bare repository {depot} {has|comes with} no hooks {yet|so far}. {Write|Add} "
                "{some|the ones} that {enforce|carry out} {policy}: refuse what it {forbids|does "
                "not allow}, {and build|build} what it {wants|asks to be} built.",
                "{Put|Turn} {policy} into {server-side hooks|hooks} of {depot}, a bare git "
                "repository: {one part|some of it} {says|is about} which pushes are refused, {the "
                "rest|the other part} what {happens|runs} after an accepted one.",
                "{Anyone|Everybody} can push anything to {depot} {today|at present}, {though|"
                "while} {policy} {says otherwise|was agreed long ago}. {Make|Let} its hooks {"
                "enforce|keep to} that, and run the builds {it describes|described there} as well.",
                "{We have|There is} {policy}, but nothing {that enforces it|behind it}: {depot} "
                "{takes|accepts} whatever is pushed{ and builds nothing|}. {Give|Write} that git "
                "repository hooks for both {halves|parts} of {the paper|it}.",
                "{depot} is our {central|bare} git repository. {Its|The} hooks are {gone|lost} "
                "since the {move|migration}; {write|make} them anew{ from what we agreed on|}: "
                "{policy} {has|says} what is refused, and what is built{ and published|}.",
                "{Let|Have} {depot} (bare, git) do {itself|on its own} what {policy} {says|"
                "demands}: {turn away|refuse} bad pushes, {then build|and build} and publish "
                "good ones{. Hooks are all that is needed|, by hooks}.",
            ),
            facts={"depot": depot, "policy": policy_},
            role="goal",
            brief="Give the bare repository {depot} hooks that enforce {policy} and run its "
            "builds.",
        ),
        Clause(
            "place",
            (
                "They {live|belong} in {hooks} and must {stand|work} alone: the repository is "
                "{copied|moved} {elsewhere|to other places} with nothing but what {is inside "
                "it|it holds}.",
                "{Keep|Have} everything in {hooks}: {copies|clones by `cp`} of the "
                "repository {have to|must} behave the same {elsewhere|in another directory}.",
                "{All|Whatever} they need {goes|has to be} {in|below} {hooks}, {as|because} the "
                "repository {will be|gets} copied {around|to another place}, and absolute paths "
                "{break|fail} {there|then}.",
                "{No|Use no} absolute paths: {we copy|others copy} the {repository|depot} "
                "elsewhere and {expect|want} the hooks in {hooks} to {work|run} there {too|as "
                "well}.",
                "{The|Our} {backup host|standby} runs a copy of the repository under another "
                "{path|directory}, so what is in {hooks} {may|can} count on nothing outside it{ "
                "but the usual programs|}.",
                "{hooks} is {the place|where they go}; {remember|mind} that copies of the "
                "repository {must|have to} work {anywhere|in any directory}.",
            ),
            facts={"hooks": f"{depot}/hooks"},
            role="output",
            brief="They go into {hooks} and work in copies of the repository too.",
        ),
        Clause(
            "drill",
            (
                "{We|Later, we} {accept|test} it with {drill}, which pushes into a copy; {try|run} "
                "`drill.py DEPOT SENDER < PLAN` with {sender} and {plan}{, a small example|}.",
                "{drill} {copies|takes a copy of} the depot, pushes and {reports|tells what "
                "happened}. {Use|Take} {sender} as the sender and {plan} as the plan {for "
                "rehearsals|to rehearse}; {ours|the real plan} {has|will have} more pushes.",
                "{For trying|To rehearse}, {there are|take} {drill}, the objects in {sender} and "
                "the plan {plan}; the {real|final} trial is {the same|like that}, with {other|"
                "more} pushes.",
                "{A trial|The trial} is {drill} with a plan of pushes: {plan}, {sent|pushed} from "
                "{sender}, {is|makes} an example, and {we have|there are} {others|longer ones}.",
                "{Pushes|More pushes} than the ones in {plan} (their objects: {sender}) will be "
                "{made|tried} by {drill}{ in the end|}, each on a copy of the depot.",
                "{See|Read} {drill} for how pushes are tried; {plan} and {sender} {are|make} an "
                "example, {by no means|not} all {there is|we try}.",
            ),
            facts={"drill": drill, "sender": sender, "plan": plan},
            role="input",
            brief="It is tried by {drill}; {sender} and {plan} are an example.",
        ),
        Clause(
            "keep",
            (
                "{Branches|The branches}, tags and history of the depot stay as they are, {and so "
                "do|like} {policy} and the drill.",
                "{Push nothing|Nothing may be pushed} into the depot itself, and {leave|keep} "
                "{policy} and the drill {as they are|alone}.",
                "{policy} and the drill {may not|must not} change, nor {may|must} any {branch|ref} "
                "of the depot.",
                "The depot keeps {its|all its} refs; {policy} and the drill {remain|stay} {"
                "untouched|as found}.",
                "{Test|Experiment} on copies: refs of the depot {stay|remain} where they are, "
                "{policy} and the drill as {they are|found}.",
                "{Change|Touch} neither {policy} nor the drill, nor a {ref|branch or tag} of the "
                "depot.",
            ),
            facts={"policy": policy_},
            role="constraint",
            brief="Leave the depot's refs, {policy} and the drill as they are.",
        ),
    )
