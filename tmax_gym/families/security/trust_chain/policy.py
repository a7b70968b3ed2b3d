"""The policy document of the trust chain: what a fleet is, and the verdicts in their order."""

from __future__ import annotations

from collections.abc import Iterable

from tmax_gym.families.security.trust_chain.fleet import ORDER, Policy

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
    "lifetime": "the validity of the server's certificate ends (notAfter) more than {days} days of "
    "86400 seconds after it begins (notBefore)",
    "bundle": "all is well but the bundle, which should be the server's certificate, then the "
    "issuer of each certificate right after it, with no root and nothing else",
}


def policy(rules: Policy, verdicts: Iterable[str]) -> str:
    """Return the document about the checks of a host, in their order."""
    known = set(verdicts)
    rows = [f"- `{v}`: {_MEANS[v]}" for v in ORDER if v in known]
    listing = "\n".join((*rows, "- `ok`: none of these")).format(bits=rules.bits, days=rules.days)
    unused = "" if "revoked" in known else "; not used here"
    return f"""# Certificates of a fleet

A fleet is a directory:

    as_of                     the moment, in UTC, for which everything is judged
    roots.pem                 the roots that we trust
    revoked.csv               issuer,serial of certificates that were withdrawn{unused}
    hosts/NAME/bundle.pem     what the server NAME sends, its own certificate first

The chain of a server runs from its certificate over CAs of its bundle, in whatever order they are
there, to one of the roots.

## Verdicts

A host gets the first verdict that applies, from top to bottom:

{listing}
"""
