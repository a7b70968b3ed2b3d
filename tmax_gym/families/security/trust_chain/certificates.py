"""X.509 certificates with fixed bytes (RFC 5280): what a fleet of servers presents.

Covers version 3, names of an organisation and a common name, five extensions, ECDSA signatures.
Does not cover reading certificates, or extensions that the checks of a fleet do not look at.
"""

from __future__ import annotations

import base64
import hashlib
import time
from dataclasses import dataclass

from tmax_gym.families.security.trust_chain.curve import Pair, signature

_SEQUENCE, _SET, _OCTETS, _BITS, _TEXT, _TIME, _OID, _TRUE = (
    0x30, 0x31, 0x04, 0x03, 0x0C, 0x17, 0x06, b"\x01\x01\xff",
)  # fmt: skip
_ECDSA = {"sha256": "1.2.840.10045.4.3.2", "sha1": "1.2.840.10045.4.1"}
PURPOSES = {"server": "1.3.6.1.5.5.7.3.1", "client": "1.3.6.1.5.5.7.3.2"}
_SIGN_CERTIFICATES, _SIGN_DATA = b"\x03\x02\x01\x06", b"\x03\x02\x07\x80"
"""Key usages: keyCertSign and cRLSign; digitalSignature."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The fields of a certificate."""

    organisation: str
    name: str
    issuer: str
    """Common name of the issuer, of the same organisation."""
    serial: int
    since: int
    until: int
    key: bytes
    """The public key as it stands in the certificate."""
    issuer_key: bytes
    authority: bool = False
    usage: bool = True
    """Whether the uses of the key are restricted."""
    depth: int = -1
    """Number of authorities allowed below; -1 for no limit."""
    hosts: tuple[str, ...] = ()
    purpose: str = ""

    def signed(self, by: Pair, digest: str = "sha256") -> bytes:
        """Return the certificate in DER."""
        algorithm = _tlv(_SEQUENCE, _oid(_ECDSA[digest]))
        body = _tlv(
            _SEQUENCE,
            b"\xa0\x03\x02\x01\x02",
            _integer(self.serial),
            algorithm,
            _name(self.organisation, self.issuer),
            _tlv(_SEQUENCE, _moment(self.since), _moment(self.until)),
            _name(self.organisation, self.name),
            self.key,
            _tlv(0xA3, _tlv(_SEQUENCE, *self._extensions())),
        )
        pair = (_integer(n) for n in signature(body, by, digest))
        return _tlv(_SEQUENCE, body, algorithm, _tlv(_BITS, b"\0", _tlv(_SEQUENCE, *pair)))

    def _extensions(self) -> list[bytes]:
        limit = _integer(self.depth) if self.depth >= 0 else b""
        constraints = _tlv(_SEQUENCE, *((_TRUE, limit) if self.authority else ()))
        extensions = [
            _extension("2.5.29.19", constraints, critical=True),
            _extension("2.5.29.14", _tlv(_OCTETS, _key_id(self.key))),
        ]
        if self.issuer_key != self.key:
            extensions.append(
                _extension("2.5.29.35", _tlv(_SEQUENCE, _tlv(0x80, _key_id(self.issuer_key))))
            )
        if self.usage:
            use = _SIGN_CERTIFICATES if self.authority else _SIGN_DATA
            extensions.append(_extension("2.5.29.15", use, critical=True))
        if self.hosts:
            names = _tlv(_SEQUENCE, *(_tlv(0x82, host.encode()) for host in self.hosts))
            extensions.append(_extension("2.5.29.17", names))
        if self.purpose:
            extensions.append(
                _extension("2.5.29.37", _tlv(_SEQUENCE, _oid(PURPOSES[self.purpose])))
            )
        return extensions


def public(pair: Pair) -> bytes:
    """Return the public half of a key pair as certificates hold it (RFC 5480)."""
    point = b"\x04" + pair.point[0].to_bytes(32, "big") + pair.point[1].to_bytes(32, "big")
    kind = _tlv(_SEQUENCE, _oid("1.2.840.10045.2.1"), _oid("1.2.840.10045.3.1.7"))
    return _tlv(_SEQUENCE, kind, _tlv(_BITS, b"\0", point))


def rsa(modulus: int) -> bytes:
    """Return an RSA key as certificates hold it (RFC 3279)."""
    kind = _tlv(_SEQUENCE, _oid("1.2.840.113549.1.1.1"), b"\x05\x00")
    key = _tlv(_SEQUENCE, _integer(modulus), _integer(65537))
    return _tlv(_SEQUENCE, kind, _tlv(_BITS, b"\0", key))


def pem(certificate: bytes) -> str:
    """Return a certificate as text."""
    body = base64.b64encode(certificate).decode()
    rows = "".join(f"{body[n : n + 64]}\n" for n in range(0, len(body), 64))
    return f"-----BEGIN CERTIFICATE-----\n{rows}-----END CERTIFICATE-----\n"


def _tlv(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    size = len(body)
    if size < 0x80:
        return bytes((tag, size)) + body
    width = (size.bit_length() + 7) // 8
    return bytes((tag, 0x80 | width)) + size.to_bytes(width, "big") + body


def _integer(value: int) -> bytes:
    return _tlv(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def _oid(dotted: str) -> bytes:
    first, second, *rest = (int(part) for part in dotted.split("."))
    body = bytearray([40 * first + second])
    for number in rest:
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(0x80 | number & 0x7F)
        body += bytes(reversed(groups))
    return _tlv(_OID, bytes(body))


def _name(organisation: str, name: str) -> bytes:
    rows = (("2.5.4.10", organisation), ("2.5.4.3", name))
    return _tlv(
        _SEQUENCE,
        *(_tlv(_SET, _tlv(_SEQUENCE, _oid(o), _tlv(_TEXT, value.encode()))) for o, value in rows),
    )


def _moment(at: int) -> bytes:
    return _tlv(_TIME, time.strftime("%y%m%d%H%M%SZ", time.gmtime(at)).encode())


def _key_id(key: bytes) -> bytes:
    return hashlib.sha1(key, usedforsecurity=False).digest()


def _extension(oid: str, value: bytes, *, critical: bool = False) -> bytes:
    return _tlv(_SEQUENCE, _oid(oid), _TRUE if critical else b"", _tlv(_OCTETS, value))
