#include <stdint.h>
#include <string.h>

typedef unsigned char byte;
static byte body[65536];
//@ guard
static int unseal(const byte *sent, size_t n, size_t *size) {
    uint32_t reg = /*@start*/0xffff/*@*/, width = /*@size*/2/*@*/;
    if (n < width) return -1;
    for (size_t i = 0; i < n - width; i++) {
        reg ^= (uint32_t)sent[i] << /*@shift*/8/*@*/;
        for (int k = 0; k < 8; k++) {
            uint32_t out = reg & /*@outbit*/0x8000/*@*/;
            reg = (reg /*@move*/<</*@*/ 1) & /*@full*/0xffff/*@*/;
            if (out) reg ^= /*@poly*/0x1021/*@*/;
        }
    }
    reg ^= /*@final*/0/*@*/;
    for (uint32_t i = 0; i < width; i++)
        if (sent[n - width + i] != (byte)(reg >> 8 * (/*@index*/1 - i/*@*/))) return -1;
    *size = n - width;
    memcpy(body, sent, *size);
    return 0;
}
//@

int main(void) {
    size_t size;
    return unseal((const byte *)"", 0, &size) < 0 ? 0 : 1;
}
