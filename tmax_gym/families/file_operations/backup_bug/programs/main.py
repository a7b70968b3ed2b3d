"""Reads inventory lines `path|old|new` and prints what a backup has to do with each."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from keepsafe.actions import plan

with open(os.path.join(HERE, "exclude")) as file:
    patterns = file.read().split()
for line in sys.stdin:
    print(plan(line.rstrip("\n"), patterns))
