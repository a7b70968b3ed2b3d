"""The policy document of the trust chain: what a fleet is, and the verdicts in their order."""

from __future__ import annotations

from collections.abc import Iterable

from tmax_gym.families.security.trust_chain.fleet import ORDER, Policy
from tmax_gym.families.shared.sheets import flowed

_MEANS = {
    "untrusted": "the chain ends in a self-signed certificate that is not in `roots.pem`",
    "incomplete": "the issuer of a certificate of the chain is neither in the bundle nor in "
    "`roots.pem`",
    "not-ca": "a certificate of the chain was issued by one that is not a CA (basicConstraints)",
    "path": "a CA of the chain has more CAs below it than its path length permits "
    "(basicConstraints)",
    "purpose": "the server's certificate does not allow server authentication (extendedKeyUsage)",
    "weak": "a certificate of the chain, the root excepted, has an RSA key of fewer than {bits} "
    "bits or is signed with SHA-1",
    "name": "no DNS name among the subject alternative names covers the host `NAME`; a wildcard "
    "stands for exactly one label, and the common name is ignored",
    "forged": "a signature does not verify with the key of the issuer that the certificate names",
    "expired": "a certificate of the chain is no longer valid (notAfter)",
    "early": "a certificate of the chain is not yet valid (notBefore)",
    "revoked": "`revoked.csv` lists the server's certificate, by the common name of its issuer and "
    "its serial number in hexadecimal",
    "lifetime": "the server's certificate is valid for more than {days} days of 86400 seconds, "
    "counted from notBefore to notAfter",
    "bundle": "all is well except that the bundle is not exactly the chain without the root, in "
    "order: the server's certificate first, and each certificate directly followed by its issuer",
}


def policy(rules: Policy, verdicts: Iterable[str]) -> str:
    """Return the document about the checks of a host, in their order."""
    known = set(verdicts)
    rows = [f"- `{v}`: {_MEANS[v]}" for v in ORDER if v in known]
    listing = "\n".join((*rows, "- `ok`: none of these")).format(bits=rules.bits, days=rules.days)
    unused = "" if "revoked" in known else "; not used here"
    return flowed(f"""# Certificates of a fleet

A fleet is a directory:

    as_of                     the time, in UTC, as of which everything is judged
    roots.pem                 the roots that we trust
    revoked.csv               issuer,serial of revoked certificates{unused}
    hosts/NAME/bundle.pem     what the server NAME sends, its own certificate first

The chain of a server starts with its own certificate, and each certificate is followed by its
issuer. The chain goes through the certificates of the bundle, whatever their order there, and
should end with one of the roots.

## Verdicts

A host gets the first verdict that applies, from top to bottom:

{listing}
""")
