# SPDX-License-Identifier: Apache-2.0
"""Vectors of the cluster queue: what flits packets become, by stitching, pooling, sequencing (NetCrafter 4.2, 4.4)."""

import netcrafter as nc
from link_vector import LinkVector
from netcrafter import (ATOMIC_REQUEST, ATOMIC_RESPONSE, FAILED, FINEPACK, READ_REQUEST, READ_RESPONSE, REFUSED_STATUS,
                        RELEASE, RELEASED, SECTOR, STITCHED, TRANSLATION_REQUEST, TRANSLATION_RESPONSE, TRIMMED,
                        WRITE_REQUEST, WRITE_RESPONSE)

STITCH = {"stitching": 1}
POOL = {"stitching": 1, "pooling": 1, "selective": 1}
ALL = POOL | {"sequencing": 1}


def types(left):
    return [kind for _, kind in left]


def table_1():
    v = LinkVector("table-1",
                   "The paper's Table 1, and the other kinds: bytes required, and occupied in flits of 16 bytes.")
    for kind, required, occupied in ((READ_REQUEST, 12, 16), (WRITE_REQUEST, 76, 80), (TRANSLATION_REQUEST, 12, 16),
                                     (READ_RESPONSE, 68, 80), (WRITE_RESPONSE, 4, 16), (TRANSLATION_RESPONSE, 12, 16),
                                     (RELEASE, 12, 16), (RELEASED, 4, 16), (ATOMIC_REQUEST, 28, 32),
                                     (ATOMIC_RESPONSE, 12, 16)):
        v.note(f"{nc.NAMES[kind]}: {required} bytes required, {occupied} occupied, {occupied - required} padded")
        v.packet(kind, tag=0x1234, partition=0 if kind == READ_RESPONSE else 5)
        assert v.queue.bytes_in[kind] == required
        assert types(v.run()) == [kind] * (occupied // 16)
    yield v
    v = LinkVector("finepack-lengths", "FinePack packets: the last flit full, and with each room there is.", **STITCH)
    for payload in (4, 8, 12, 16, 20, 1000, 4096):
        v.finepack(payload)
        assert types(v.run()) == [FINEPACK] * -(-(16 + payload) // 16)
    yield v


def stitching():
    v = LinkVector("whole-into-tail", "A whole packet goes into the tail of another, as it is.", **STITCH)
    for kind, other in ((READ_RESPONSE, READ_REQUEST), (READ_RESPONSE, ATOMIC_RESPONSE), (READ_RESPONSE, RELEASED),
                        (WRITE_REQUEST, WRITE_RESPONSE), (ATOMIC_REQUEST, RELEASED)):
        v.last_at_hand(kind)
        v.hold((other,))
        assert types(v.run()) == [kind | STITCHED]
    yield v

    v = LinkVector("whole-into-whole", "Whole packets go into whole packets.", **STITCH)
    for kind in (READ_REQUEST, TRANSLATION_REQUEST, TRANSLATION_RESPONSE, RELEASE, ATOMIC_RESPONSE):
        for one, other in ((kind, RELEASED), (RELEASED, kind)):
            v.hold((one,), (other,))
            assert types(v.run()) == [one | STITCHED]
    yield v

    v = LinkVector("tail-into-tail",
                   "The paper's Fig. 11, first scenario: two read responses back to back. The tail of the second has\n"
                   "no header in it, so it takes its packet's number and its size with it, and comes before its packet.",
                   **STITCH)
    v.hold((READ_RESPONSE,), (READ_RESPONSE,))
    assert types(v.run()) == [READ_RESPONSE] * 4 + [READ_RESPONSE | STITCHED] + [READ_RESPONSE] * 4
    assert v.queue.partial == 1
    yield v

    v = LinkVector("tail-of-each-kind",
                   "Tails of all kinds and sizes that go as pieces: before their packet's rest, between, and behind it.",
                   **STITCH)
    for packet in (lambda: v.packet(READ_RESPONSE), lambda: v.packet(READ_RESPONSE, partition=TRIMMED),
                   lambda: v.packet(READ_RESPONSE, partition=TRIMMED + SECTOR[32]), lambda: v.finepack(20),
                   lambda: v.finepack(40)):
        for before in range(5):
            v.hold((RELEASED,))
            packet()
            v.ready(0)
            v.run(before)
            v.ready(1)
            v.run(before)
            v.hold((WRITE_RESPONSE,))
            v.run()
    assert v.queue.partial > 8
    yield v

    v = LinkVector("several-candidates",
                   "One parent takes several: up to 16 bytes, of several kinds and classes.", **STITCH)
    v.hold(*[(WRITE_RESPONSE,)] * 4)
    assert types(v.run()) == [WRITE_RESPONSE | STITCHED]
    v.last_at_hand(READ_RESPONSE)
    v.hold((RELEASED,), (WRITE_RESPONSE,), (RELEASED,))
    assert types(v.run()) == [READ_RESPONSE | STITCHED]
    v.hold((RELEASED,), (READ_RESPONSE, TRIMMED), (READ_RESPONSE, TRIMMED))
    assert types(v.run()) == [RELEASED | STITCHED] + [READ_RESPONSE] * 2 and v.queue.partial == 2
    yield v

    v = LinkVector("stitched-again",
                   "A flit that took a piece takes more, as long as the link lets it wait: what comes later too.",
                   **STITCH)
    v.ready(0)
    for kind in (WRITE_RESPONSE, RELEASED, WRITE_RESPONSE, RELEASED):
        v.packet(kind)
        v.run(5)
    assert v.queue.stitched[WRITE_RESPONSE] + v.queue.stitched[RELEASED] == 3
    v.packet(WRITE_RESPONSE)
    v.run(3)
    v.ready(1)
    assert types(v.run()) == [WRITE_RESPONSE | STITCHED, WRITE_RESPONSE]
    yield v

    v = LinkVector("no-candidate",
                   "Nothing that fits: too large, too large with number and size, or not there. Room stays zeros.",
                   **STITCH)
    v.hold((READ_REQUEST,), (TRANSLATION_REQUEST,))
    v.run()
    v.hold((ATOMIC_REQUEST,), (ATOMIC_RESPONSE,), (WRITE_REQUEST,), (WRITE_REQUEST,))
    v.run()
    v.note("the tail takes 6 bytes as a piece; there are 4")
    v.hold((READ_REQUEST,), (READ_RESPONSE,))
    v.run()
    assert v.queue.parents == 0 and v.queue.padded == 8
    yield v

    v = LinkVector("stitching-off", "Without stitching nothing is, and nothing waits for it.", pooling=1)
    packets = ((READ_RESPONSE,), (READ_REQUEST,), (WRITE_RESPONSE,), (WRITE_RESPONSE,), (RELEASED,))
    v.hold(*packets)
    v.run()
    assert v.queue.parents == v.queue.pooled == 0
    v.set(stitching=1, pooling=0)
    v.hold(*packets)
    v.run()
    assert v.queue.parents == 2 and v.queue.pooled == 0
    yield v

    v = LinkVector("choice",
                   "Of several candidates that which fills most is taken, of equals the lowest kind; with sequencing a\n"
                   "latency-critical one before all.", **STITCH)
    for sequencing in (0, 1):
        v.set(sequencing=sequencing)
        v.ready(0)
        v.packet(READ_RESPONSE)
        v.run(7)  # the parent is the first flit
        for kind in (WRITE_RESPONSE, READ_REQUEST, ATOMIC_RESPONSE, TRANSLATION_RESPONSE, RELEASED, RELEASED):
            v.packet(kind)
        v.run(8)
        v.ready(1)
        v.run()
    yield v


def trimming():
    v = LinkVector("trimmed",
                   "Read responses of which only a sector is left, and such that were not done, each alone and two together.",
                   **STITCH)
    for status in [TRIMMED + SECTOR[size] for size in (4, 8, 16, 32)] + [REFUSED_STATUS, FAILED]:
        v.packet(READ_RESPONSE, partition=status, tag=7)
        v.run()
        v.hold((READ_RESPONSE, status), (READ_RESPONSE, status), (WRITE_RESPONSE,))
        v.run()
    yield v
    v = LinkVector("trimmed-in-order",
                   "A whole packet is not taken before flits of its kind that are earlier; it goes into a flit of its kind.",
                   **STITCH)
    v.hold((WRITE_RESPONSE,), (READ_RESPONSE,), (READ_RESPONSE, TRIMMED + SECTOR[8]), (READ_RESPONSE, REFUSED_STATUS))
    v.run()
    v.hold((READ_RESPONSE,), (READ_RESPONSE, TRIMMED + SECTOR[8]), (READ_RESPONSE, REFUSED_STATUS))
    v.run()
    assert v.queue.stitched[READ_RESPONSE] == 3
    yield v


def order():
    v = LinkVector("tails-ahead",
                   "Tails go before the rest of their packets while latency-critical parents have all turns: 127 packets\n"
                   "before what the receiver has under way, and no further.", **STITCH, sequencing=1, burst=255)
    v.last_at_hand(RELEASED)
    for _ in range(131):
        v.packet(READ_RESPONSE, partition=TRIMMED)
    v.run(2 * 131)
    ahead = 0
    for _ in range(66):
        v.packet(RELEASED)
        v.run(1)
        v.ready(1)
        v.run(1)
        v.ready(0)
        v.run(2)
        ahead = max(ahead, len(v.unstitcher.tails))
    assert ahead == 128
    v.ready(1)
    v.run()
    yield v
    v = LinkVector("numbers",
                   "More packets of a kind than there are numbers; and a reset, after which all begins at 0.", **STITCH)
    for _ in range(130):
        v.packet(WRITE_RESPONSE)
    v.packet(READ_RESPONSE)
    v.run()
    assert v.queue.next_number[WRITE_RESPONSE] == 130
    v.packet(READ_RESPONSE)
    v.packet(WRITE_RESPONSE)
    v.run(4)
    v.reset()
    v.packet(WRITE_RESPONSE)
    v.packet(READ_RESPONSE)
    v.run()
    yield v


def pooling():
    v = LinkVector("pooled-taken", "A flit that waits becomes a piece of another.", **POOL)
    v.packet(WRITE_RESPONSE)
    v.run(6)
    v.packet(READ_REQUEST)
    assert types(v.run()) == [READ_REQUEST | STITCHED] and v.queue.pool_stitched == 1
    yield v
    for cycles in (1, 32, 128):
        v = LinkVector(f"pooled-{cycles}",
                       f"A flit waits {cycles} clocks and leaves alone; it does not wait twice.",
                       **POOL, pool_cycles=cycles)
        v.packet(WRITE_RESPONSE)
        assert [clock for clock, _ in v.run()] == [2 + cycles + 1] and v.queue.timed_out == 1
        yield v
    v = LinkVector("pooled-takes",
                   "A kind whose flit waits has no turn; after its time the flit takes what has come.", **POOL)
    v.packet(READ_RESPONSE)
    v.run(9)
    assert v.queue.pooled == 1
    v.packet(READ_RESPONSE)
    assert len(v.run(20)) == 0
    assert v.run()[0][1] == READ_RESPONSE | STITCHED and v.queue.pool_stitched == 1
    yield v
    v = LinkVector("pooled-beside",
                   "While one kind waits others have their turns; several kinds wait at once, each for its time.",
                   **POOL)
    v.packet(READ_RESPONSE)
    v.packet(WRITE_REQUEST)
    v.run(4)
    v.packet(READ_REQUEST)
    v.packet(ATOMIC_REQUEST)
    v.finepack(8)
    v.run()
    assert v.queue.pooled > 2
    yield v
    v = LinkVector("selective", "Latency-critical flits do not wait; without selective pooling they do.", **POOL)
    for selective in (1, 0):
        v.set(selective=selective)
        for kind in nc.CRITICAL:
            v.packet(kind)
            waits = v.now
            assert [clock - waits for clock, _ in v.run()] == [2 if selective else 35]
    yield v
    v = LinkVector("pooling-none",
                   "Pooling for 0 clocks is none; what is pooled when it is switched off waits until its time is over.",
                   **POOL,
                   pool_cycles=0)
    v.packet(WRITE_RESPONSE)
    assert [clock for clock, _ in v.run()] == [2]
    v.set(pool_cycles=16)
    v.packet(WRITE_RESPONSE)
    v.run(4)
    v.set(pooling=0, pool_cycles=1)
    v.run(10)
    v.packet(READ_REQUEST)
    v.run()
    yield v


def sequencing():
    v = LinkVector("sequencing-off", "Without sequencing all kinds have their turns one after the other.")
    for _ in range(3):
        for kind in (WRITE_RESPONSE, RELEASED, READ_REQUEST, TRANSLATION_REQUEST):
            v.packet(kind)
    v.run()
    yield v
    for burst in (1, 3):
        v = LinkVector(f"sequencing-{burst}",
                       f"Latency-critical kinds first, in turn; after {burst} in a row one of the others.",
                       sequencing=1,
                       burst=burst)
        v.ready(0)
        v.finepack(100)
        v.packet(READ_RESPONSE)
        for _ in range(4):
            for kind in nc.CRITICAL:
                v.packet(kind)
        v.run(40)
        v.ready(1)
        v.run()
        yield v


def gates():
    v = LinkVector("credits",
                   "A flit goes when its class has a credit, a piece too; what leaves takes them.", credits=0, **STITCH)
    v.packet(WRITE_REQUEST)
    v.packet(READ_REQUEST)
    for _ in range(6):
        v.packet(WRITE_RESPONSE)
    v.run(10)
    for credits in ((0, 1, 0), (0, 0, 1), (0, 0, 3), (4, 0, 0), (0, 0, 0), (1, 0, 1)):
        v.credits(*credits)
        v.run(12)
    v.credits(9, 9, 9)
    v.run()
    yield v
    v = LinkVector("ready",
                   "The link takes a flit now and then; pieces are taken and flits pooled meanwhile.",
                   **ALL, pool_cycles=8)
    for _ in range(3):
        for kind in (READ_RESPONSE, WRITE_RESPONSE, READ_REQUEST, TRANSLATION_RESPONSE):
            v.packet(kind)
    while v.queue.fill():
        v.ready(0)
        v.run(7)
        v.ready(1)
        v.run(1)
    yield v
    v = LinkVector("no-room", "A packet is taken whole or not at all. 16 flits.", entries=16, **STITCH)
    v.ready(0)
    for kind in (READ_RESPONSE, WRITE_REQUEST, READ_RESPONSE, READ_RESPONSE, READ_REQUEST, WRITE_RESPONSE):
        v.packet(kind)
        v.run(6)
    assert v.queue.refused == 2 and v.queue.fill() == 16
    v.ready(1)
    v.run(8)
    v.packet(READ_RESPONSE)
    v.run()
    yield v


def flits_of_8():
    v = LinkVector("flits-8",
                   "Flits of 8 bytes: the paper's Fig. 21. Only packets of 4 bytes go as pieces.",
                   flit_bytes=8, **STITCH)
    for kind in nc.KINDS:
        if kind != FINEPACK:
            v.packet(kind)
    v.finepack(4)
    v.finepack(8)
    for status in (TRIMMED, TRIMMED + SECTOR[4], FAILED):
        v.packet(READ_RESPONSE, partition=status)
    v.packet(WRITE_RESPONSE)
    v.run()
    assert v.queue.partial == 0 < v.queue.parents
    yield v
    v = LinkVector("flits-8-pooled", "Flits of 8 bytes that wait.", flit_bytes=8, **POOL)
    v.packet(READ_RESPONSE)
    v.packet(READ_REQUEST)
    v.run(20)
    v.packet(WRITE_RESPONSE)
    v.run()
    assert v.queue.pool_stitched == 2
    yield v


def by_chance():
    for n, settings in enumerate((ALL, POOL, STITCH, ALL | {"selective": 0}, {"sequencing": 1}, ALL)):
        v = LinkVector(f"chance-{n}",
                       "Packets of all kinds at any clock, with settings, credits and readiness by chance.",
                       flit_bytes=8 if n == 5 else 16, entries=(1024, 48)[n % 2], credits=40, **settings)
        v.noise += n
        kinds = [READ_REQUEST, READ_RESPONSE] * 3 + list(nc.KINDS)
        for i in range(120):
            kind = kinds[v.random(len(kinds))]
            if v.queue.fill() + 20 > v.queue.entries:
                v.run(max(v.queue.input_free - v.now, 0))
            if kind == FINEPACK:
                v.finepack(4 + 4 * v.random(30))
            else:
                v.packet(kind, tag=i, partition=(0, 0, 1, 2, 8, 9, 10, 11)[v.random(8)])
            if v.random(3) == 0:
                v.ready(int(v.random(2 + n) > 0))
            if v.random(8) == 0:
                v.credits(v.random(24), v.random(16), v.random(30))
            if v.random(40) == 0:
                v.set(pool_cycles=v.random(40), burst=1 + v.random(4))
            v.run(max(v.queue.input_free - v.now, 0) + v.random(6) if v.random(4) == 0 else v.random(8))
        v.ready(1)
        v.credits(0xfff, 0xfff, 0xfff)
        v.run()
        yield v


GROUPS = (table_1, stitching, trimming, order, pooling, sequencing, gates, flits_of_8, by_chance)
