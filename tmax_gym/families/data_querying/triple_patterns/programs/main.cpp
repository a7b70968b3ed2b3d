#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using Words = std::vector<std::string>;
using Pairs = std::set<std::pair<std::string, std::string>>;
using Binding = std::map<std::string, std::string>;
static std::vector<Words> triples;

static Words split(const std::string &text, char sign) {
    Words made;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, sign);)
        if (!part.empty()) made.push_back(part);
    return made;
}
static Pairs chained(const Pairs &one, const Pairs &two) {
    Pairs made;
    for (const auto &[a, b] : one)
        for (auto at = two.lower_bound({b, ""}); at != two.end() && at->first == b; ++at)
            made.insert({a, at->second});
    return made;
}
static Pairs step(std::string text) {
    bool back = text[0] == '/*@inverse*/#/*@*/', star = text.back() == '/*@star*/#/*@*/';
    bool many = star || text.back() == '/*@plus*/#/*@*/';
    if (back) text.erase(0, 1);
    if (many) text.pop_back();
    Pairs pairs;
    for (const auto &t : triples)
        if (t[1] == text) pairs.insert(back ? std::pair(t[2], t[0]) : std::pair(t[0], t[2]));
    for (std::size_t size = 0; many && pairs.size() > size;) {
        size = pairs.size();
        pairs.merge(chained(pairs, pairs));
    }
    for (const auto &t : triples)
        if (star) pairs.insert({{t[0], t[0]}, {t[2], t[2]}});
    return pairs;
}
static Pairs path(const std::string &text) {
    Pairs found;
    for (const auto &part : split(text, '/*@either*/#/*@*/')) {
        Words steps = split(part, '/*@sequence*/#/*@*/');
        Pairs pairs = step(steps[0]);
        for (std::size_t i = 1; i < steps.size(); ++i) pairs = chained(pairs, step(steps[i]));
        found.merge(pairs);
    }
    return found;
}
static std::string hops(const std::string &start, const std::string &end, Pairs pairs) {
    Pairs turned;
    for (const auto &[a, b] : pairs) turned.insert({b, a});
    if (/*@both*/0/*@*/) pairs.merge(turned);
    std::set<std::string> here{start}, seen{start};
    for (int count = 0; !here.empty(); ++count) {
        if (here.count(end)) return std::to_string(count);
        std::set<std::string> next;
        for (const auto &[a, b] : pairs)
            if (here.count(a) && seen.insert(b).second) next.insert(b);
        here = next;
    }
    return "-";
}
static bool bind(Binding &binding, const std::string &name, const std::string &value) {
    return (name[0] == '?' ? binding.emplace(name, value).first->second : name) == value;
}
static std::string value(const Binding &binding, const std::string &name) {
    auto found = binding.find(name);
    return found == binding.end() ? name : found->second;
}
static bool fits(const Binding &binding, const Words &part) {
    if (part[0] == "not")
        return !path(part[2]).count({value(binding, part[1]), value(binding, part[3])});
    std::string left = value(binding, part[0]), right = value(binding, part[2]);
    return part[1] == "!=" ? left != right : left < right;
}
static std::string rows(const Words &head, const std::vector<Words> &parts) {
    std::vector<Binding> found(1);
    for (const auto &part : parts) {
        if (part[0] == "not" || part[1] == "!=" || part[1] == "<") continue;
        std::vector<Binding> more;
        Pairs pairs = path(part[1]);
        for (const auto &binding : found)
            for (const auto &[a, b] : pairs) {
                Binding next = binding;
                if (bind(next, part[0], a) && bind(next, part[2], b)) more.push_back(next);
            }
        found = more;
    }
    Words made;
    for (const auto &binding : found) {
        bool good = true;
        for (const auto &part : parts)
            if (part[0] == "not" || part[1] == "!=" || part[1] == "<")
                good = good && fits(binding, part);
        std::string row;
        for (const auto &name : head) row += (row.empty() ? "" : ",") + binding.at(name);
        if (good) made.push_back(row);
    }
    std::sort(made.begin(), made.end());
    if (!/*@bag*/0/*@*/) made.erase(std::unique(made.begin(), made.end()), made.end());
    std::string said;
    for (const auto &row : made) said += (said.empty() ? "" : " ") + row;
    return said.empty() ? "none" : said;
}

int main() {
    std::string line;
    while (std::getline(std::cin, line) && line != "?") triples.push_back(split(line, ' '));
    while (std::getline(std::cin, line)) {
        Words head;
        std::vector<Words> parts(1);
        bool tail = false;
        for (const auto &word : split(line, ' ')) {
            if (word == ":") tail = true;
            else if (word == ".") parts.emplace_back();
            else (tail ? parts.back() : head).push_back(word);
        }
        if (head[0] == "hops") std::cout << hops(head[1], head[2], path(parts[0][0])) << '\n';
        else std::cout << rows(head, parts) << '\n';
    }
}
