#include <iostream>
//@ record
#include <cstdint>
#include <string>
#include <vector>

namespace lib {

// @doc
struct Record {
    std::string name;
    std::int64_t value;
};

// All lines, in order.
using Table = std::vector<Record>;

}  // namespace lib
//@ reading
#include <iostream>

namespace lib {

// @doc
inline Table read_table(std::istream &from) {
    Table made;
    for (Record next; from >> next.name >> next.value;)
        made.push_back(next);
    return made;
}

}  // namespace lib
//@ report
#include <ostream>

namespace lib {

// @doc
void print_table(std::ostream &to, const Table &shown);

}  // namespace lib

inline void lib::print_table(std::ostream &to, const lib::Table &shown) {
    std::int64_t total = 0;
    for (const Record &one : shown) {
        to << one.name << ' ' << one.value << '\n';
        total += one.value;
    }
    to << "rows " << shown.size() << " total " << total << '\n';
}
//@ scale

namespace lib {

// @doc
inline void scale(Table &t, std::int64_t factor, std::int64_t offset) {
    for (Record &row : t)
        row.value = row.value * factor + offset;
}

}  // namespace lib
//@ wrap

namespace lib {

// @doc
inline void wrap(Table &t, std::int64_t size) {
    for (Record &row : t) {
        row.value %= size;
        if (row.value < 0)
            row.value += size;
    }
}

}  // namespace lib
//@ merge
#include <map>

namespace lib {

// @doc
inline void merge(Table &t) {
    std::map<std::string, std::size_t> places;
    Table kept;
    for (const Record &row : t) {
        const auto [place, added] = places.emplace(row.name, kept.size());
        if (added)
            kept.push_back(row);
        else
            kept[place->second].value += row.value;
    }
    t = kept;
}

}  // namespace lib
//@ rank
#include <algorithm>

namespace lib {

// @doc
inline void rank(Table &t) {
    std::sort(t.begin(), t.end(), [](const Record &a, const Record &b) {
        return a.value != b.value ? a.value > b.value : a.name < b.name;
    });
}

}  // namespace lib
//@ delta

namespace lib {

// @doc
inline void delta(Table &t) {
    std::int64_t before = t.empty() ? 0 : t.front().value;
    for (Record &row : t) {
        const std::int64_t now = row.value;
        row.value = now - before;
        before = now;
    }
}

}  // namespace lib
//@ window

namespace lib {

// @doc
inline void window(Table &t, std::size_t length) {
    for (std::size_t i = t.size(); i-- > 0;)
        for (std::size_t back = 1; back < length && back <= i; ++back)
            t[i].value += t[i - back].value;
}

}  // namespace lib
//@ keep
#include <algorithm>

namespace lib {

// @doc
inline void keep(Table &t, std::int64_t least) {
    const auto low = [least](const Record &row) { return row.value < least; };
    t.erase(std::remove_if(t.begin(), t.end(), low), t.end());
}

}  // namespace lib
//@ head

namespace lib {

// @doc
void head(Table &t, std::size_t most);

}  // namespace lib

inline void lib::head(lib::Table &t, std::size_t most) {
    if (t.size() > most)
        t.resize(most);
}
//@ fold

namespace lib {

// @doc
inline void fold(Table &t) {
    for (Record &row : t)
        for (char &c : row.name)
            if (c >= 'A' && c <= 'Z')
                c = static_cast<char>(c - 'A' + 'a');
}

}  // namespace lib
//@

int main() {
    lib::Table t = lib::read_table(std::cin);
    lib::print_table(std::cout, t);
}
