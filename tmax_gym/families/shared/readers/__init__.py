"""Reference programs that read a picture, a sound or a film, as an agent would write them.

Covers exactly what `world.png`, `world.wav` and `world.avi` write, in plain Python without
packages; each text defines one function and is put in front of what a family adds.  Does not
cover other depths, codecs or channels.
"""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

PICTURE = program_text(__package__, "picture.py")
"""`picture(path)` returns (width, height, pixel), with `pixel(x, y)` gray or (red, green, blue)."""

SOUND = program_text(__package__, "sound.py")
"""`sound(path)` returns (rate, samples); `power` is that of one frequency (Goertzel)."""

FILM = program_text(__package__, "film.py")
"""`film(path)` returns (width, height, frames, pixel), with `pixel(frame, x, y)`."""
