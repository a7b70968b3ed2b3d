import struct
def film(path):
    data = open(path, "rb").read()
    at = data.index(b"strf") + 8
    width, height, _, depth = struct.unpack("<iiHH", data[at + 4:at + 16])
    at, frames, step = data.index(b"movi") + 4, [], depth // 8
    stride = (width * step + 3) // 4 * 4
    while data[at:at + 4] == b"00db":
        size = struct.unpack("<I", data[at + 4:at + 8])[0]
        frames.append(data[at + 8:at + 8 + size])
        at += 8 + size + size % 2
    def pixel(frame, x, y):
        at = (height - 1 - y) * stride + x * step
        return frame[at] if step == 1 else tuple(frame[at:at + 3][::-1])
    return width, height, frames, pixel
