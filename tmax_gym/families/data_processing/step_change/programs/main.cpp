#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using num = long long;
using Row = std::vector<num>;
using Places = std::vector<int>;
constexpr int SCALE = /*@scale@*/2/*@*/, WHOLE = /*@whole@*/0/*@*/, ODD = /*@odd@*/0/*@*/, MEND = /*@mend@*/1/*@*/, CHANGE = /*@change@*/0/*@*/;
constexpr int WINDOW = /*@window@*/3/*@*/, DISTANCE = /*@distance@*/0/*@*/, BAND = /*@band@*/2/*@*/, DEAL = /*@deal@*/0/*@*/;
constexpr num LIMIT = /*@limit@*/75/*@*/, BOUND = /*@bound@*/250/*@*/;

struct Found { Places odd, steps; Row z; num least = 0; int at = -1; };

static std::vector<std::string> names;
static std::vector<Row> rows;
static std::vector<Found> found;
static Row everything;
static int workers;

static num floored(num a, num b) { return a / b - (a % b != 0 && a < 0); }
static num sum(const Row &z, int low, int high) {
    return std::accumulate(z.begin() + low, z.begin() + high, 0LL);
}

static Row scale(Row known, const Row &values) {
    int n = static_cast<int>(known.size());
    std::sort(known.begin(), known.end());
    num middle = known[0], size = known[n - 1] - known[0], unit = 1000;
    if (SCALE) {
        unit = 100;
        middle = SCALE == 1 ? floored(sum(known, 0, n), n) : known[n / 2];
        for (num &v : known) v = std::llabs(v - middle);
        std::sort(known.begin(), known.end());
        size = SCALE == 1 ? sum(known, 0, n) / n : known[n / 2];
    }
    Row made;
    for (num v : values) made.push_back(floored(unit * (v - middle), size ? size : 1));
    return made;
}

static bool is_odd(const Row &z, num middle, int i) {
    int n = static_cast<int>(z.size());
    if (ODD == 0) return std::llabs(z[i] - middle) > LIMIT;
    if (ODD == 1)
        return i > 0 && i < n - 1 && std::llabs(2 * z[i] - z[i - 1] - z[i + 1]) > LIMIT;
    return i >= WINDOW && std::llabs(WINDOW * z[i] - sum(z, i - WINDOW, i)) > LIMIT * WINDOW;
}

static void split(Found &one, int low, int high) {
    num n = high - low, total = sum(one.z, low, high), head = 0, best = 0;
    int place = 0;
    for (int k = 1; k < n; ++k) {
        head += one.z[low + k - 1];
        num size = std::llabs(n * head - k * total);
        if (size > best) { best = size; place = k; }
    }
    if (best <= BOUND * n) return;
    if (CHANGE == 2) split(one, low, low + place);
    one.steps.push_back(low + place);
    if (CHANGE == 2) split(one, low + place, high);
}

static void pairs(Found &one) {
    int n = static_cast<int>(one.z.size());
    std::vector<bool> gone(n + 1);
    for (;;) {
        num best = BOUND * WINDOW;
        int place = -1;
        for (int k = WINDOW; k + WINDOW <= n; ++k) {
            num size = std::llabs(sum(one.z, k, k + WINDOW) - sum(one.z, k - WINDOW, k));
            if (!gone[k] && size > best) { best = size; place = k; }
        }
        if (place < 0) break;
        one.steps.push_back(place);
        for (int k = 0; k <= n; ++k) if (std::abs(k - place) < WINDOW) gone[k] = true;
    }
    std::sort(one.steps.begin(), one.steps.end());
}

static void look(int number) {
    Found &one = found[number];
    one.z = scale(WHOLE ? everything : rows[number], rows[number]);
    Row sorted = one.z;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < static_cast<int>(one.z.size()); ++i)
        if (is_odd(one.z, sorted[sorted.size() / 2], i)) one.odd.push_back(i);
    for (int i : one.odd) if (MEND && i) one.z[i] = one.z[i - 1];
    if (CHANGE == 1) pairs(one);
    else split(one, 0, static_cast<int>(one.z.size()));
}

static num apart(const Row &a, const Row &b) {
    int n = static_cast<int>(a.size());
    num total = 0, most = 0, squares = 0;
    for (int i = 0; i < n; ++i) {
        num d = std::llabs(a[i] - b[i]);
        total += d;
        squares += d * d;
        most = std::max(most, d);
    }
    if (DISTANCE < 3) return DISTANCE == 0 ? total : DISTANCE == 1 ? most : squares / n;
    const num far = 1LL << 60;
    Row above(n, far);
    for (int i = 0; i < n; ++i) {
        Row row(n, far);
        for (int j = std::max(0, i - BAND); j < std::min(n, i + BAND + 1); ++j) {
            num before = above[j];
            if (j) before = std::min({before, row[j - 1], above[j - 1]});
            row[j] = std::llabs(a[i] - b[j]) + (i || j ? before : 0);
        }
        above = row;
    }
    return above[n - 1];
}

static void nearest(int number) {
    Found &one = found[number];
    for (int o = 0; o < static_cast<int>(found.size()); ++o) {
        if (o == number) continue;
        num d = apart(one.z, found[o].z);
        if (one.at < 0 || d < one.least) { one.least = d; one.at = o; }
    }
}

static int worker(int n) {
    int count = static_cast<int>(rows.size());
    if (DEAL == 1) return n / ((count + workers - 1) / workers);
    return DEAL == 2 && n / workers % 2 ? workers - 1 - n % workers : n % workers;
}

static void spread(const std::function<void(int)> &task) {
    std::vector<std::thread> threads;
    for (int w = 0; w < workers; ++w)
        threads.emplace_back([w, &task] {
            for (int n = 0; n < static_cast<int>(rows.size()); ++n) if (worker(n) == w) task(n);
        });
    for (auto &thread : threads) thread.join();
}

static std::string shown(const Places &places) {
    std::string made;
    for (int p : places) made += (made.empty() ? "" : ",") + std::to_string(p + 1);
    return made.empty() ? "-" : made;
}

int main() {
    std::string line, name;
    std::getline(std::cin, line);
    workers = std::stoi(line);
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        if (!(words >> name)) continue;
        names.push_back(name);
        rows.emplace_back();
        for (num v; words >> v;) rows.back().push_back(v);
        everything.insert(everything.end(), rows.back().begin(), rows.back().end());
    }
    found.resize(rows.size());
    spread(look);
    spread(nearest);
    for (std::size_t n = 0; n < rows.size(); ++n)
        std::cout << names[n] << ' ' << shown(found[n].odd) << ' ' << shown(found[n].steps) << ' '
                  << names[found[n].at] << ' ' << found[n].least << ' '
                  << worker(static_cast<int>(n)) + 1 << '\n';
    for (int w = 0; w < workers; ++w) {
        std::size_t own = 0, odd = 0, steps = 0;
        for (std::size_t n = 0; n < rows.size(); ++n)
            if (worker(static_cast<int>(n)) == w) {
                ++own;
                odd += found[n].odd.size();
                steps += found[n].steps.size();
            }
        std::cout << "worker " << w + 1 << ": " << own << ' ' << odd << ' ' << steps << '\n';
    }
}
