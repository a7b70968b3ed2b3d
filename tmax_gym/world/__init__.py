"""Build the contents of task worlds: media, archives, databases, repositories, programs.

Every function here returns bytes, text or `tmax_gym.nodes.Node`; the same key gives the same
bytes on every platform and Python version.  Nothing starts a process or touches a disk.

- `media`: pictures (`raster.Raster`, `png.encode`), films (`avi.avi`) and sound (`wav.dtmf`,
  `wav.fsk`, `wav.tone`).
- `archives`: tar, zip and openssl's password format, which need `deflate` and `aes`.
- `repository`: git repositories.  `database`: SQLite files.
- `binaries`: stripped executables for x86-64 Linux, without a compiler.
- `programs`: `grammars.draw` draws a program tree, `evaluate.run` runs it, `languages.render`
  writes it in six languages, `mutants.mutants` makes plausible mistakes, and `probes.inputs` makes
  inputs.
- `toolchains`: how source of each language is named, compiled and started.

All randomness comes from `tmax_gym.rng`.
"""
