#@ 50_put
def put(name, body):
    for refuse in refusals:
        status = refuse(name, body)
        if status:
            return status, b""
    path = place(name)
    os.makedirs(os.path.dirname(path) or "/tmp", exist_ok=True)
    with open(path + ".part", "wb") as file:
        file.write(body)
    os.replace(path + ".part", path)
    return 201, b""
methods["PUT"] = put
#@ 60_get
def get(name, body):
    if not name and "list" in globals().get("extra", ()):
        return listing()
    path = safe(name) and place(name)
    if not path or not os.path.isfile(path):
        return 404, b""
    return 200, open(path, "rb").read()
methods["GET"] = get
#@ 10_name
refusals.append(lambda name, body: 0 if safe(name) else 400)
#@ 20_kind
refusals.append(lambda name, body: 0 if where(name) else 415)
#@ 30_size
refusals.append(lambda name, body: 413 if len(body) > where(name)[1] else 0)
#@ 40_twice
refusals.append(lambda name, body: 409 if os.path.exists(place(name)) else 0)
#@ 70_delete
def delete(name, body):
    if get(name, b"")[0] != 200:
        return 404, b""
    os.remove(place(name))
    return 204, b""
methods["DELETE"] = delete
#@ 80_list
extra = ("list",)
def listing():
    found = {}
    for folder in sorted(os.listdir(STORE) if os.path.isdir(STORE) else ()):
        names = sorted(n for n in os.listdir(f"{STORE}/{folder}") if not n.endswith(".part"))
        if names:
            found[folder] = names
    return 200, json.dumps(found).encode()
