#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

constexpr int ORDER = /*@order*/3/*@*/, DELAY = /*@delay*/2/*@*/, PAUSE = /*@pause*/3/*@*/, RESUME = /*@resume*/1/*@*/;
constexpr bool HALT = /*@halt*/0/*@*/, BY_START = /*@starts*/1/*@*/;
using Names = std::set<std::string>;
struct Step { int cost = 0, tries = 0, rank = 0, fails = 0; Names needs, wants; };
std::map<std::string, Step> steps;
std::map<std::string, std::string> settled;

Names split(const std::string &text) {
    Names found;
    std::stringstream in(text);
    for (std::string name; std::getline(in, name, ',');)
        if (name != "-") found.insert(name);
    return found;
}

int path(const std::string &name) {
    int longest = 0;
    for (const auto &[other, step] : steps)
        if (step.needs.count(name) || step.wants.count(name))
            longest = std::max(longest, path(other));
    return steps[name].cost + longest;
}

int urgency(const std::string &name) {
    const Step &step = steps[name];
    if (ORDER == 0) return step.rank;
    if (ORDER == 1) return -step.rank;
    if (ORDER == 4) return step.cost;
    if (ORDER == 2) return -path(name);
    int count = 0;
    for (const auto &[other, o] : steps) count += o.needs.count(name) || o.wants.count(name);
    return -count;
}

bool good(const std::string &name) {
    auto it = settled.find(name);
    return it != settled.end() && (it->second == "done" || it->second == "kept");
}

int main() {
    int workers = 1;
    Names kept;
    for (std::string line; std::getline(std::cin, line);) {
        std::stringstream in(line);
        std::string word, name, item;
        in >> word >> name;
        if (word == "workers") workers = std::stoi(name);
        if (word == "kept") kept.insert(name);
        if (word != "step") continue;
        Step step;
        while (in >> item) {
            auto at = item.find('=');
            std::string key = item.substr(0, at), value = item.substr(at + 1);
            if (key == "cost") step.cost = std::stoi(value);
            if (key == "tries") step.tries = std::stoi(value);
            if (key == "rank") step.rank = std::stoi(value);
            if (key == "fails") step.fails = std::stoi(value);
            if (key == "needs") step.needs = split(value);
            if (key == "wants") step.wants = split(value);
        }
        steps[name] = step;
    }
    Names left;
    for (const auto &item : steps) left.insert(item.first);
    for (bool moved = true; moved;) {
        Names out;
        for (const auto &name : left) {
            bool waits = false;
            for (const auto &n : steps[name].needs) waits |= left.count(n) > 0;
            for (const auto &n : steps[name].wants) waits |= left.count(n) > 0;
            if (!waits) out.insert(name);
        }
        for (const auto &name : out) left.erase(name);
        moved = !out.empty();
    }
    if (!left.empty()) {
        std::cout << "cycle";
        for (const auto &name : left) std::cout << ' ' << name;
        std::cout << '\n';
        return 0;
    }
    for (bool moved = RESUME == 2; moved;) {
        Names gone;
        for (const auto &name : kept)
            for (const auto &n : steps[name].needs) if (!kept.count(n)) gone.insert(name);
        for (const auto &name : gone) kept.erase(name);
        moved = !gone.empty();
    }
    if (RESUME > 0)
        for (const auto &name : kept) {
            settled[name] = "kept";
            std::cout << "0 kept " << name << '\n';
        }
    std::map<std::string, std::pair<int, int>> running;
    std::map<std::string, int> free_at, attempts, rank;
    for (const auto &item : steps) rank[item.first] = urgency(item.first);
    int now = 0, starts = 0;
    bool halted = false;
    while (true) {
        std::vector<std::pair<int, std::string>> over;
        for (const auto &[name, run] : running)
            if (run.first == now) over.emplace_back(BY_START ? run.second : 0, name);
        std::sort(over.begin(), over.end());
        for (const auto &item : over) {
            const std::string &name = item.second;
            running.erase(name);
            int count = attempts[name];
            if (count > steps[name].fails) {
                settled[name] = "done";
                std::cout << now << " done " << name << '\n';
            } else if (count < steps[name].tries && !halted) {
                int factor = DELAY == 0 ? 1 : DELAY == 1 ? count : 1 << (count - 1);
                free_at[name] = now + PAUSE * factor;
                std::cout << now << " retry " << name << '\n';
            } else {
                settled[name] = "failed";
                std::cout << now << " failed " << name << '\n';
                if (HALT) { halted = true; continue; }
                Names lost, more{name};
                while (!more.empty()) {
                    Names next;
                    for (const auto &[other, step] : steps)
                        for (const auto &n : step.needs)
                            if (more.count(n) && !lost.count(other) && !settled.count(other))
                                next.insert(other);
                    lost.insert(next.begin(), next.end());
                    more = next;
                }
                for (const auto &other : lost) {
                    settled[other] = "skipped";
                    std::cout << now << " skipped " << other << '\n';
                }
            }
        }
        std::vector<std::pair<int, std::string>> ready;
        for (const auto &[name, step] : steps) {
            bool fit = !halted && !settled.count(name) && !running.count(name);
            fit = fit && free_at[name] <= now;
            for (const auto &n : step.needs) fit = fit && good(n);
            for (const auto &n : step.wants) fit = fit && settled.count(n);
            if (fit) ready.emplace_back(rank[name], name);
        }
        std::sort(ready.begin(), ready.end());
        for (const auto &item : ready) {
            if ((int)running.size() >= workers) break;
            const std::string &name = item.second;
            std::cout << now << " start " << name << '\n';
            attempts[name]++;
            running[name] = {now + steps[name].cost, ++starts};
        }
        int next = -1;
        auto offer = [&](int at) { if (next < 0 || at < next) next = at; };
        for (const auto &item : running) offer(item.second.first);
        if (!halted)
            for (const auto &[name, at] : free_at)
                if (at > now && !settled.count(name) && !running.count(name)) offer(at);
        if (next < 0) break;
        now = next;
    }
    for (const auto &item : steps)
        if (!settled.count(item.first)) {
            settled[item.first] = "skipped";
            std::cout << now << " skipped " << item.first << '\n';
        }
    std::map<std::string, int> count;
    for (const auto &item : settled) count[item.second]++;
    std::cout << now << " end done=" << count["done"] << " kept=" << count["kept"]
              << " failed=" << count["failed"] << " skipped=" << count["skipped"] << '\n';
}
