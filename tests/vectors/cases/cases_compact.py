# SPDX-License-Identifier: Apache-2.0
"""Vectors of MODE.COMPACT, and of received packets in the compact form."""

import finepack as fp
from finepack import Coding, link_address, octets
from vector import Vector

WHOLE = 1 << 48


def vector(name, about, p=0, size=1 << 30, **settings):
    """A vector whose partition has packing and the compact form on."""
    v = Vector(name, about)
    v.endpoint(p, size, **settings)
    v.packing(p, 1)
    v.compact(p, 1)
    return v


def stores(v, *runs, p=0):
    for at, length in runs:
        v.store(p, at, length)
    v.release()


def form():
    v = Vector("compact-form", "The compact form with and without packing; a change flushes; single runs stay as they are.")
    v.endpoint(1, 1 << 30)
    runs = [(256 * i + 3, 5) for i in range(4)]
    v.compact(1, 1)
    v.note("without packing")
    stores(v, *runs, p=1)
    v.packing(1, 1)
    stores(v, *runs, p=1)
    for at, length in ((0, 1), (6, 2), (3, 4096)):
        stores(v, (at, length), p=1)
    v.note("a change sends what is queued in the form before it")
    for value in (0, 0, 1, 1):
        for at, length in runs:
            v.store(1, at, length)
        v.compact(1, value)
    v.queued(1)
    v.set(1, describe=0)
    stores(v, *runs, p=1)
    v.packing(1, 0)
    stores(v, *runs, p=1)
    v.compact(1, 0)
    yield v


def sizes():
    v = vector("compact-even", "Descriptions of a byte less than the sub-headers, as many bytes, and a byte more.", h=3)
    for length in (119, 121, 503, 505):
        stores(v, (0, length), (5120, length), (14336, length))
    yield v
    v = vector("compact-limit", "The sub-headers' bytes decide which runs share a packet, in either form.", h=3, limit=128)
    for last in (20, 21, 22):
        stores(v, (0, 50), (256, 48), (512, last), (768, 1))
    yield v


def adjoining():
    v = vector("compact-adjoin", "Runs that adjoin, at multiples of the limit: their packet keeps its sub-headers.", h=4,
               limit=256)
    stores(v, (216, 80), (400, 8))
    stores(v, (100, 4), (216, 80), (400, 8))
    v.note("they adjoin, but not in one packet")
    stores(v, (0, 4), (16, 500), (520, 4))
    v.note("a byte between them")
    stores(v, (216, 40), (257, 40), (400, 8))
    yield v


def repetitions():
    v = vector("compact-repeat", "Runs that repeat the last shape, the other one of the last two, and neither.")
    stores(v, *((96 * i, 8) for i in range(20)))
    v.note("two shapes by turns, then a third and both again")
    at, runs = 0, []
    for gap, length in [(0, 4), *[(12, 4), (20, 8)] * 4, (40, 4), (20, 8), (40, 4), (12, 4), (40, 4)]:
        runs.append((at + gap, length))
        at += gap + length
    stores(v, *runs)
    v.note("about a quarter of the runs are repetitions; then runs whose gap or length differs")
    for gaps in ((8, 24, 8, 56), (8, 24, 40, 8, 8), (8, 24, 40, 56, 56), (8, 24, 40, 56, 72, 72)):
        at, runs = 4, [(0, 4)]
        for gap in gaps:
            runs.append((at + gap, 4))
            at += gap + 4
        stores(v, *runs)
    for second in ((32, 8), (32, 4), (36, 4)):
        stores(v, (0, 4), (16, 4), second, (60, 4))
    yield v


def units():
    v = vector("compact-units", "Units of 1, 2, 4 and 8 bytes: the largest that divides all lengths and gaps.")
    for unit in (1, 2, 4, 8):
        for start in (0, 1, 2, 7):
            runs, at = [], 4096 + start
            for gap, length in ((3, 1), (1, 2), (6, 1), (5, 4)):
                runs.append((at, length * unit))
                at += (length + gap) * unit
            stores(v, *runs)
    v.note("one number that spoils the unit: the first length, a gap, the last length")
    for runs in (((0, 6), (14, 8), (30, 8)), ((0, 8), (17, 8), (33, 8)), ((0, 8), (16, 8), (32, 4)), ((1, 16), (33, 16))):
        stores(v, *runs)
    yield v


def orders():
    v = vector("compact-orders", "Orders of gaps and lengths from 0 to the largest, and bits 1:0 of the base.", size=WHOLE, h=6)
    for shift in range(0, 38, 2):
        stores(v, (shift, 1), (1 + shift + (1 << shift), 1 + (1 << shift) % 127))
    v.note("means are rounded down")
    for gaps in ((1, 2), (2, 4), (1, 8), (255, 256), (1 << 14, 1 << 15), (1 << 15, 1 << 16)):
        stores(v, (0, 3), (3 + gaps[0], 2), (5 + sum(gaps), 5))
    for lengths in ((1, 1), (1, 4), (4, 8), (8, 8), (8, 16), (40, 60), (600, 1024)):
        stores(v, (0, 9), (4096, lengths[0]), (8192, lengths[1]))
    yield v


def many():
    v = vector("compact-many", "A packet has at most 256 runs in either form.", h=3)
    for line in range(5):
        for at in range(0, 128, 2):
            v.store(0, 256 * line + at, 1)
    v.release()
    v.note("shapes that hardly repeat")
    at = 0
    for i in range(60):
        length = 1 + v.random(9)
        v.store(0, at, length)
        at += length + 1 + v.random(90)
    v.release()
    yield v


def chance():
    for h in (2, 3, 4, 5, 6):
        for limit in (128, 256, 4096):
            v = vector(f"compact-chance-{h}-{limit}", f"Random stores, compact form: H {h}, payload limit {limit}.", p=3,
                       size=1 << 22, h=h, limit=limit)
            v.noise += h * limit + 1
            for _ in range(70):
                what = v.random(24)
                unit, at = 1 << v.random(4), v.random(1 << 12)
                if what == 0:
                    v.release()
                elif what == 1:
                    v.load(3, at, 1 + v.random(64))
                elif what == 2:
                    v.store(3, at, 1 + v.random(600))
                elif what < 5:
                    stride, length = 1 + v.random(200), 1 + v.random(16)
                    for i in range(2 + v.random(6)):
                        v.store(3, at + i * (stride + length), length)
                else:
                    v.store(3, at // unit * unit, unit * (1 + v.random(6)))
            yield v


def coded(v, gaps_lengths, coding, at=4096, p=1):
    """Runs from `at` on, by gap and length in units, and their packet."""
    runs = []
    for gap, length in gaps_lengths:
        runs.append((link_address(p, at + gap * coding.unit), v.bytes(length * coding.unit)))
        at += (gap + length) * coding.unit
    return fp.compact(runs, coding)


def accepted():
    v = Vector("receive-compact", "Packets in the compact form: any coding, also what no card sends.")
    v.endpoint(1, 1 << 20, h=2)
    some = [(0, 3), (5, 1), (5, 1), (2, 9), (5, 1), (2, 9), (70, 3)]
    for unit in (1, 2, 4, 8):
        for repeats in (False, True):
            v.receive(coded(v, some, Coding(unit, repeats, 2, 1), at=512 * unit + unit + repeats))
    for order in range(15):
        v.receive(coded(v, some, Coding(1, order % 2 == 1, order, order % 4)), note=f"order of gaps {order}")
    v.note("every number of padding bits of the description, and every Last BE")
    for length in range(1, 20):
        v.receive(coded(v, [(0, 2), (length, 1), (1, length)], Coding(gap_order=1)))
    v.note("one run with a description")
    for length in (1, 2, 4093):
        v.receive(coded(v, [(0, length)], Coding(length_order=2)))
    v.receive(coded(v, [(0, 2000), (1, 2090)], Coding(length_order=3)), note="runs of more than 1024 bytes")
    v.receive(coded(v, [(0, 1)] + [(1, 1)] * 900, Coding(1, True)), note="901 runs")
    v.receive(coded(v, [(0, 1)] + [(2, 1)] * 300, Coding()), note="301 runs, each with its shape")
    v.receive(coded(v, [(0, 4), (3, 5)], Coding(), at=(1 << 20) - 12), note="up to the last byte")
    v.note("shapes in full that are the last or the other one, then a repetition of the other one")
    one, other = [0, 0] + fp.number(3, 0) + fp.number(2, 0), [0, 0] + fp.number(5, 0) + fp.number(1, 0)
    for shapes, lengths in (([one, other, other], (2, 1, 1, 2)), ([one, other, one], (2, 1, 2, 1)),
                            ([one, other, one, one], (2, 1, 2, 2, 1)), ([one, other, [1], other], (2, 1, 1, 1, 2))):
        bits = fp.number(1, 0) + sum(shapes, []) + [0, 1]
        v.receive(described(bits, v.bytes(1 + sum(lengths)), Coding(1, True), at=1 << 15))
    yield v
    v = Vector("receive-compact-far", "Gaps up to the largest of an endpoint.")
    v.endpoint(0, WHOLE)
    for bits in (16, 32, 47, 48):
        for unit in (1, 8):
            gap = ((1 << bits) - 16) // unit
            v.receive(coded(v, [(0, 8 // unit), (gap, 8 // unit)], Coding(unit, gap_order=14), at=0, p=0))
    yield v
    v = Vector("receive-compact-chance", "Random runs in random codings.")
    v.endpoint(1, 1 << 24)
    for _ in range(60):
        coding = Coding(1 << v.random(4), v.random(2) == 1, v.random(15), v.random(4))
        few = [(1 + v.random(1 << v.random(9)), 1 + v.random(1 << v.random(6))) for _ in range(1 + v.random(4))]
        runs = [(0, 1 + v.random(20))] + [few[v.random(len(few))] for _ in range(v.random(12))]
        if sum(length for _, length in runs) * coding.unit < 3500:
            v.receive(coded(v, runs, coding, at=v.random(1 << 16)))
    yield v


def changed(good, index, value):
    return good[:index] + bytes([value]) + good[index + 1:]


def described(bits, data, coding=None, at=4096):
    """A packet whose description is `bits`, right or wrong."""
    coding = coding or Coding()
    return fp.compact([(link_address(1, at), b"")], coding, octets(bits) + data)


def wrong_descriptions():
    v = Vector("refuse-4-compact", "Rule 4: payloads that descriptions do not fill or exceed, impossible numbers and shapes.")
    v.endpoint(1, 1 << 20)
    good = coded(v, [(0, 3), (5, 4), (2, 5)], Coding(1, False, 2, 1))
    payload = good[16:]
    payload = payload[:len(payload) - 4 + bin(good[7] >> 4).count("1")]
    for count in range(1, len(payload)):
        cut = fp.packet(link_address(1, 4096), payload[:count], good[7] & 15, good[6])
        v.receive(cut, (4, 5), f"{count} bytes of {len(payload)}")
    v.receive(fp.packet(link_address(1, 4096), payload[:3] + bytes(21), good[7] & 15, good[6]), 4, "more bytes, all zero")
    number, repeat = fp.number, Coding(1, True)
    for length in (1, 7, 64):
        v.receive(described([0] * (8 * length), b""), 4, f"{length} bytes without a number")
    v.receive(described(number(1, 0) + [1], v.bytes(2), repeat), 4, "the second run repeats a shape")
    v.receive(described(number(1, 0) + [0, 1], v.bytes(2), repeat), 4, "the second run repeats the other shape")
    new = number(1, 0) + [0, 0] + number(2, 0) + number(1, 0)
    v.receive(described(new + [0, 1], v.bytes(3), repeat), 4, "the third run repeats the other shape, of one")
    v.receive(described(new + [1, 0, 1], v.bytes(4), repeat), 4, "the fourth, after one that repeated the last")
    v.receive(described(new + [1], v.bytes(3), repeat))
    for length, unit in ((4097, 1), (2049, 2), (1025, 4), (513, 8), (1 << 20, 1), (1 << 32, 8), (1 << 47, 1)):
        v.receive(described(number(length, 0), v.bytes(60), Coding(unit)), 4, f"a length of {length} units of {unit}")
    for n in (48, 49, 55):
        bits = number(1, 0) + [0] * n + [1] + [0] * n + number(1, 0)
        v.receive(described(bits, v.bytes(2)), 4, f"a gap with n {n}")
    yield v
    v = Vector("refuse-4-compact-far", "Rule 4: a run that begins 2^48 bytes from the base, or beyond.")
    v.endpoint(1, WHOLE)
    for unit in (1, 2, 4, 8):
        for beyond in (-1, 0, 1):
            gap = WHOLE // unit - 1 + beyond
            bits = fp.number(1, 0) + fp.number(gap, 14) + fp.number(1, 0)
            packet = described(bits, v.bytes(2 * unit), Coding(unit, False, 14), at=0)
            v.receive(packet, 4 if beyond >= 0 else None, f"unit {unit}, {beyond} from 2^48")
    bits = fp.number(1, 0) + fp.number(WHOLE - 5000, 14) + fp.number(1, 0)
    v.receive(described(bits, v.bytes(2), Coding(1, False, 14), at=4999), 7, "beyond the endpoint: the base is not its first byte")
    yield v


def wrong_rest():
    v = Vector("refuse-compact", "Rules 2, 3, 5, 6 and 7 for the compact form. Nothing of a refused packet is written.")
    v.endpoint(1, 1 << 16)
    runs = [(0, 3), (5, 4), (90, 6), (2, 3)]
    good = coded(v, runs, Coding(1, False, 3, 1))
    for index in (0, 1, 2, 4, 5):
        for bit in range(8):
            if index != 2 or bit > 1:
                v.receive(changed(good, index, good[index] ^ 1 << bit), 2, f"byte {index} bit {bit}")
    for tag in (0x0f, 0x1f, 0x3f):
        for first_be in range(9, 16):
            wrong = changed(changed(good, 6, tag), 7, good[7] & 0xf0 | first_be)
            v.receive(wrong, 2, f"Tag {tag:02x}, First BE {first_be}")
    for last_be in (0, 2, 4, 5, 8, 15 - 2):
        v.receive(changed(good, 7, last_be << 4 | good[7] & 15), 3, f"Last BE {last_be:04b}")
    v.note("each padding bit of the description, and of the payload")
    bits = fp.number(1, 0) + fp.number(1, 0) + fp.number(2, 0)
    for bit in range(len(bits), 8):
        v.receive(described([*bits, *[0] * (bit - len(bits)), 1], v.bytes(3)), 5, f"bit {bit}")
    v.receive(described(bits, v.bytes(3)))
    odd = fp.compact([(link_address(1, 8192), b"")], Coding(), octets(fp.number(2, 0)) + v.bytes(2))
    for bit in range(8):
        v.receive(changed(odd, len(odd) - 1, 1 << bit), 5, f"byte {len(odd) - 1} bit {bit}")
    v.receive(odd)
    for bit in (0, 1):
        v.receive(changed(good, 15, good[15] ^ 1 << bit), 6, f"Address bit {bit}")
    for bit in range(8):
        v.receive(changed(good, 8, good[8] ^ 1 << bit), 6, f"byte 8 bit {bit}")
    for p in (0, 2, 15, 16, 255):
        v.receive(changed(good, 9, p), 6, f"partition {p}")
    length = 6 + sum(gap + length for gap, length in runs)
    v.receive(coded(v, [*runs, (5, 1)], Coding(1, True, 3, 1), at=(1 << 16) - length), note="up to the last byte")
    for at in (1, 2, 3, 4, 5, length - 1, 0):
        beyond = coded(v, [*runs, (5, 1)], Coding(1, True, 3, 1), at=(1 << 16) - length + at)
        v.receive(beyond, 7 if at else None, f"{at} bytes beyond it")
    v.receive(coded(v, runs, Coding(), at=1 << 16), 7)
    v.receive(good)
    yield v


GROUPS = (form, sizes, adjoining, repetitions, units, orders, many, chance, accepted, wrong_descriptions, wrong_rest)
