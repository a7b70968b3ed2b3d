//@ frame
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// One row of a batch.
struct Row {
    std::string name;
    std::int64_t value;
};
using Rows = std::vector<Row>;

// A step of the service: rows in, rows out, nothing kept from one batch to the next.
class Step {
public:
    virtual ~Step() = default;
    virtual Rows apply(Rows rows) = 0;
};

// Reads the lines "name value" up to a line "end"; returns false where none are left.
bool read_batch(std::istream& from, Rows& to)
{
    to.clear();
    std::string line;
    while (std::getline(from, line)) {
        if (line == "end")
            return true;
        const std::size_t cut = line.find(' ');
        std::string_view name = std::string_view(line).substr(0, cut);
        to.push_back(Row{std::string(name), std::stoll(line.substr(cut + 1))});
    }
    return !to.empty();
}

// Prints every row, and then how many there are and their sum.
void print_batch(std::ostream& to, const Rows& rows)
{
    std::int64_t total = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        to << row.name << ' ' << row.value << '\n';
        total += row.value;
    }
    to << "= " << rows.size() << ' ' << total << '\n';
}
//@ tally
// @doc
class Tally : public Step {
public:
    Rows apply(Rows rows) override
    {
        std::unordered_map<std::string, std::size_t> places;
        Rows kept;
        for (const Row& row : rows) {
            const auto found = places.find(row.name);
            if (found == places.end()) {
                kept.push_back(row);
                places[row.name] = kept.size() - 1;
            } else {
                kept[found->second].value += row.value;
            }
        }
        return kept;
    }
};
//@ window
// @doc
class Window : public Step {
public:
    explicit Window(std::size_t length) : length(length) {}
    Rows apply(Rows rows) override
    {
        std::unique_ptr<std::int64_t[]> ring(new std::int64_t[length]());
        std::int64_t sum = 0;
        std::size_t at = 0;
        for (Row& row : rows) {
            sum += row.value - ring.get()[at];
            ring.get()[at] = row.value;
            row.value = sum;
            if (++at == length)
                at = 0;
        }
        return rows;
    }

private:
    std::size_t length;
};
//@ expand
// @doc
class Expand : public Step {
public:
    explicit Expand(std::int64_t most) : most(most) {}
    Rows apply(Rows rows) override
    {
        Rows grown;
        for (const Row& row : rows) {
            const std::int64_t more = std::abs(row.value) % most;
            for (std::int64_t i = 0; i <= more; ++i)
                grown.push_back(row);
        }
        return grown;
    }

private:
    std::int64_t most;
};
//@ drop
// @doc
class Drop : public Step {
public:
    explicit Drop(std::int64_t least) : least(least) {}
    Rows apply(Rows rows) override
    {
        for (auto it = rows.begin(); it != rows.end();) {
            if (it->value < least)
                it = rows.erase(it);
            else
                ++it;
        }
        return rows;
    }

private:
    std::int64_t least;
};
//@ join
// @doc
class Join : public Step {
public:
    Rows apply(Rows rows) override
    {
        Rows made;
        for (std::size_t i = 0; i < rows.size(); i += 2) {
            if (i + 1 == rows.size()) {
                made.push_back(rows[i]);
                break;
            }
            const std::string both = rows[i].name + "-" + rows[i + 1].name;
            made.push_back(Row{both, rows[i].value + rows[i + 1].value});
        }
        return made;
    }
};
//@ recent
// @doc
class Recent : public Step {
public:
    explicit Recent(std::size_t room) : room(room) {}
    Rows apply(Rows rows) override
    {
        std::list<Row> kept;
        std::map<std::string, std::list<Row>::iterator> places;
        for (const Row& row : rows) {
            const auto old = places.find(row.name);
            if (old != places.end()) {
                kept.erase(old->second);
                places.erase(old);
            }
            kept.push_front(row);
            places[row.name] = kept.begin();
            if (kept.size() > room) {
                places.erase(kept.back().name);
                kept.pop_back();
            }
        }
        return Rows(kept.begin(), kept.end());
    }

private:
    std::size_t room;
};
//@ spread
// @doc
class Spread : public Step {
public:
    explicit Spread(std::int64_t size) : size(size) {}
    Rows apply(Rows rows) override
    {
        auto* counts = new std::int64_t[static_cast<std::size_t>(size)]();
        for (const Row& row : rows) {
            std::int64_t at = row.value % size;
            if (at < 0)
                at += size;
            ++counts[at];
        }
        Rows made;
        for (std::int64_t i = 0; i < size; ++i)
            made.push_back(Row{"b" + std::to_string(i), counts[i]});
        delete[] counts;
        return made;
    }

private:
    std::int64_t size;
};
//@ digest
// @doc
class Digest : public Step {
public:
    Rows apply(Rows rows) override
    {
        std::uint32_t h = 7;
        for (const Row& row : rows) {
            for (const char letter : row.name)
                h = h * 31 + static_cast<unsigned char>(letter);
            h += static_cast<std::uint32_t>(row.value);
        }
        rows.push_back(Row{"digest", h});
        return rows;
    }
};
//@ rank
// @doc
class Rank : public Step {
public:
    explicit Rank(std::size_t most) : most(most) {}
    Rows apply(Rows rows) override
    {
        std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
            return a.value != b.value ? a.value > b.value : a.name < b.name;
        });
        Rows kept;
        for (std::size_t i = 0; i < most && i < rows.size(); ++i)
            kept.push_back(std::move(rows[i]));
        return kept;
    }

private:
    std::size_t most;
};
//@
int main() { return 0; }
