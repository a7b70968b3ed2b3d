import json, os, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

RESOURCE, PORT, TOKEN, STORE = "@resource", HOLE("@port"), "@token_path", "@store_path"
TOKEN = open(TOKEN).read().strip() if TOKEN else ""
NEXT = 1
LOCK = threading.Lock()
state = {"next": NEXT, "items": {}}
if STORE and os.path.exists(STORE):
    state = json.load(open(STORE))


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=None):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if data:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def missing(self):
        self.answer(404, {"error": "not found"})

    def codes(self):
        return {item["code"] for item in state["items"].values()}

    def keep(self):
        if STORE:
            with open(STORE + ".new", "w") as file:
                json.dump(state, file)
            os.replace(STORE + ".new", STORE)

    def refused(self):
        if TOKEN and self.headers.get("X-Token") != TOKEN:
            self.answer(401, {"error": "unauthorized"})
            return True
        return False

    def item(self):
        base, _, key = urlsplit(self.path).path.strip("/").partition("/")
        return key if base == RESOURCE and key in state["items"] else None

    def do_GET(self):
        url = urlsplit(self.path)
        with LOCK:
            if url.path == "/" + RESOURCE:
                query = parse_qs(url.query)
                limit = int(query.get("limit", ["20"])[0])
                after = int(query.get("after", ["0"])[0])
                rows = [i for i in state["items"].values() if i["id"] > after]
                page = rows[:limit]
                more = page[-1]["id"] if page and len(rows) > limit else None
                return self.answer(200, {"items": page, "next": more})
            key = self.item()
            return self.answer(200, state["items"][key]) if key else self.missing()

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with LOCK:
            if self.refused():
                return
            if urlsplit(self.path).path != "/" + RESOURCE:
                return self.missing()
            try:
                body = json.loads(data)
                code, amount = body["code"], body["amount"]
            except (ValueError, KeyError, TypeError):
                return self.answer(400, {"error": "invalid"})
            whole = isinstance(amount, int) and not isinstance(amount, bool)
            if not (isinstance(code, str) and code and whole and int(amount) >= 0):
                return self.answer(400, {"error": "invalid"})
            if code in self.codes():
                return self.answer(409, {"error": "duplicate"})
            item = {"id": state["next"], "code": code, "amount": amount}
            state["items"][str(item["id"])] = item
            state["next"] += 1
            self.keep()
            self.answer(201, item)

    def do_DELETE(self):
        with LOCK:
            if self.refused():
                return
            key = self.item()
            if not key:
                return self.missing()
            del state["items"][key]
            self.keep()
            self.answer(204)


ThreadingHTTPServer(("127.0.0.1", PORT), Service).serve_forever()
