"""Packs the files below a folder with a manifest, and writes the digest of the archive."""

import hashlib
import io
import os
import sys
import tarfile
import zipfile

root, target, top, manifest, kind, mtime, stored = sys.argv[1:]
paths = []
for folder, _, names in os.walk(root):
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and not os.path.islink(path):
            paths.append(os.path.relpath(path, root))
paths.sort(key=os.fsencode)
bodies = {}
for path in paths:
    with open(os.path.join(root, path), "rb") as file:
        bodies[path] = file.read()
lines = ["path,bytes"] if kind == "sizes" else []
for path in paths:
    digest = hashlib.sha256(bodies[path]).hexdigest()
    lines.append(
        {"sizes": f"{path},{len(bodies[path])}", "sums": f"{digest}  {path}"}.get(kind, path)
    )
text = "".join(f"{line}\n" for line in lines)
members = {top + path: body for path, body in bodies.items()}
if manifest.startswith("/"):
    with open(manifest, "w") as file:
        file.write(text)
else:
    members[top + manifest] = text.encode()
if target.endswith(".zip"):
    method = zipfile.ZIP_STORED if stored == "1" else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(target, "w", method) as archive:
        for path in sorted(members, key=os.fsencode):
            archive.writestr(path, members[path])
else:
    with tarfile.open(target, "w:gz") as archive:
        for path in sorted(members, key=os.fsencode):
            info = tarfile.TarInfo(path)
            info.size, info.mtime = len(members[path]), int(mtime)
            archive.addfile(info, io.BytesIO(members[path]))
with open(target, "rb") as file:
    digest = hashlib.sha256(file.read()).hexdigest()
with open(f"{target}.sha256", "w") as file:
    file.write(f"{digest}  {os.path.basename(target)}\n")
