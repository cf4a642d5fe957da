# SPDX-License-Identifier: Apache-2.0
"""Vectors of MODE.PACKING, and of packets of a single run."""

import finepack as fp
from vector import Vector


def single_runs():
    v = Vector("packing-single", "A run that is alone in its packet has no sub-header, wherever it begins.")
    v.endpoint(2, 1 << 30)
    v.packing(2, 1)
    for at, length in ((0, 1), (1, 4), (6, 2), (123, 8), (4096 + 3, 127), (8192, 4096), (3, 4096)):
        v.store(2, at, length)
        v.release()
    v.note("two runs have sub-headers")
    v.store(2, 64, 4)
    v.store(2, 0, 4)
    v.queued(2)
    v.release()
    v.packing(2, 0)
    v.store(2, 0, 4)
    v.release()
    yield v


def lines():
    v = Vector("packing-lines", "Lines leave in ascending order; adjacent ones are one run, up to multiples of the payload limit.")
    v.endpoint(1, 1 << 30, limit=512)
    v.packing(1, 1)
    for line in (5, 1, 2, 0, 7, 3, 4):
        v.store(1, 4096 + 128 * line, 128)
    v.store(1, 0, 8)
    v.queued(1)
    v.release()
    v.set(1, limit=4096)
    v.note("a run of more than 1024 bytes leaves alone")
    v.store(1, 0, 8)
    v.store(1, 4096, 1024)
    v.store(1, 16384, 1025)
    v.store(1, 32768, 1024)
    v.store(1, 65536, 8)
    v.release()
    yield v


def full():
    v = Vector("packing-full", "A queue leaves when its entries are full, and before a store that would be cut.")
    v.endpoint(0, 1 << 30, limit=256)
    v.packing(0, 1)
    for line in range(65):
        v.store(0, 256 * line, 60)
    v.queued(0)
    v.note("one entry is free, too few for two lines that are one plain write")
    for line in range(62):
        v.store(0, 65536 + 256 * line, 4)
    v.store(0, 2 * 65536 + 100, 40)
    v.queued(0)
    v.note("one entry is free; the plain writes of this store end between its lines")
    for line in range(61):
        v.store(0, 65536 + 256 * line, 4)
    v.store(0, 4 * 65536 + 200, 100)
    v.note("a line that is queued needs no entry")
    v.store(0, 65536, 8)
    v.release()
    yield v


def many_runs():
    v = Vector("packing-many", "A packet has at most 256 runs.")
    v.endpoint(0, 1 << 30, h=3)
    v.packing(0, 1)
    for line in range(5):
        for at in range(0, 128, 2):
            v.store(0, 256 * line + at, 1)
    v.queued(0)
    v.release()
    yield v


def limits():
    v = Vector("packing-limit", "A packet is as long as the payload limit, and no byte longer; SELF_DESCRIBE 0.")
    v.endpoint(0, 1 << 30, h=3, limit=128)
    v.packing(0, 1)
    v.set(0, describe=0)
    for last in (20, 21, 22):
        for line, length in enumerate((50, 48, last)):
            v.store(0, 256 * line, length)
        v.release()
    yield v


def chance():
    for h in (2, 3, 4, 5, 6):
        for limit in (128, 256, 4096):
            v = Vector(f"packing-chance-{h}-{limit}", f"Random stores with packing: H {h}, payload limit {limit}.")
            v.noise += h * limit
            v.endpoint(3, 1 << 22, h=h, limit=limit)
            v.packing(3, 1)
            for _ in range(55):
                what = v.random(16)
                if what == 0:
                    v.release()
                elif what == 1:
                    v.load(3, v.random(1 << 12), 1 + v.random(64))
                elif what == 2:
                    v.store(3, v.random(1 << 12), 1 + v.random(600))
                else:
                    v.store(3, v.random(1 << 12), 1 + v.random(40))
            yield v


def received():
    v = Vector("receive-single", "Packets of a single run: taken whole, or refused.")
    v.endpoint(1, 1 << 20)
    for at, length in ((0, 1), (5, 3), (4094, 4096), ((1 << 20) - 7, 7)):
        v.receive(fp.single(fp.link_address(1, at), v.bytes(length)))
    v.receive(fp.single(fp.link_address(1, (1 << 20) - 6), v.bytes(7)), 7)
    v.receive(fp.single(fp.link_address(2, 0), v.bytes(7)), 6)
    good = fp.single(fp.link_address(1, 4096), v.bytes(6))
    for bit in range(6):
        v.receive(good[:6] + bytes([good[6] ^ 1 << bit]) + good[7:], 2 if bit > 3 else (4, 5), note=f"Tag bit {bit}")
    for bit in (0, 1):
        v.receive(good[:15] + bytes([good[15] ^ 1 << bit]) + good[16:], 6, note=f"Address bit {bit}")
    for bit in range(3):
        v.receive(good[:7] + bytes([good[7] ^ 1 << bit]) + good[8:], 2, note=f"First BE bit {bit}")
    v.receive(good[:-1] + b"\1", 5)
    yield v


GROUPS = (single_runs, lines, full, many_runs, limits, chance, received)
