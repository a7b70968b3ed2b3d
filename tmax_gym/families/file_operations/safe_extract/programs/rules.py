#@ climb
rules.append(lambda ms: any('..' in m.name.split('/') for m in ms))
#@ absolute
rules.append(lambda ms: any(m.name.startswith('/') for m in ms))
#@ linkout
def linkout(ms):
    for m in ms:
        if m.issym():
            full = posixpath.normpath(posixpath.join(posixpath.dirname(m.name), m.linkname))
            if m.linkname.startswith("/") or full.split("/")[0] == "..":
                return True
rules.append(linkout)
#@ through
def through(ms):
    links = [posixpath.normpath(m.name) + "/" for m in ms if m.issym()]
    return any((posixpath.normpath(m.name)).startswith(tuple(links)) for m in ms)
rules.append(through)
#@ kinds
rules.append(lambda ms: any(not (m.isreg() or m.isdir() or m.issym()) for m in ms))
#@ twice
def twice(ms):
    names = [posixpath.normpath(m.name) for m in ms]
    return len(set(names)) < len(names)
rules.append(twice)
#@ setuid
rules.append(lambda ms: any(m.mode & 0o6000 for m in ms))
#@ many
rules.append(lambda ms: len(ms) > HOLE("@limit"))
