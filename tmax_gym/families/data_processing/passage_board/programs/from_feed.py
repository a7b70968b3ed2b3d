import urllib.error
import urllib.request

known, after = {}, 0


def fetch():
    for _ in range(300):
        try:
            url = f"http://127.0.0.1:@source/passages?after={after}"
            return json.load(urllib.request.urlopen(url, timeout=5))
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
        except OSError:
            time.sleep(0.02)
    raise OSError("the feed does not answer")


def passages():
    global after
    while True:
        page = fetch()
        if not page["passages"]:
            return sorted(p for p in known.values() if p)
        after = page["after"]
        for number, tick, kind in page["passages"]:
            if kind is None:
                known[number] = None
            else:
                known.setdefault(number, (tick, kind))
