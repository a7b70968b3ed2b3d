"""Words of the trust chain: the policy with its verdicts, and the instruction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tmax_gym.families.security.trust_chain.fleet import ORDER, Policy
from tmax_gym.texts.clauses import Clause

STEMS = ("scan", "audit", "check_fleet", "certscan", "nightly", "fleet_check")
REPORTS = ("verdicts", "findings", "scan_result", "state", "report")
TARGETS = ("repaired", "bundles", "fixed", "deploy", "mended")
POLICIES = ("POLICY", "VERDICTS", "CERTIFICATES", "TLS", "RULES")
_MEANS = {
    "untrusted": "the chain ends in a self-signed certificate that is not in `roots.pem`",
    "incomplete": "the issuer of a certificate is neither in the bundle nor in `roots.pem`",
    "not-ca": "a certificate of the chain was issued by one that is no CA (basicConstraints)",
    "path": "a CA has more CAs below it than its path length permits",
    "purpose": "the server's certificate is not for server authentication (extendedKeyUsage)",
    "weak": "below the root, an RSA key of fewer than {bits} bits or a signature with SHA-1",
    "name": "no DNS name among the subject alternative names covers the host; a wildcard stands "
    "for exactly one label, and the common name is not looked at",
    "forged": "a signature does not agree with the key of the issuer",
    "expired": "a certificate of the chain is past its end",
    "early": "a certificate of the chain is not valid yet",
    "revoked": "`revoked.csv` has the server's certificate: common name of the issuer, and serial "
    "number in hexadecimal",
    "lifetime": "the server's certificate is valid for more than {days} days of 86400 seconds, "
    "from its first to its last moment",
    "bundle": "all is well but the bundle, which should be the server's certificate, then the "
    "issuer of each certificate right after it, with no root and nothing else",
}


def policy(rules: Policy, verdicts: Iterable[str]) -> str:
    """Return the document about the checks of a host, in their order."""
    known = set(verdicts)
    rows = [f"- `{v}`: {_MEANS[v]}" for v in ORDER if v in known]
    listing = "\n".join((*rows, "- `ok`: none of these")).format(bits=rules.bits, days=rules.days)
    return f"""# Certificates of a fleet

A fleet is a directory:

    as_of                     the moment, in UTC, for which everything is judged
    roots.pem                 the roots that we trust
    revoked.csv               issuer,serial of certificates that were withdrawn
    hosts/NAME/bundle.pem     what the server NAME sends, its own certificate first

The chain of a server runs from its certificate over CAs of its bundle, in whatever order they are
there, to one of the roots.

## Verdicts

A host gets the first verdict that applies, from top to bottom:

{listing}
"""


def say(names: Mapping[str, str], kind: str) -> tuple[Clause, ...]:
    """Return the scanner, its output, and what to repair."""
    return (_goal(names, kind), _interface(names), _repair(names))


def _goal(names: Mapping[str, str], kind: str) -> Clause:
    return Clause(
        "goal",
        (
            "{Write|We need} {program}, {kind} that judges the certificates of a {whole|} fleet "
            "by {policy}{, host by host|}.",
            "{Certificates|Our certificates} are checked by hand so far. {Make|Build} a scanner "
            "for them, {kind} at {program}, {following|after} {policy}.",
            "{policy} says when a server's certificates {are in order|are fine} and what is wrong "
            "when not: {turn|cast} it into a scanner, {kind}, {program}.",
            "{From now on|Starting tonight} a scanner {looks|shall look} at all certificates: "
            "{kind}, {program}, {with|giving} the verdicts of {policy}.",
            "{Which|Which of our} servers would a client {turn away from|refuse}, and why? "
            "{program}, {kind}, {is to|should} {answer|tell} that in the {terms|words} of "
            "{policy}.",
            "Another outage {over|because of} a certificate{, sadly|}: {put|place} {kind} at "
            "{program} {that|which} scans a fleet and {gives|assigns} the verdicts of {policy}.",
        ),
        facts={"program": names["program"], "kind": kind, "policy": names["policy"]},
        role="goal",
        brief="Write {program}, {kind} that scans a fleet for what {policy} describes.",
    )


def _interface(names: Mapping[str, str]) -> Clause:
    return Clause(
        "interface",
        (
            "It {gets|takes} the directory of a fleet as its {argument|only argument} and prints "
            "{row} {per|for every} host, in byte order of the names. {Keep|Save} what it says "
            "{about|of} {fleet} {in|as} {report}; fleets {you have not seen|of other people} "
            "{follow|come after that}.",
            "{Called|Started} with a fleet's directory, it prints {row} a host, sorted by name "
            "in byte order; we {run|try} it on {unseen|other} fleets, and you {store|put} its "
            "output for {fleet} {in|into} {report}.",
            "The {one|single} argument is a fleet, the output {row} for {each|every} host by name "
            "in byte order. {fleet} is {one such|a} fleet, {report} should {hold|be} the output "
            "for it; {others|other ones} will be {scanned|tried} by us.",
            "{Given|For} the directory of a fleet as argument it writes {row} to standard output, "
            "{one line|a line} a host and the names in byte order. {Run|Use} it on {fleet} and "
            "{leave|file} the result {in|as} {report}; other fleets {are|get} scanned {later|with "
            "it later}.",
            "Its argument names a fleet's directory; on standard output {comes|goes} {row} for "
            "every host, {sorted|ordered} by name, bytewise. For {fleet} {keep|record} that in "
            "{report}. It {will be|is} tried on fleets that {nobody has seen|are not here}.",
            "{A run|One run} {over|on} a fleet, whose directory is the argument, prints {row} per "
            "host in byte order of names; {report} {is|shall be} that output for {fleet}, and "
            "{more|further} fleets are {waiting|to come}.",
        ),
        facts={
            "row": "`NAME<tab>VERDICT`",
            "fleet": names["fleet"],
            "report": names["report"],
        },
        role="format",
        brief="Argument: a fleet's directory; output: {row} a host in byte order of names. "
        "Its output for {fleet} goes to {report}; other fleets will be tried.",
    )


def _repair(names: Mapping[str, str]) -> Clause:
    return Clause(
        "repair",
        (
            "{Where|Wherever} a host of {fleet} is not ok but would be with another bundle of its "
            "own certificate and {some|CAs} from {pool}, {put|write} that bundle {in|to} {target}; "
            "{no other host|nothing else} {belongs|goes} there.",
            "Some hosts in {fleet} {only|just} send the wrong bundle: with their certificate and "
            "the right ones {out of|from} {pool} they {would be|are} ok. {Save|Place} such "
            "bundles as {target}, and {none|no file} for other hosts.",
            "{Write|Make} {target} for {each|every} host of {fleet} whose verdict turns ok once "
            "its certificate is {followed|accompanied} by the right ones from {pool}, but for no "
            "{other|other host}.",
            "{Certificates of CAs|CA certificates}, {old and new|of all sorts}, are in {pool}. "
            "{If|Where} they can make a host of {fleet} ok{, its own certificate unchanged|}, its "
            "new bundle is {wanted|needed} as {target}{; leave out the rest|, the others not}.",
            "What {can be|is} {cured|mended} by a new bundle {should|must} be: take the host's own "
            "certificate and {what fits|the fitting CAs} from {pool}, for those hosts of {fleet} "
            "alone that are ok {afterwards|then}, and {store|write} {target}.",
            "{target} is {to be|} a bundle that makes the host ok, {from|out of} its present "
            "certificate and those in {pool}; {make|build} one for {each|every} host in {fleet} "
            "that {can be helped|is helped} {so|that way}, and for no other.",
        ),
        facts={"fleet": names["fleet"], "pool": names["pool"], "target": names["target"]},
        role="output",
        brief="For each host of {fleet} that another bundle, of its own certificate and CAs from "
        "{pool}, makes ok, write that to {target}.",
    )
