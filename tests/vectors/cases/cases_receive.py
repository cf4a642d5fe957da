# SPDX-License-Identifier: Apache-2.0
"""Vectors of the receiver: packets that it takes, and packets that break each of the seven rules."""

import finepack as fp
from finepack import link_address, packet, sub_packet
from vector import Vector

WIDTHS = (2, 3, 4, 5, 6)
WHOLE = 1 << 48


def one(v, h, offset, data, p=0, first_be=None):
    """A packet of one sub-packet, at an offset in the endpoint."""
    r = fp.address_range(h)
    first_be = h if first_be is None else first_be
    return packet(link_address(p, offset & -r), sub_packet(h, offset % r, v.bytes(data)), first_be)


def changed(good, *changes):
    """The packet with bytes replaced: pairs of index and value."""
    bad = bytearray(good)
    for index, value in changes:
        bad[index] = value
    return bytes(bad)


def widths():
    for h in WIDTHS:
        r = fp.address_range(h)
        v = Vector(f"receive-width-{h}",
                   f"Packets of {h} sub-header bytes, whatever width the partition itself sends; up to the last\n"
                   "byte of the window.")
        v.endpoint(2, WHOLE, h=8 - h)
        for window in (0, 1, 2 ** 48 // r - 1):
            base = link_address(2, window * r)
            for at, length in ((0, 1), (r - 1, 1), (r - 7, 7), (r // 2 - 3, 6)):
                v.receive(packet(base, sub_packet(h, at, v.bytes(length)), h))
            v.receive(packet(base, b"".join(sub_packet(h, r // 8 * i, v.bytes(i + 1)) for i in range(7)), h))
        v.receive(packet(link_address(2, 0), sub_packet(h, 0, v.bytes(min(r, 1024))), h))
        yield v
        v = Vector(f"receive-paper-form-{h}",
                   f"First BE 0: {h} sub-header bytes, because the partition has them set; it changes with the\n"
                   "setting, and only there.")
        v.endpoint(0, 1 << 20, h=h)
        v.endpoint(1, 1 << 20, h=2 + (h - 1) % 5)
        v.receive(one(v, h, 0x10, 5, first_be=0))
        v.receive(one(v, h, 0x20, 5))
        v.receive(one(v, 2 + (h - 1) % 5, 0x10, 5, p=1, first_be=0))
        # Four bytes that are a sub-packet of one width are none of another.
        v.set(0, h=2 + h % 5)
        v.receive(one(v, 2 + h % 5, 0x30, 7, first_be=0))
        yield v


def lengths():
    for h in (3, 6):
        v = Vector(f"receive-lengths-{h}",
                   "Sub-packets longer than any card sends: across lines, up to 1024 bytes, which is written 0.")
        v.endpoint(0, 1 << 16, h=h)
        for at, length in ((0x7f, 2), (0x10, 128), (0x90, 129), (0x201, 511), (0x400, 1023), (0x800, 1024),
                           (0xfff, 1024)):
            v.receive(one(v, h, at, length))
        v.receive(packet(0, sub_packet(h, 0x2000, v.bytes(1024)) + sub_packet(h, 0x2400, v.bytes(3)) +
                         sub_packet(h, 0x2500, v.bytes(1024)), h), note="two of 1024 and one between")
        yield v
    v = Vector("receive-4096", "A payload of 4096 bytes: 1024 DW, which Length writes as 0; and the sizes next to it.")
    v.endpoint(0, 1 << 16)
    for last in (1008, 1007, 1006, 1005, 1004):
        payload = b"".join(sub_packet(4, 0x1000 * i, v.bytes(1024)) for i in range(3))
        payload += sub_packet(4, 0x5000, v.bytes(last - 8))
        payload += sub_packet(4, 0x6000 + last, v.bytes(4))
        v.receive(packet(0, payload, 4), note=f"{len(payload)} bytes")
    ones = (sub_packet(3, 16 * i % 0x4000, v.bytes(1)) for i in range(1024))
    v.receive(packet(0, b"".join(ones), 3), note="1024 of one byte")
    yield v
    v = Vector("receive-small", "The shortest packets, 3 bytes of payload and a few more: every Last BE.")
    v.endpoint(0, 1 << 16)
    for h in WIDTHS:
        for length in range(1, 6):
            v.receive(one(v, h, 0x40 * h + 8 * length, length))
    yield v


def overlaps():
    v = Vector("receive-overlap", "Sub-packets that overlap, in one packet and in two: the later one wins.")
    v.endpoint(0, 1 << 16)
    for first, second in (((0, 16), (4, 4)), ((4, 4), (0, 16)), ((0, 8), (4, 8)), ((4, 8), (0, 8)), ((0, 8), (0, 8))):
        base = 0x100 * (1 + first[0] + 2 * second[0] + second[1])
        subs = b"".join(sub_packet(4, base + at, v.bytes(length)) for at, length in (first, second))
        v.receive(packet(0, subs, 4))
    v.receive(packet(0, b"".join(sub_packet(2, 5, bytes([i])) for i in range(1, 30)), 2))
    v.receive(one(v, 4, 0x40, 1024))
    v.receive(one(v, 3, 0x80, 9))
    yield v
    v = Vector("receive-neighbours",
               "Sub-packets that are neighbours, as long rows of them as a payload holds; backwards, too.")
    v.endpoint(0, 1 << 16)
    for h, lengths_ in ((4, (1024, 1024, 1024, 1004)), (3, (5,) * 512), (2, (1,) * 64), (6, (16, 8, 4, 2, 1) * 64),
                        (5, (127, 1, 128) * 15), (3, (400, 3, 1024, 7, 1023, 1024))):
        at, subs = 0, []
        for length in lengths_:
            subs.append(sub_packet(h, at, v.bytes(length)))
            at += length
        v.receive(packet(0, b"".join(subs), h), note=f"{len(subs)} of width {h}")
        v.receive(packet(0, b"".join(reversed(subs)), h))
    yield v
    v = Vector("receive-beside-queue",
               "A packet taken does not touch the write queue; what is queued there overwrites it later.")
    v.endpoint(0, 1 << 16)
    v.store(0, 0x20, 8)
    v.receive(one(v, 3, 0x1c, 16))
    v.queued(0)
    v.load(0, 0x18, 8)
    v.load(0, 0x1c, 16)
    v.store(0, 0x20, 4)
    v.receive(changed(one(v, 3, 0x1c, 16), (0, 0x60)), 2)
    v.queued(0)
    v.release()
    yield v


def rule_1():
    v = Vector("refuse-1", "Rule 1: packets that are too short, too long, or not as long as Length says.")
    v.endpoint(0, 1 << 16)
    good = one(v, 2, 0x10, 2)
    for count in range(len(good)):
        v.receive(good[:count], 1, f"{count} bytes of 20")
    for more in (1, 2, 3, 4, 5, 8):
        v.receive(good + bytes(more), 1, f"{more} bytes too many")
    for length in (0, 2, 3, 0xff):
        v.receive(changed(good, (3, length)), 1, f"Length {length}")
    for high in (1, 2, 3):
        v.receive(changed(good, (2, high)), 1, f"Length {256 * high + 1}")
    v.receive(changed(good[:16], (3, 0)), 1, "a header alone, Length 0")
    full = packet(0, b"".join(sub_packet(4, 0x800 * i, v.bytes(1020)) for i in range(4)), 4)
    assert len(full) == 16 + 4096
    for more in (1, 4, 884):
        v.receive(full + bytes(more), 1, f"{more} bytes more than the greatest packet")
    v.receive(changed(full + bytes(4), (3, 1)), 1, "1025 DW, Length 1")
    for cut in (1, 4):
        v.receive(full[:-cut], 1, f"{cut} bytes less than Length 0 says")
    v.note("a payload that has no room for a sub-header and a byte")
    for h, count in ((2, 1), (2, 2), (3, 3), (4, 4), (5, 4), (5, 5), (6, 4), (6, 6)):
        # A payload that ends inside its only sub-header breaks rule 4 as well.
        v.receive(packet(0, bytes([4, 1, 0, 0, 0, 0])[:count], h), (1, 4), f"{count} bytes of payload, width {h}")
    v.receive(good)
    yield v


def rule_2():
    v = Vector("refuse-2", "Rule 2: Fmt, Type, and every bit of the header that has to be 0.")
    v.endpoint(0, 1 << 16)
    good = one(v, 5, 0x40, 11)
    for index in (0, 1, 2, 4, 5, 6):
        for bit in range(8):
            if index == 2 and bit < 2:
                continue  # Length
            v.receive(changed(good, (index, good[index] ^ 1 << bit)), 2, f"byte {index} bit {bit}")
    v.receive(changed(good, (0, 0x60)), 2, "a plain memory write")
    v.receive(changed(good, (0, 0x5c)), 2, "a 3-DW header")
    v.receive(good)
    yield v


def rule_3():
    v = Vector("refuse-3", "Rule 3: Last BE with holes or none, First BE 1. First BE 7 is the array form, whose shape this is not.")
    v.endpoint(0, 1 << 16)
    good = one(v, 4, 0x80, 4)
    v.note("whether who takes them counts the bits or looks at the highest, the payload would be whole")
    for last_be in range(16):
        for count in {bin(last_be).count("1"), last_be.bit_length()}:
            if last_be in fp.LAST_BE.values():
                continue
            whole = packet(0, sub_packet(4, 0x90, v.bytes(4 + count)), 4)
            whole = whole if count else changed(whole + bytes(4), (3, 3))
            assert len(whole) == 16 + 12
            v.receive(changed(whole, (7, last_be << 4 | 4)), 3, f"Last BE {last_be:04b} for {count} bytes")
    v.note("payloads that are whole for the width that First BE names")
    for first_be, rule in ((1, 3), (7, 2)):
        whole = packet(0, bytes([4]) + bytes(first_be - 1) + v.bytes(5 - first_be % 4), first_be)
        v.receive(whole, (3, 2), f"First BE {first_be}")
        v.receive(changed(good, (7, 0xf0 | first_be)), rule, f"First BE {first_be} for width 4")
    v.receive(good)
    yield v


def rule_4():
    v = Vector("refuse-4", "Rule 4: payloads that end inside a sub-header, or inside a sub-packet's data.")
    v.endpoint(0, 1 << 16)
    for h in WIDTHS:
        for rest in range(1, h + 1):
            payload = sub_packet(h, 1, v.bytes(5)) + sub_packet(h, 0, b"")[:rest]
            v.receive(packet(0, payload, h), 4, f"width {h}, {rest} bytes of a second sub-header")
    for h in WIDTHS:
        for length in (4, 7, 63, 512, 1023, 1024):
            payload = sub_packet(h, 3, v.bytes(2)) + sub_packet(h, 9, v.bytes(3), length)
            v.receive(packet(0, payload, h), 4, f"width {h}, 3 bytes of {length}")
    good = packet(0, sub_packet(3, 0x100, v.bytes(8)) + sub_packet(3, 0x200, v.bytes(9)), 3)
    assert good[7] >> 4 == 0b0111
    for last_be in (0b0001, 0b0011):
        bad = changed(good[:-3] + bytes(3), (7, last_be << 4 | 3))
        v.receive(bad, 4, f"Last BE {last_be:04b}: the last sub-packet is cut")
    v.receive(changed(good, (7, 0xf3)), 4, "Last BE 1111: a byte of a third sub-header")
    v.receive(changed(good[:-4], (3, good[3] - 1)), 4, "Length one less, and as long")
    v.receive(changed(good + bytes(4), (3, good[3] + 1)), 4, "Length one more, and as long")
    v.receive(good)
    yield v


def rule_5():
    v = Vector("refuse-5", "Rule 5: padding that is not zero.")
    v.endpoint(0, 1 << 16)
    for length in (1, 2, 3):
        good = one(v, 4, 0x40 * length, length)
        for index in range(len(good) - (4 - length), len(good)):
            for bit in range(8):
                v.receive(changed(good, (index, 1 << bit)), 5, f"byte {index} bit {bit} of {len(good)}")
        v.receive(good)
    yield v


def rule_6():
    v = Vector("refuse-6", "Rule 6: a base that is not aligned, has high bits, or names no endpoint.")
    v.endpoint(0, WHOLE)
    v.endpoint(13, WHOLE)
    for h in WIDTHS:
        for bit in range(fp.offset_bits(h)):
            v.receive(packet(1 << bit, sub_packet(h, 0, v.bytes(4)), h), 6, f"width {h}, bit {bit}")
    for bit in range(56, 64):
        v.receive(packet(1 << bit, sub_packet(4, 0, v.bytes(4)), 4), 6, f"bit {bit}")
    for p in (1, 12, 14, 15, 16, 29, 128, 255):
        v.receive(packet(link_address(p, 0), sub_packet(4, 0, v.bytes(4)), 4), 6, f"partition {p}")
        v.receive(packet(link_address(p, 0), sub_packet(5, 0, v.bytes(4)), 0), 6, f"partition {p}, First BE 0")
    for h in WIDTHS:
        v.receive(one(v, h, fp.address_range(h) + 2, 4))
        v.receive(one(v, h, fp.address_range(h) + 12, 4, p=13))
    yield v
    v = Vector("refuse-6-paper-form",
               "Rule 6 with First BE 0: the base is aligned to the range that the partition has set.")
    v.endpoint(0, WHOLE, h=3)
    for h in WIDTHS:
        v.set(0, h=h)
        r = fp.address_range(h)
        v.receive(packet(r // 2, sub_packet(h, 0, v.bytes(4)), 0), 6, f"width {h}")
        v.receive(packet(r, sub_packet(h, 7 * h, v.bytes(4)), 0))
    yield v


def rule_7():
    v = Vector("refuse-7-window", "Rule 7: sub-packets beyond the address window, the last of one or of several.")
    v.endpoint(0, WHOLE)
    for h in WIDTHS:
        r = fp.address_range(h)
        for at, length in ((r - 1, 2), (r - 4, 5), (r - 1, 1024), (r - min(r, 1023), 1024)):
            beyond = sub_packet(h, at, v.bytes(length))
            v.receive(packet(r, beyond, h), 7, f"width {h}, {length} bytes, {r - at} before the end")
        good = sub_packet(h, 3, v.bytes(7))
        v.receive(packet(r, good + sub_packet(h, r - 2, v.bytes(3)), h), 7, f"width {h}, the second")
        v.receive(packet(r, good + sub_packet(h, r - 2, v.bytes(3)) + good, h), 7, f"width {h}, the second of three")
        v.receive(packet(2 * r, good + sub_packet(h, r - 2, v.bytes(2)), h), note="up to the last byte")
    yield v
    for h in WIDTHS:
        v = Vector(f"refuse-7-endpoint-{h}",
                   f"Rule 7: sub-packets beyond the endpoint's memory; {h} sub-header bytes. Up to its last byte is\n"
                   "good. Nothing of a refused packet is written.")
        v.endpoint(0, 0x5000, h=h)
        v.endpoint(1, 0x9000)
        r = fp.address_range(h)
        base = 0x5000 - 1 & -r
        for at, length in ((0x5000, 1), (0x5000 - 1, 2), (0x5000 - 60, 64), (0x5001, 1024)):
            start = at & -r if at >= 0x5000 else base
            v.receive(packet(start, sub_packet(h, at - start, v.bytes(length)), h), 7, f"{length} bytes at {at:x}")
        good = sub_packet(h, 0x4fc0 - base, v.bytes(5))
        v.receive(packet(base + 8 * r, good, h), 7, "a window behind it")
        v.receive(packet(WHOLE - r, good, h), 7, "the last window")
        if r > 0x5000:
            v.receive(packet(base, good + sub_packet(h, 0x5000 - base, v.bytes(1)), h), 7, "the second")
            v.receive(packet(base, sub_packet(h, r - 1, v.bytes(1)) + good, h), 7, "the first")
        v.receive(packet(base, sub_packet(h, 0x4ff0 - base, v.bytes(16)), h), note="up to the last byte")
        v.receive(one(v, h, 0x8ff0, 16, p=1), note="the other endpoint has more")
        yield v


GROUPS = (widths, lengths, overlaps, rule_1, rule_2, rule_3, rule_4, rule_5, rule_6, rule_7)
