"""Tests of MODULE: a plain script, exit status 0 where all is well."""

import sys

sys.path.insert(0, "FOLDER")
sys.dont_write_bytecode = True

from MODULE import NAMES


def refuses(function, *given):
    try:
        function(*given)
    except ValueError:
        return True
    return False
