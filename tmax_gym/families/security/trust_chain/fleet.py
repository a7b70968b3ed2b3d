"""A fleet of servers and the certificates that they present.

It has the authorities, the servers with what is wrong with each, and the right bundles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tmax_gym.families.contract import Context
from tmax_gym.families.security.trust_chain import curve
from tmax_gym.families.security.trust_chain.certificates import Certificate, pem, public, rsa
from tmax_gym.rng import Rng
from tmax_gym.texts.skins import slugged

DAY = 86_400
AUTHORITIES = 32
"""Key pairs kept for authorities; servers have the others."""
ORDER = (
    "untrusted", "incomplete", "not-ca", "path", "purpose", "weak", "name", "forged", "expired",
    "early", "revoked", "lifetime", "bundle",
)  # fmt: skip
"""Verdicts.  The first that applies is given; this is the order in which openssl looks."""
TROUBLES = {
    "foreign root": "untrusted", "self-signed": "untrusted", "no authority": "not-ca",
    "too deep": "path", "clients only": "purpose", "weak key": "weak", "weak signature": "weak",
    "other name": "name", "common name": "name", "wildcard": "name", "forged": "forged",
    "expired": "expired", "early": "early", "old authority": "expired", "revoked": "revoked",
    "too long": "lifetime", "shuffled": "bundle", "with root": "bundle", "alone": "incomplete",
}  # fmt: skip
"""Troubles of a server, each with its verdict."""
PAIRS = (
    ("alone", "expired"), ("alone", "other name"), ("clients only", "expired"),
    ("weak key", "revoked"), ("other name", "expired"), ("expired", "with root"),
    ("revoked", "with root"), ("common name", "with root"),
)  # fmt: skip
"""Troubles that may meet on one server; the verdict is that of the first."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy by which a fleet is judged."""

    bits: int
    """Least size of an RSA key."""
    days: int
    """Longest life of a server's certificate."""


@dataclass(frozen=True, slots=True)
class Authority:
    """A certificate that signs others, with its keys."""

    told: Certificate
    pair: curve.Pair
    der: bytes
    above: tuple[bytes, ...] = ()
    """The authorities above it, without the root."""

    @property
    def chain(self) -> tuple[bytes, ...]:
        """Return the certificates that a server sends after its own."""
        return (self.der, *self.above)


@dataclass(frozen=True, slots=True)
class Server:
    """A host of the fleet."""

    name: str
    bundle: tuple[bytes, ...]
    verdict: str
    right: tuple[bytes, ...] = ()
    """The bundle that would make it fine, where only the bundle is wrong."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """Servers, and the data to judge them by."""

    at: int
    roots: tuple[bytes, ...]
    servers: tuple[Server, ...]
    revoked: tuple[str, ...]
    """Rows of issuer and serial number."""
    pool: tuple[bytes, ...]
    """Certificates of authorities that are at hand.  Some are of no use."""


@dataclass(slots=True)
class _Works:
    """The means to make certificates of one fleet."""

    rng: Rng
    organisation: str
    domain: str
    at: int
    policy: Policy
    revoked: list[str]
    keys: int = 0

    def pair(self) -> curve.Pair:
        self.keys += 1
        return curve.pair(self.keys % AUTHORITIES)

    def authority(self, name: str, by: Authority | None = None, *, depth: int = -1) -> Authority:
        """Return an authority below another one, or a root."""
        own = self.pair()
        key = public(own)
        certificate = Certificate(
            self.organisation, name, by.told.name if by else name, self.rng.bits(62) | 1 << 62,
            self.at - self.rng.integer(700, 2000) * DAY,
            self.at + self.rng.integer(900, 2500) * DAY, key,
            by.told.key if by else key, authority=True, depth=depth,
        )  # fmt: skip
        above = by.chain if by and by.told.issuer != by.told.name else ()
        return Authority(certificate, own, certificate.signed(by.pair if by else own), above)

    def again(self, one: Authority, by: Authority, *, since: int, until: int) -> Authority:
        """Return an authority's certificate with other dates, for the same name and key."""
        serial = self.rng.bits(62) | 1 << 62
        certificate = replace(one.told, serial=serial, since=since, until=until)
        return Authority(certificate, one.pair, certificate.signed(by.pair), one.above)


def fleet(ctx: Context, rng: Rng, *, policy: Policy, wanted: Sequence[Sequence[str]]) -> Fleet:
    """Return a fleet with a server for each of the wanted combinations of troubles."""
    organisation = ctx.skin.org(rng)
    domain = f"{slugged(organisation).replace('_', '-')[:18].strip('-')}.example"
    at = 1_735_700_000 + rng.integer(0, 500) * DAY + rng.integer(0, 80_000)
    works = _Works(rng, organisation, domain, at, policy, [])
    label = slugged(organisation).partition("_")[0].capitalize()
    root, other = (works.authority(f"{label} Root {n}") for n in ("R1", "R2"))
    stranger = works.authority(f"{label} Root R0")
    wide = works.authority(f"{label} Servers G1", root)
    below = works.authority(f"{label} {slugged(ctx.skin.place(rng)).capitalize()} E1", wide)
    flat = works.authority(f"{label} Servers G2", other, depth=0)
    twin = works.authority(f"{label} Servers G1", root)
    old = works.again(wide, root, since=at - 900 * DAY, until=at - rng.integer(3, 200) * DAY)
    stems = rng.shuffled([a.replace("_", "-") for a in sorted(set(ctx.skin.stems))])
    labels = [f"{stem}{n or ''}.{domain}" for n in range(len(wanted)) for stem in stems]
    makers = _Makers(works, {"root": root, "other": other, "stranger": stranger, "wide": wide,
                             "below": below, "flat": flat, "old": old})  # fmt: skip
    pairs = zip(labels, wanted, strict=False)
    servers = sorted((makers.server(n, tuple(t)) for n, t in pairs), key=lambda s: s.name)
    decoy = f"{flat.told.name},{rng.bits(62) | 1 << 62:X}"
    pool = rng.shuffled([wide.der, below.der, flat.der, twin.der, old.der])
    roots = (root.der, other.der)
    return Fleet(at, roots, tuple(servers), tuple(sorted([*works.revoked, decoy])), tuple(pool))


@dataclass(frozen=True, slots=True)
class _Makers:
    works: _Works
    by: dict[str, Authority]

    def server(self, name: str, troubles: tuple[str, ...]) -> Server:
        """Return a server that has these troubles; the first one decides the verdict."""
        works, rng = self.works, self.works.rng.fork(name)
        issuer = self._issuer(rng, troubles)
        pair = curve.pair(rng.integer(AUTHORITIES, curve.KEYS - 1))
        leaf = self._leaf(rng, name, issuer=issuer, troubles=troubles, key=public(pair))
        signer, digest = issuer.pair, "sha1" if "weak signature" in troubles else "sha256"
        if "self-signed" in troubles:
            leaf = replace(leaf, issuer=name, issuer_key=leaf.key)
            signer = pair
        if "forged" in troubles:
            signer = self.by["stranger"].pair
        if "revoked" in troubles:
            works.revoked.append(f"{leaf.issuer},{leaf.serial:X}")
        elif not troubles and rng.chance(0.5):
            # Serial numbers are unique per issuer, so this row is about another certificate.
            works.revoked.append(f"{self.by['stranger'].told.name},{leaf.serial:X}")
        der = leaf.signed(signer, digest)
        right = (der, *issuer.chain)
        bundle = self._bundle(rng, right, issuer=issuer, troubles=troubles)
        if "old authority" in troubles:
            right = (der, self.by["wide"].der)
        fixable = set(troubles) <= {"alone", "shuffled", "with root", "old authority"}
        verdict = TROUBLES[troubles[0]] if troubles else "ok"
        return Server(name, bundle, verdict, right if fixable and troubles else ())

    def _issuer(self, rng: Rng, troubles: tuple[str, ...]) -> Authority:
        works = self.works
        if "foreign root" in troubles:
            return works.authority(f"{self.by['stranger'].told.name} Servers", self.by["stranger"])
        if "no authority" in troubles:
            authority = works.authority(f"gateway.{works.domain}", self.by["wide"])
            certificate = replace(authority.told, authority=False, usage=False)
            return Authority(
                certificate,
                authority.pair,
                certificate.signed(self.by["wide"].pair),
                authority.above,
            )
        if "too deep" in troubles:
            return works.authority(f"{self.by['flat'].told.name} Sub", self.by["flat"])
        if "old authority" in troubles:
            return self.by["old"]
        if "shuffled" in troubles:
            return self.by["below"]
        return self.by[rng.choice(("wide", "below", "flat"))]

    def _leaf(
        self, rng: Rng, name: str, *, issuer: Authority, troubles: tuple[str, ...], key: bytes
    ) -> Certificate:
        works, short = self.works, self.works.policy.days
        age = rng.integer(5, short - 20)
        since, until = works.at - age * DAY, works.at + rng.integer(2, short - age - 1) * DAY
        hosts: tuple[str, ...] = (name,)
        if rng.chance(0.4):
            hosts = (f"*.{works.domain}", works.domain)
        if "expired" in troubles:
            since, until = since - short * DAY, works.at - rng.integer(1, 60) * DAY
            since = max(since, until - (short - 2) * DAY)
        if "early" in troubles:
            since, until = works.at + DAY, works.at + rng.integer(3, short) * DAY
        if "too long" in troubles:
            until = since + (short + rng.integer(2, 300)) * DAY
            until = max(until, works.at + DAY)
        if "other name" in troubles:
            hosts = (f"www.{works.domain}", f"{name.split('.')[0]}-old.{works.domain}")
        if "wildcard" in troubles:
            hosts = (f"*.eu.{works.domain}", f"*.{name}")
        if "common name" in troubles:
            hosts = ()
        if "weak key" in troubles:
            size = rng.choice([b for b in (1024, 1536, 2048) if b < works.policy.bits])
            key = rsa(rng.bits(size) | 1 << (size - 1) | 1)
        return Certificate(
            works.organisation, name, issuer.told.name, rng.bits(62) | 1 << 62, since, until,
            key, issuer.told.key, hosts=hosts,
            purpose="client" if "clients only" in troubles else "server",
        )  # fmt: skip

    def _bundle(
        self, rng: Rng, right: tuple[bytes, ...], *, issuer: Authority, troubles: tuple[str, ...]
    ) -> tuple[bytes, ...]:
        if "self-signed" in troubles:
            return right[:1]
        if "alone" in troubles:
            return right[:-1] if len(right) > 2 and rng.chance(0.5) else right[:1]
        if "foreign root" in troubles:
            return (*right, self.by["stranger"].der)
        if "shuffled" in troubles:
            return (right[0], *reversed(right[1:]))
        if "with root" in troubles:
            return (*right, self.by["other" if issuer is self.by["flat"] else "root"].der)
        return right


def texts(certificates: Sequence[bytes]) -> str:
    """Return certificates one after the other."""
    return "".join(pem(one) for one in certificates)
