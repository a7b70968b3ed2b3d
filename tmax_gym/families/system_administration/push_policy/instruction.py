"""The instruction of the push-policy family.

Covers where the hooks go and how they are tried.  The rules are in the policy, a document of the
world.
"""

from __future__ import annotations

from tmax_gym.texts.obligations import Obligation


def obligations(
    depot: str, policy: str, *, drill: str, sender: str, plan: str
) -> tuple[Obligation, ...]:
    """Return the hooks that the depot needs, and their tests."""
    return (
        Obligation(
            "goal",
            f"At present, anybody can push anything to our bare git repository `{depot}`. Write "
            f"hooks that put the policy `{policy}` into effect: they refuse the pushes that it "
            f"forbids, and after an accepted push they build and publish as it describes.",
            "goal",
        ),
        Obligation(
            "named",
            "The message of a refused push must name a rule that the push breaks, in the form that "
            "the policy asks for, and no rule that the push does not break.",
            keys=("no other rule", "only the rule", "exactly the rule", "just the rule", "message"),
        ),
        Obligation(
            "place",
            f"Everything that the hooks need goes into `{depot}/hooks`. The repository is also "
            f"copied to other directories, and the hooks must work there in the same way. So they "
            f"must not contain the absolute path of the repository, and they must not need other "
            f"files outside the repository, apart from the installed programs and the site that "
            f"the policy describes.",
            "output",
        ),
        Obligation(
            "keep",
            f"Do not change `{policy}` or `{drill}`. The branches, tags and history of the "
            f"repository must stay as they are too, so push into copies only and do not pack its "
            f"refs.",
            "limit",
        ),
        Obligation(
            "drill",
            f"We will grade the hooks with `{drill}`, which copies the repository, pushes into the "
            f"copy and reports what happened. You can try it with an example, the plan `{plan}` "
            f"with the objects in `{sender}`: `{drill} {depot} {sender} < {plan}`. Our own plan "
            f"has many more pushes.",
            "grading",
        ),
    )
