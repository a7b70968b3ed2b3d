"""What task worlds are made of: named random streams, fixtures and one program tree.

Every function here returns bytes, text or `tmax_gym.files.Node`; the same key gives the same
bytes on every platform and Python version.  Nothing starts a process or touches a disk.

- Chance: `rng.Rng`.
- Pictures: `raster.Raster`, `png.encode`, `png.decode`.  Films: `avi.avi`.
  Sound: `wav.wav` around `wav.dtmf`, `wav.morse`, `wav.fsk`, `wav.tone`.
- Containers: `archive.tar`, `archive.zip_archive`, `archive.encrypted`, `deflate.gzip`.
- Repositories: `repo.Repository`.  Databases: `db.database`, `db.query`.
- Programs: `grammars.draw` makes one, `evaluate.run` runs it, `languages.render` writes it in six
  languages, `elf.executable` as a stripped binary,
  `mutants.mutants` as plausible mistakes, `probes.inputs` what to run it on; `sugar` spells
  trees by hand and `simplify` shortens them.
"""
