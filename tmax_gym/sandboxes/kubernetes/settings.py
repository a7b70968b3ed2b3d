"""Where and how the backend `kubernetes` makes its pods, from variables `TMAX_KUBERNETES_*`.

The connection itself comes from the usual places: `$KUBECONFIG`, `~/.kube/config`, or the service
account of the pod that this process runs in.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from tmax_gym.errors import BackendUnavailable, ImageError

PREFIX = "TMAX_KUBERNETES_"
_NAME = "{name}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where and how pods are made."""

    images: str = ""
    """Where the cluster pulls our images from, as `registry.example/tmax/{name}:1`."""
    namespace: str = "tmax-sandboxes"
    context: str = ""
    """Of the kubeconfig file; its current one if empty."""
    runtime: str = ""
    """Name of a RuntimeClass, for example `gvisor`; the cluster's default if empty."""
    pull_secret: str = ""
    """Name of a Secret of the namespace with which images are pulled."""
    user_namespace: bool = False
    """Whether root of a pod is a plain user of its node (`hostUsers: false`)."""
    start_seconds: float = 300.0
    """For a pod to run: the image may have to be pulled first, and a node to be added."""
    life_seconds: int = 4 * 3600
    """After which a pod and its resource end, whatever has become of this process."""

    def reference(self, image: str) -> str:
        """Return what the cluster pulls for an image; a name with a colon is taken as it is.

        Raises:
            ImageError: It is not known where our images are.
        """
        if ":" in image:
            return image
        if not self.images:
            raise ImageError(f"the cluster cannot pull the image {image!r}: {NO_IMAGES}")
        return self.images.replace(_NAME, "core" if image == "host" else image)


NO_IMAGES = (
    f"push the images to a registry (`tmax images build core` makes ~/.cache/tmax-gym/images/core; "
    f"docs/fleet.md has the commands), and set {PREFIX}IMAGES=registry.example/tmax/{_NAME}:TAG"
)


def from_environment() -> Settings:
    """Return the settings; raise `BackendUnavailable` for a value that cannot be used."""
    plain = Settings()
    start = _number("START_SECONDS", plain.start_seconds)
    return Settings(
        images=_images(),
        namespace=os.environ.get(f"{PREFIX}NAMESPACE") or plain.namespace,
        context=os.environ.get(f"{PREFIX}CONTEXT", ""),
        runtime=os.environ.get(f"{PREFIX}RUNTIME", ""),
        pull_secret=os.environ.get(f"{PREFIX}PULL_SECRET", ""),
        user_namespace=os.environ.get(f"{PREFIX}USER_NAMESPACE", "") not in ("", "0"),
        start_seconds=start,
        life_seconds=int(_number("LIFE_SECONDS", plain.life_seconds)),
    )


def _images() -> str:
    images = os.environ.get(f"{PREFIX}IMAGES", "")
    if images and _NAME not in images:
        raise BackendUnavailable(
            f"{PREFIX}IMAGES is {images!r}, without {_NAME}: one name for every image"
        )
    return images


def _number(name: str, plain: float) -> float:
    given = os.environ.get(f"{PREFIX}{name}", "")
    try:
        value = float(given) if given else plain
    except ValueError:
        value = 0.0
    if value <= 0:
        raise BackendUnavailable(f"{PREFIX}{name} is {given!r}: give a positive number of seconds")
    return value
