#include <algorithm>
#include <cstdint>
#include <iostream>

int main() {
    std::uint64_t seed, ticks;
    while (std::cin >> seed >> ticks) {
        std::uint32_t x = static_cast<std::uint32_t>(seed);
        auto draw = [&x] { x = /*@multiplieru*/1103515245u/*@*/ * x + /*@incrementu*/12345u/*@*/; return x >> 16; };
        long queue = 0, served = 0, lost = 0, peak = 0, down = 0;
        for (; ticks > 0; --ticks) {
            if (draw() % 100 < /*@arrival*/69/*@*/) queue += /*@joins*/1/*@*/;
            if (queue > /*@capacity*/3/*@*/) { lost += queue - /*@capacity*/3/*@*/; queue = /*@capacity*/3/*@*/; }
            bool working = down == 0;
/*@failure_block*//*@*/
            if (working && draw() % 100 < /*@service*/79/*@*/ && queue) { --queue; ++served; }
            peak = std::max(peak, queue);
        }
        std::cout << served << ' ' << lost << ' ' << queue << ' ' << peak << '\n';
    }
}
