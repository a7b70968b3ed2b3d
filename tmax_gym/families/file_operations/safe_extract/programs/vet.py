import glob, os, posixpath, sys, tarfile
rules = []
here = os.path.dirname(os.path.abspath(__file__))
for path in sorted(glob.glob(here + "/vet.d/*.py")):
    exec(open(path).read())
for path in sys.argv[1:]:
    members = []
    with tarfile.open(path) as box:
        for m in box.getmembers():
            members.append(m)
    print("reject" if any(rule(members) for rule in rules) else "accept")
