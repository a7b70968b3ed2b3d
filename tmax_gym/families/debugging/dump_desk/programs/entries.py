import struct
heap = open(MEMORY, "rb").read()
at = heap.find(b"SESS")
while at >= 0:
    state, token, name = struct.unpack("<I8sQ", heap[at + 4:at + 24])
    start = name - BASE
    if state == 1 and 0 <= start < len(heap):
        print(token.decode(), heap[start:heap.index(b"\0", start)].decode(), sep=",")
    at = heap.find(b"SESS", at + 1)
