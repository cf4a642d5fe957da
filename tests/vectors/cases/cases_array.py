# SPDX-License-Identifier: Apache-2.0
"""Vectors of received packets in the array form."""

import finepack as fp
from finepack import link_address
from vector import Vector

WHOLE = 1 << 48
SHAPES = [(unit, width) for unit in (4, 8, 16) for width in (2, 3, 4)]


def made(v, offsets, unit, width, base=0, p=1, tag=None):
    """A packet with these offsets, in units, and any values."""
    return fp.array(link_address(p, base), [(at, v.bytes(unit)) for at in offsets], unit, width, tag)


def most(unit, width):
    return max(n for n in range(1, 1024) if len(fp.array_offsets([0] * n, width)) + n * unit <= 4096)


def shapes():
    for unit, width in SHAPES:
        v = Vector(f"receive-array-{unit}-{width}",
                   f"Values of {unit} bytes, offsets of {width}: 1 to 33 records, the most that fit, the last offset; records that\n"
                   "adjoin, come back, and overwrite each other.")
        v.endpoint(1, WHOLE)
        last = (1 << 8 * width) - 1
        for count in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33):
            v.receive(made(v, [(37 * i + 11) % 256 for i in range(count)], unit, width, base=4096 * count))
        v.receive(made(v, range(most(unit, width)), unit, width, base=1 << 20), note="in sequence")
        v.receive(made(v, [977 * i % 65536 for i in range(most(unit, width))], unit, width, base=1 << 21))
        v.receive(made(v, [0, last, last - 1, last // 2, 0], unit, width, base=1 << 40))
        v.receive(made(v, [5, 6, 5, 4, 5, 6, 7], unit, width, base=1 << 41))
        yield v


def accepted():
    v = Vector("receive-array", "Bit 4 of Tag says nothing to a card; bases; what is queued is written later; other forms between.")
    v.endpoint(1, 1 << 16)
    v.store(1, 0x20, 8)
    good = made(v, [4, 5], 8, 3)
    v.receive(good)
    v.receive(made(v, [4, 5], 8, 3, tag=1 | 1 << 2 | 0x10))
    v.receive(fp.single(link_address(1, 0x31), v.bytes(9)))
    v.receive(made(v, [0, 1], 16, 2, base=0x10))
    v.receive(made(v, [1, 0], 4, 4, base=0xff00))
    v.queued(1)
    v.release()
    yield v
    v = Vector("receive-array-chance", "Random records of all shapes.")
    v.endpoint(1, 1 << 24)
    for _ in range(40):
        unit, width = SHAPES[v.random(len(SHAPES))]
        offsets, reach = [], 1 << (2 + v.random(14))
        for _ in range(1 + v.random(1 << (1 + v.random(7)))):
            offsets.append((offsets[-1] + 1) % reach if offsets and v.random(3) == 0 else v.random(reach))
        v.receive(made(v, offsets, unit, width, base=16 * v.random(1 << 16)))
    yield v


def changed(good, index, value):
    return good[:index] + bytes([value]) + good[index + 1:]


def wrong_shapes():
    v = Vector("refuse-array-shape", "Rules 2 and 4: numbers, units and widths that are none, or whose parts the payload does not fill.")
    v.endpoint(1, 1 << 20)
    for unit, width in SHAPES:
        good = made(v, [3, 1, 2], unit, width)
        for count in (0, 1, 2, 4, 8, 255, 256, 1023, 1024, 65535):
            v.receive(good[:4] + count.to_bytes(2, "big") + good[6:], 4 if count else 2, f"{count} records")
        for tag in range(256):
            if tag & 3 == 3 or tag >> 2 & 3 == 3 or tag >> 5:
                if tag < 16 or tag & 0x1f == good[6]:
                    v.receive(changed(good, 6, tag), 2, f"Tag {tag:02x}")
            elif tag < 16 and tag != good[6]:
                other = 4 << (tag & 3), 2 + (tag >> 2)
                same = len(fp.array_offsets([0] * 3, other[1])) + 3 * other[0] == len(good) - 16
                if not same:
                    v.receive(changed(good, 6, tag), 4, f"Tag {tag:02x}")
        payload = good[16:]
        for count in range(4, len(payload), 4):
            v.receive(fp.array(link_address(1, 0), [(0, b"")] * 3, unit, width, payload=payload[:count]), 4, f"{count} bytes")
        v.receive(fp.array(link_address(1, 0), [(0, b"")] * 3, unit, width, payload=payload + bytes(4)), 4, "a DW more")
        v.receive(good)
    yield v
    v = Vector("refuse-array-many", "Rule 4: as many records as no packet holds, with payloads whose size is that of the lower bits.")
    v.endpoint(1, 1 << 20)
    for unit, width in SHAPES:
        for count in (most(unit, width) + 1, 1021, 1023, 1024 + 2, 4096, 4098):
            for size in (4096, (count * unit) % 4096 // 4 * 4 or 4):
                v.receive(fp.array(link_address(1, 0), [], unit, width, count=count, payload=bytes(size)), 4)
    yield v


def wrong_rest():
    v = Vector("refuse-array", "Rules 2, 3, 5, 6 and 7 for the array form. Nothing of a refused packet is written.")
    v.endpoint(1, 1 << 16)
    good = made(v, [3, 2, 9], 8, 3, base=256)
    for index in (0, 1, 2):
        for bit in range(8):
            if index != 2 or bit > 1:
                v.receive(changed(good, index, good[index] ^ 1 << bit), 2, f"byte {index} bit {bit}")
    for last_be in range(15):
        v.receive(changed(good, 7, last_be << 4 | 7), 3, f"Last BE {last_be:04b}")
    v.note("each byte of the padding of each part")
    for unit, width in SHAPES:
        some = made(v, [3, 2, 9], unit, width, base=256)
        low = 3 * (4 if width == 4 else 2)
        for at in [*range(low, 16), *range(16 + 3, 32 if width == 3 else 16)]:
            v.receive(changed(some, 16 + at, 0x80 >> at % 8), 5, f"unit {unit}, width {width}, byte {at}")
        v.receive(some)
    for bit in range(4):
        v.receive(changed(good, 15, good[15] ^ 1 << bit), 6, f"Address bit {bit}")
    for bit in range(8):
        v.receive(changed(good, 8, good[8] ^ 1 << bit), 6, f"byte 8 bit {bit}")
    for p in (0, 2, 15, 16, 255):
        v.receive(changed(good, 9, p), 6, f"partition {p}")
    for unit in (4, 8, 16):
        end = (1 << 16) // unit
        v.receive(made(v, [0, end - 1, 1], unit, 4), note="up to the last byte")
        for beyond in (0, 1, 1 << 20, (1 << 32) - 1 - end):
            v.receive(made(v, [0, end + beyond, 1], unit, 4), 7, f"unit {unit}, {beyond} beyond it")
        v.receive(made(v, [end - 1, 0], unit, 4, base=16), 7)
    v.receive(made(v, [0], 4, 2, base=1 << 16), 7)
    v.receive(good)
    yield v


GROUPS = (shapes, accepted, wrong_shapes, wrong_rest)
