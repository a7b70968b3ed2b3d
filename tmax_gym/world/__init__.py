"""What task worlds are made of: named random streams, fixtures and one program IR.

Every function here returns bytes, text or `tmax_gym.files.Node`; the same key gives the same
bytes on every platform and Python version.  Nothing starts a process or touches a disk.
"""
