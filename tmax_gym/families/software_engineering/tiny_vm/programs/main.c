#include <stdio.h>

int main(void) {
    static unsigned code[65536];
    unsigned r[4] = {0}, v, t = 0;
    long n = 0, at, steps = 0;
    while (n < 65536 && scanf("%x", &v) == 1) code[n++] = v;
    (void)t;
    for (at = 0; at < n / 3; at++) {
        if (steps++ == /*@limit*/600/*@*/) { puts("limit"); return 0; }
        unsigned op = code[3 * at], x = code[3 * at + 1], y = code[3 * at + 2];
        unsigned a = x % 4, b = y % 4;
        (void)b;
        switch (op) {
/*@cases*/        case 0xDA: r[a] = y; break; /* SET */
        case 0x52: r[a] += r[b]; break; /* ADD */
        case 0xC6: printf("%u\n", r[a]); break; /* OUT */
        case 0xEA: r[a] = (r[a] - 1) % 65536; if (r[a]) at = (long)y - 1; break; /* DJN */
        case 0x28: r[a] -= r[b]; break; /* SUB *//*@*/
        default: printf("trap %ld\n", at); return 0;
        }
        r[a] %= 65536;
    }
    return 0;
}
