import sqlite3


def asked(events, query, *values):
    with sqlite3.connect(":memory:") as db:
        db.execute("create table p (tick integer, kind text)")
        db.executemany("insert into p values (?, ?)", events)
        return db.execute(query, values).fetchall()


def counts(events, start, end):
    query = "select kind, count(*) from p where tick >= ? and tick < ? group by kind"
    found = dict(asked(events, query, start, end))
    return {"counts": {k: found.get(k, 0) for k in KINDS}, "total": sum(found.values())}


def busiest(events, width):
    start, total = asked(events, "select a.tick, (select count(*) from p b where b.tick >= a.tick "
                         "and b.tick < a.tick + ?) n from p a order by n desc, a.tick", width)[0]
    return {"from": start, "total": total}


def series(events, size):
    found = dict(asked(events, "select tick / ?, count(*) from p group by 1", size))
    return {"series": [found.get(n, 0) for n in range(max(found) + 1)]}
