#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

constexpr bool FOLD = /*@fold*/1/*@*/, TYPES = /*@types*/1/*@*/, DIGITS = /*@digits*/0/*@*/, GREEDY = /*@greedy*/1/*@*/;
constexpr bool NUMBERS = /*@numbers*/0/*@*/;
constexpr int MARK = /*@mark*/0/*@*/, TIE = /*@tie*/1/*@*/, LEAST = /*@least*/2/*@*/;
constexpr std::size_t LIMIT = /*@limit*/999/*@*/;
using Tokens = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;

static Tokens words(const std::string &line) {
    std::istringstream in(line);
    Tokens made;
    for (std::string w; in >> w;) {
        if (FOLD)
            for (char &c : w) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        made.push_back((MARK == 1 ? "_" : "") + w + (MARK == 2 ? "_" : ""));
    }
    return made;
}
static Tokens letters(const std::string &word) {
    Tokens made;
    for (char c : word) made.emplace_back(1, c);
    return made;
}
static bool digit(const std::string &token) { return token[0] >= '0' && token[0] <= '9'; }
static bool fits(const std::string &left, const std::string &right) {
    if (DIGITS && digit(left) != digit(right)) return false;
    return left.size() + right.size() <= LIMIT;
}
static bool beats(const Pair &a, const Pair &b) {
    if (TIE == 2) return false;
    std::size_t la = a.first.size() + a.second.size(), lb = b.first.size() + b.second.size();
    if (TIE == 3 && la != lb) return la < lb;
    if (TIE == 4 && la != lb) return la > lb;
    return TIE == 1 ? a > b : a < b;
}
static Tokens joined(const Tokens &word, const Pair &pair) {
    Tokens made;
    for (std::size_t i = 0; i < word.size(); ++i) {
        bool both = i + 1 < word.size() && word[i] == pair.first && word[i + 1] == pair.second;
        made.push_back(both ? word[i] + word[i + 1] : word[i]);
        i += both;
    }
    return made;
}

int main() {
    std::string line;
    std::getline(std::cin, line);
    std::size_t wanted = std::stoul(line);
    std::map<std::string, std::size_t> places;
    std::vector<std::pair<Tokens, int>> parts;
    std::set<std::string> characters;
    while (std::getline(std::cin, line) && line != "%")
        for (const auto &word : words(line)) {
            auto [place, added] = places.emplace(word, parts.size());
            if (added) parts.emplace_back(letters(word), 0);
            parts[place->second].second++;
            for (const auto &c : letters(word)) characters.insert(c);
        }
    std::vector<Pair> merges;
    while (merges.size() < wanted) {
        std::map<Pair, std::size_t> at;
        std::vector<std::pair<Pair, int>> seen;
        for (const auto &[word, times] : parts)
            for (std::size_t i = 0; i + 1 < word.size(); ++i) {
                if (!fits(word[i], word[i + 1])) continue;
                Pair pair{word[i], word[i + 1]};
                auto [place, added] = at.emplace(pair, seen.size());
                if (added) seen.emplace_back(pair, 0);
                seen[place->second].second += TYPES ? 1 : times;
            }
        std::size_t best = 0;
        for (std::size_t i = 1; i < seen.size(); ++i)
            if (seen[i].second > seen[best].second ||
                (seen[i].second == seen[best].second && beats(seen[i].first, seen[best].first)))
                best = i;
        if (seen.empty() || seen[best].second < LEAST) break;
        merges.push_back(seen[best].first);
        for (auto &part : parts) part.first = joined(part.first, merges.back());
        std::cout << merges.back().first << ' ' << merges.back().second << '\n';
    }
    std::map<std::string, int> number;
    for (const auto &c : characters) number.emplace(c, static_cast<int>(number.size()));
    for (const auto &[left, right] : merges)
        number.emplace(left + right, static_cast<int>(number.size()));
    std::size_t total = 0, made = 0, unknown = 0;
    while (std::getline(std::cin, line)) {
        const char *gap = "";
        for (const auto &word : words(line)) {
            Tokens tokens;
            if (GREEDY) {
                for (std::size_t at = 0, size; at < word.size(); at += size) {
                    size = word.size() - at;
                    while (size > 1 && !number.count(word.substr(at, size))) --size;
                    tokens.push_back(word.substr(at, size));
                }
            } else {
                tokens = letters(word);
                for (const auto &pair : merges) tokens = joined(tokens, pair);
            }
            ++total;
            for (const auto &token : tokens) {
                auto found = number.find(token);
                ++made;
                unknown += found == number.end();
                std::cout << gap;
                if (NUMBERS) std::cout << (found == number.end() ? -1 : found->second);
                else std::cout << token;
                gap = " ";
            }
        }
        std::cout << '\n';
    }
    std::cout << "words " << total << " tokens " << made << " unknown " << unknown << '\n';
}
