"""The last few usages and their figures."""


class Window:
    def __init__(self, size, limit):
        self.size, self.limit = size, limit
        self.usages = []
        self.lines = self.total = 0

    def add(self, second, usage, fresh):
        if fresh:
            self.usages = []
        self.usages.append(usage)
        if len(self.usages) > self.size:
            self.usages.pop(0)
        self.lines += 1
        self.total += usage
        return " ".join(map(str, (second, usage, *self.figures())))

    def figures(self):
        total, count = sum(self.usages), len(self.usages)
        mean = (2 * total + count) // (2 * count)
        peak = max(self.usages)
        mark = "high" if total > self.limit else "ok"
        return total, mean, peak, mark

    def end(self):
        return f"end {self.lines} {self.total}"
