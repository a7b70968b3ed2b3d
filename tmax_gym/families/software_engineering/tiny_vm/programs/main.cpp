#include <cstdio>
#include <iostream>
#include <vector>

int main() {
    std::vector<unsigned> code;
    std::cin >> std::hex;
    for (unsigned v; std::cin >> v;) code.push_back(v);
    unsigned r[4] = {0}, t = 0;
    static_cast<void>(t);
    long steps = 0;
    for (long at = 0; at < static_cast<long>(code.size() / 3); at++) {
        if (steps++ == /*@limit*/600/*@*/) { puts("limit"); return 0; }
        unsigned op = code[3 * at], x = code[3 * at + 1], y = code[3 * at + 2];
        unsigned a = x % 4, b = y % 4;
        static_cast<void>(b);
        switch (op) {
/*@cases*/        case 0x75: r[a] = y; break; // SET
        case 0xAC: r[a] += r[b]; break; // ADD
        case 0x69: printf("%u\n", r[a]); break; // OUT
        case 0x14: r[a] = (r[a] - 1) % 65536; if (r[a]) at = (long)y - 1; break; // DJN
        case 0x20: r[a] -= r[b]; break; // SUB/*@*/
        default: printf("trap %ld\n", at); return 0;
        }
        r[a] %= 65536;
    }
}
