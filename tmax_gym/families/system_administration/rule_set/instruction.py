"""The instruction of the rule-set family."""

from __future__ import annotations

from tmax_gym.texts.obligations import Obligation


def short(
    rules: str, zones: str, *, zone: str, address: str, protocol: str, port: int
) -> Obligation:
    """Return the task of one service."""
    return Obligation(
        "goal",
        f"The hosts of the zone `{zone}` must be able to reach `{address}` over `{protocol}` on "
        f"port `{port}`. Write a packet filter, `{rules}`, that lets this through and nothing "
        f"else. `{zones}` lists the network of every zone. Do not change this file.",
        "goal",
    )


def whole(rules: str, policy: str, zones: str) -> Obligation:
    """Return the task of a whole policy."""
    return Obligation(
        "goal",
        f"Turn the policy `{policy}` into a packet filter, `{rules}`, that lets through exactly "
        f"what the policy allows. `{zones}` lists the network of every zone that the policy names. "
        f"Do not change these two files.",
        "goal",
    )


def form(network: str, most: int) -> tuple[Obligation, ...]:
    """Return the form of a rule and the order of matching; `network` is an example."""
    return (
        Obligation(
            "form",
            "Each line of the filter is one rule: "
            "`<verdict> <source> <destination> <protocol> <ports>`. The verdict is `allow` or "
            "`deny`.",
        ),
        Obligation(
            "fields",
            f"Source and destination are networks in CIDR notation, as in `{network}`, and the "
            f"protocol is `tcp` or `udp`.",
        ),
        Obligation(
            "wildcard",
            "Ports are destination ports: one number, or a range `lo-hi` that includes both ends. "
            "`any` in place of a network, the protocol or the ports matches everything.",
        ),
        Obligation(
            "order",
            f"Rules are tried from the top, and the first one that matches a flow decides. A flow "
            f"that matches no rule is dropped. The filter may have at most {most} rules.",
        ),
    )


def judged() -> Obligation:
    """Return how the filter is judged."""
    return Obligation(
        "judged",
        "We will test the filter with flows that the policy allows and flows that it does not "
        "allow. Many of them are close to a limit, such as the next port or a neighbouring "
        "network. Errors of both kinds count the same.",
        "grading",
        keys=("flows", "traffic", "both kinds", "connections"),
    )
