"""Breaks one message, given its cipher, by the words with which it begins."""

import sys

HEADER = HOLE("@header")
kind, data = sys.argv[1], sys.stdin.buffer.read()


def xor():
    stream = [a ^ b for a, b in zip(data, HEADER)]
    size = next(k for k in range(1, len(stream)) if stream[k:] == stream[:-k])
    return bytes(c ^ stream[i % size] for i, c in enumerate(data))


def affine():
    for m in range(1, 256, 2):
        k = (data[0] - m * HEADER[0]) % 256
        if all((m * p + k) % 256 == c for p, c in zip(HEADER, data)):
            back = pow(m, -1, 256)
            return bytes(back * (c - k) % 256 for c in data)


def lcg():
    for start in range(65536):
        x, out = start, []
        for i, c in enumerate(data):
            x = (HOLE("@a") * x + HOLE("@c")) % 65536
            out.append(c ^ x >> 8)
            if i < len(HEADER) and out[i] != HEADER[i]:
                break
        else:
            return bytes(out)


sys.stdout.buffer.write({"xor": xor, "affine": affine, "lcg": lcg}[kind]())
