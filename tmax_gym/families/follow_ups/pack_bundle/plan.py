"""What one task of pack-bundle decides: the archive, its members and its manifest."""

from __future__ import annotations

import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from tmax_gym.families.contract import Following, World
from tmax_gym.families.products import Files
from tmax_gym.families.shared.columns import file_name

Kind = Literal["tar.gz", "zip"]
Listing = Literal["sums", "sizes", "list"]
HEADER = "path,bytes"
NAMES = {
    "sums": ("SHA256SUMS", "SUMS.txt", "contents.sha256"),
    "sizes": ("SIZES.csv", "contents.csv", "members.csv"),
    "list": ("CONTENTS", "MANIFEST.txt", "members.txt"),
}
EARLIEST, LATEST = 1_600_000_000, 1_750_000_000


@dataclass(frozen=True, kw_only=True)
class Bundle(World):
    """The decided facts."""

    target: str
    kind: Kind
    top: str
    """The folder in the archive, with a slash at its end; "" if there is none."""
    listing: Listing
    manifest: str
    """The name of the manifest in the archive, or its absolute path if it is not in there."""
    mtime: int
    """The time of all members; 0 if it does not matter, and in zip archives."""
    stored: bool
    """Whether the members of a zip archive must not be compressed."""

    @property
    def inside(self) -> bool:
        """Return whether the manifest is in the archive."""
        return not self.manifest.startswith("/")

    @property
    def when(self) -> str:
        """Return the time of all members in words."""
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(self.mtime))

    @property
    def checksum(self) -> str:
        """Return the path of the file with the digest of the archive."""
        return f"{self.target}.sha256"


def decided(ctx: Following[Files]) -> Bundle:
    """Return the form of the archive."""
    rng = ctx.rng.fork("bundle")
    kind: Kind = rng.choice(("tar.gz", "zip"))
    stem = rng.choice(
        (file_name(ctx.product.noun, "x")[:-2], "bundle", "delivery", ctx.skin.stem(rng))
    )
    target = ctx.path(f"{stem}.{kind}")
    listing: Listing = rng.choice(("sums", "sizes", "list"))
    free = [name for name in NAMES[listing] if name not in ctx.product.contents]
    name, inside = rng.choice(free), rng.chance(0.5)
    moment = rng.integer(EARLIEST // 3600, LATEST // 3600) * 3600
    major, minor = rng.integer(1, 4), rng.integer(0, 9)
    top = rng.choice(("", f"{stem}/", f"{stem}-{major}.{minor}/"))
    beside = () if inside else (ctx.path(name),)
    return Bundle(
        nodes=(),
        outputs=(target, f"{target}.sha256", *beside),
        volatile=(target,),
        target=target,
        kind=kind,
        top=top,
        listing=listing,
        manifest=name if inside else ctx.path(name),
        mtime=moment if kind == "tar.gz" and rng.chance(0.6) else 0,
        stored=kind == "zip" and rng.chance(0.5),
    )


def lines(product: Files, listing: Listing) -> tuple[str, ...]:
    """Return the right manifest."""
    paths = sorted(product.contents, key=str.encode)
    if listing == "list":
        return tuple(paths)
    bodies = [(path, product.contents[path]) for path in paths]
    if listing == "sums":
        return tuple(f"{sha256(body).hexdigest()}  {path}" for path, body in bodies)
    return (HEADER, *(f"{path},{len(body)}" for path, body in bodies))
