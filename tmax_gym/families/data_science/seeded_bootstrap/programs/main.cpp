#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

int main() {
    std::uint64_t seed;
    std::size_t replicates;
    std::cin >> seed >> replicates;
    std::map<std::string, std::vector<long long>> groups;
    std::string stratum;
    std::size_t n = 0;
    for (long long value; std::cin >> stratum >> value; ++n)
        groups[/*@strata*/0/*@*/ ? stratum : ""].push_back(value);
    std::uint32_t x = static_cast<std::uint32_t>(seed);
    std::size_t drop = n * /*@trim*/5/*@*/ / 100;
    std::vector<long long> found;
    for (std::size_t b = 0; b < replicates; ++b) {
        std::vector<long long> picked;
        for (const auto &[name, values] : groups)
            for (std::size_t i = 0; i < values.size(); ++i) {
                x = /*@multiplieru*/214013u/*@*/ * x + /*@incrementu*/2531011u/*@*/;
                picked.push_back(values[(x >> 16) % values.size()]);
            }
        std::sort(picked.begin(), picked.end());
        long long total = std::accumulate(picked.begin() + drop, picked.end() - drop, 0LL);
        found.push_back(1000 * total / static_cast<long long>(n - 2 * drop));
    }
    std::sort(found.begin(), found.end());
    std::cout << found[replicates * /*@tail*/100/*@*/ / 1000] << ' ' << found[replicates * 500 / 1000] << ' '
              << found[replicates * (1000 - /*@tail*/100/*@*/) / 1000] << '\n';
}
