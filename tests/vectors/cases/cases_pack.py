# SPDX-License-Identifier: Apache-2.0
"""Vectors of packing: widths, lengths, cuts, overwriting, holes, limits, and chance."""

import finepack as fp
from vector import Vector

WIDTHS = (2, 3, 4, 5, 6)
LIMITS = (128, 256, 512, 1024, 2048, 4096)
WHOLE = 1 << 48  # the greatest endpoint


def widths():
    for h in WIDTHS:
        r = fp.address_range(h)
        v = Vector(f"width-{h}", f"{h} sub-header bytes: stores from one end of an address window to the other.\n"
                   "The base is the window's first byte, wherever the first store lies in it.")
        v.endpoint(3, WHOLE, h=h)
        window = 5 * r
        for at, count in ((r // 2, 4), (0, 1), (r - 8, 8), (r // 2 + 4, 2), (r // 4, 3), (r - 9, 1)):
            v.store(3, window + at, count)
            v.queued(3)
        v.release()
        v.note("the last window of the greatest endpoint")
        v.store(3, WHOLE - 1, 1)
        v.store(3, WHOLE - r, 1)
        v.release()
        yield v


def base_alignment():
    for h in WIDTHS:
        r = fp.address_range(h)
        v = Vector(f"base-{h}",
                   f"The base of a packet: the first store's link address, its low {fp.offset_bits(h)} bits cleared.")
        v.endpoint(15, WHOLE, h=h)
        for window in (1, 2, 3, WHOLE // r - 2):
            v.store(15, window * r + v.random(r - 4), 4)
            v.release()
        yield v


def windows():
    for h in WIDTHS:
        r = fp.address_range(h)
        v = Vector(f"window-miss-{h}",
                   f"{h} sub-header bytes: a store outside of the window that is queued flushes it; the bytes\n"
                   "next to the window's ends are outside, however near.")
        v.endpoint(1, WHOLE, h=h)
        v.store(1, 8 * r + 1, 2)
        v.store(1, 9 * r, 1)
        v.store(1, 9 * r - 1, 1)
        v.store(1, 8 * r, 1)
        v.store(1, 8 * r - 1, 1)
        v.store(1, 9 * r + 7, 5)
        v.release()
        yield v
        v = Vector(f"straddle-window-{h}",
                   f"{h} sub-header bytes: stores across the end of an address window leave in two packets,\n"
                   "and so does every other piece that has to come before it.")
        v.endpoint(2, WHOLE, h=h)
        v.store(2, 4 * r - 3, 8)
        v.queued(2)
        v.release()
        v.store(2, 6 * r - 100, 40)
        v.store(2, 6 * r - 100, 200)
        v.store(2, 6 * r - 1, 2)
        v.release()
        yield v


def lengths():
    for name, at, h in (("aligned", 0, 5), ("line-end", 100, 4), ("window-of-64", 32, 2), ("wide", 1, 6)):
        v = Vector(f"lengths-{name}",
                   f"Stores of 1 to 128 bytes, each at byte {at} of a line that nothing else is stored to;\n"
                   f"{h} sub-header bytes.")
        v.endpoint(0, 0x100000, h=h)
        for length in range(1, 129):
            v.store(0, 0x100 * length + at, length)
        v.release()
        yield v
    v = Vector("lengths-small", "Packets of one store of 1 to 16 bytes: every padding and every Last BE.")
    v.endpoint(0, 0x10000, h=2)
    for h in (2, 3):
        v.set(0, h=h)
        for length in range(1, 17):
            v.store(0, 0x40 * length + 1, length)
            v.release()
    yield v
    v = Vector("lengths-long", "Stores longer than a line, up to the 4096 bytes that an access has.")
    v.endpoint(0, 0x100000, h=5)
    for at, length in ((0, 129), (0x1001, 256), (0x207f, 258), (0x4010, 1000), (0x8000, 4096), (0xa07f, 4096)):
        v.store(0, at, length)
        v.queued(0)
        v.release()
    yield v


def lines():
    v = Vector("straddle-line", "A store across the end of a line makes two sub-packets, though they are neighbours.")
    v.endpoint(0, 0x10000, h=3)
    for at, length in ((0x7f, 2), (0x17e, 4), (0x200, 128), (0x27f, 1), (0x300, 129), (0x3ff, 130), (0x5c0, 128)):
        v.store(0, at, length)
        v.queued(0)
    v.release()
    yield v
    v = Vector("order-of-lines",
               "Sub-packets leave in the order in which their lines were first stored to, and by rising\n"
               "address within a line.")
    v.endpoint(0, 0x10000)
    for at in (0x3040, 0x0110, 0x2000, 0x3010, 0x0170, 0x3000, 0x1000, 0x2078, 0x0100, 0x3070):
        v.store(0, at, 8)
    v.release()
    v.note("the order starts anew with an empty queue")
    for at in (0x1000, 0x2000, 0x0100):
        v.store(0, at, 8)
    v.release()
    yield v
    v = Vector("two-partitions", "Partitions queue apart from each other, with settings of their own.")
    v.endpoint(0, 0x10000, h=3)
    v.endpoint(9, 0x20000, h=6, limit=128, describe=0)
    for i in range(12):
        v.store(0, 0x200 * i + 3, 9)
        v.store(9, 0x200 * i + 3, 9)
    v.queued(0)
    v.queued(9)
    v.release()
    yield v


def overwriting():
    for name, about, stores in (
            ("whole", "The same bytes stored again, as one and in parts: sent once, with the last values.",
             ((16, 32), (16, 32), (16, 16), (32, 16), (47, 1), (16, 1))),
            ("part", "Stores that replace the begin, the end or the middle of what is queued.",
             ((16, 32), (8, 16), (40, 20), (30, 4), (59, 2), (7, 2))),
            ("wider", "Stores that hold all of what is queued and more, runs and the holes between them.",
             ((40, 4), (36, 12), (60, 1), (70, 1), (30, 50), (0, 128))),
            ("lines", "A store that replaces bytes on one line and adds to the next.",
             ((120, 8), (100, 60), (256, 8), (250, 20), (0, 300)))):
        v = Vector(f"overwrite-{name}", about)
        v.endpoint(0, 0x1000)
        for at, length in stores:
            v.store(0, 0x400 + at, length)
            v.queued(0)
        v.release()
        yield v
    v = Vector("overwrite-full",
               "With the payload full to the last byte an overwrite costs nothing and flushes nothing;\n"
               "one byte more does.")
    v.endpoint(0, 0x1000, h=3, limit=128)
    v.store(0, 0x10, 125)
    v.store(0, 0x10, 112)
    v.queued(0)
    v.release()
    v.store(0, 0x80, 125)
    v.store(0, 0x80, 125)
    v.queued(0)
    v.store(0, 0x90, 110)
    v.release()
    yield v


def holes():
    v = Vector("hole", "Runs with holes between them, on one line; holes filled from the left, from the right, wholly.")
    v.endpoint(0, 0x10000, h=4)
    for at, length in ((0, 8), (16, 8), (40, 8), (24, 4), (36, 4), (28, 8), (8, 8), (60, 1),
                       (62, 1), (61, 1), (127, 1)):
        v.store(0, 0x1000 + at, length)
        v.queued(0)
    v.release()
    yield v
    for h in WIDTHS:
        v = Vector(f"hole-many-{h}",
                   "Every other byte: as many sub-packets as there are bytes. Then the holes are filled,\n"
                   f"and each gives back a sub-header of {h} bytes.")
        v.endpoint(0, 0x10000, h=h)
        for at in range(0, 128, 2):
            v.store(0, 0x80 + at, 1)
        v.queued(0)
        for at in range(1, 60, 2):
            v.store(0, 0x80 + at, 1)
        v.queued(0)
        v.release()
        yield v
    v = Vector("hole-at-the-limit",
               "A payload full to the last byte: a store into a hole of no more bytes than a sub-header has\n"
               "fits still, one that fills only a part of it does not.")
    v.endpoint(0, 0x1000, h=5, limit=128)
    for length in (3, 5, 6):
        first = 118 - 2 * 5 + 10 - 60
        v.note(f"two runs that together are 118 bytes, {length} bytes apart")
        v.store(0, 0x100, first)
        v.store(0, 0x100 + first + length, 118 - first)
        v.queued(0)
        v.store(0, 0x100 + first, length)
        v.queued(0)
        v.release()
    v.note("one byte of a hole of 4: the runs stay two")
    v.store(0, 0x200, 58)
    v.store(0, 0x200 + 62, 60)
    v.store(0, 0x200 + 58, 1)
    v.release()
    yield v


def fill(v, p, h, limit, at):
    """Stores that make a payload of exactly `limit` bytes; whole lines first. Returns where the next byte goes."""
    left = limit
    while left > h:
        length = min(128, left - h)
        # What is left must hold a sub-header and a byte, or nothing.
        if 0 < left - h - length <= h:
            length -= h + 1
        v.store(p, at, length)
        left -= h + length
        at += 128 if left else length
    assert v.partitions[p].queue.payload(h) == limit
    return at


def limits():
    for limit in LIMITS:
        for h in ((3, 4, 5, 6) if limit in (128, 4096) else (5,)):
            v = Vector(f"fill-{limit}-h{h}",
                       f"A payload of exactly {limit} bytes is kept; another byte flushes it as payload full.\n"
                       f"{h} sub-header bytes.")
            v.endpoint(4, 0x100000, h=h, limit=limit)
            fill(v, 4, h, limit, 0x1000)
            v.queued(4)
            v.release()
            at = fill(v, 4, h, limit, 0x3000)
            v.queued(4)
            v.store(4, at, 1)
            v.queued(4)
            v.release()
            v.note("one byte less than full: one more fits, two more do not")
            for more in (1, 2):
                at = fill(v, 4, h, limit - 1, 0x5000 * more)
                v.store(4, at, more)
                v.queued(4)
                v.release()
            yield v
    for h in WIDTHS:
        v = Vector(f"cut-at-128-h{h}", "A store that does not fit a packet of 128 bytes is cut into pieces that do.")
        v.endpoint(0, 0x10000, h=h, limit=128)
        for at, length in ((0, 128), (0x101, 128), (0x27f, 128), (0x400, 4096)):
            v.store(0, at, length)
            v.queued(0)
        v.release()
        yield v
    v = Vector("limit-change",
               "A smaller limit, a greater one: the change flushes, and what follows keeps to the new one.")
    v.endpoint(0, 0x10000, h=5, limit=4096)
    for limit in (256, 128, 2048, 512):
        v.store(0, 0x1000, 1000)
        v.set(0, limit=limit)
        v.store(0, 0x2000, 1000)
    v.release()
    yield v


def entries():
    v = Vector("entries-full", "64 lines are queued; a store to one of them merges, one to a 65th flushes.")
    v.endpoint(0, 0x100000, h=5)
    for i in range(64):
        v.store(0, 0x1000 + 0x80 * (i * 37 % 64) + i, 4)
    v.queued(0)
    v.store(0, 0x1000 + 0x80 * 63, 9)
    v.queued(0)
    v.store(0, 0x8000, 1)
    v.queued(0)
    v.release()
    yield v
    v = Vector("entries-full-straddle",
               "A store across two lines, with one entry free: its second piece flushes its first.")
    v.endpoint(0, 0x100000, h=4)
    for i in range(63):
        v.store(0, 0x1000 + 0x80 * i, 1)
    v.store(0, 0x807e, 4)
    v.queued(0)
    v.release()
    yield v
    v = Vector("entries-before-payload",
               "A line too many that would not fit the payload either: entries full is the reason.")
    v.endpoint(0, 0x100000, h=6, limit=1024)
    for i in range(64):
        v.store(0, 0x1000 + 0x80 * i, 10)
    v.queued(0)
    v.store(0, 0x8000, 2)
    v.queued(0)
    v.release()
    yield v
    v = Vector("window-before-entries",
               "A line too many that is outside of the window, too: window miss is the reason.")
    v.endpoint(0, 0x100000, h=3)
    for i in range(64):
        v.store(0, 0x80 * i, 1)
    v.store(0, 0x4000, 2)
    v.store(0, 0x7fff, 1)
    v.release()
    yield v


def by_chance():
    for h in WIDTHS:
        for limit in (128, 512, 4096):
            v = Vector(f"chance-h{h}-{limit}",
                       f"Stores of any length, most of them near each other; {h} sub-header bytes, limit {limit}.")
            v.noise = h << 16 | limit
            v.endpoint(6, 1 << 24, h=h, limit=limit)
            spread = min(fp.address_range(h), 0x800)
            for i in range(100):
                at = v.random(spread) + (v.random(1 << 23) if v.random(12) == 0 else 0x10000)
                v.store(6, at, 1 + v.random(300 if v.random(6) == 0 else 24))
                if v.random(16) == 0:
                    v.load(6, 0x10000 + v.random(spread), 1 + v.random(8))
            v.queued(6)
            v.release()
            yield v


GROUPS = (widths, base_alignment, windows, lengths, lines, overwriting, holes, limits, entries, by_chance)
