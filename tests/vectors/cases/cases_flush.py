# SPDX-License-Identifier: Apache-2.0
"""Vectors of the reasons to flush, of the two forms of First BE, and of partitions that do not coalesce."""

import finepack as fp
from vector import CAS, FETCH_ADD, SWAP, Vector


def releases():
    v = Vector("release", "A release flushes every partition that its context stored to; a second one finds nothing.")
    v.endpoint(0, 0x10000)
    v.endpoint(7, 0x10000)
    v.release()
    v.store(0, 0x10, 4)
    v.store(7, 0x20, 4)
    v.release()
    v.release()
    v.store(7, 0x20, 1)
    v.release()
    yield v
    v = Vector("release-contexts",
               "A release leaves alone what other contexts stored, but what shares a queue leaves together.")
    for p in range(3):
        v.endpoint(p, 0x10000)
    v.store(0, 0x100, 8, c=0)
    v.store(1, 0x100, 8, c=1)
    v.store(2, 0x100, 8, c=0)
    v.store(2, 0x180, 8, c=2)
    v.release(3)
    v.release(2)
    v.release(1)
    v.release(2)
    v.release(0)
    yield v


def timeouts():
    v = Vector("timeout",
               "A partition is flushed FLUSH_TIMEOUT_NS after its last store: not a nanosecond earlier, and every\n"
               "store starts the time anew.")
    v.endpoint(0, 0x10000, timeout=1000)
    v.time(5000)
    v.store(0, 0, 8)
    v.time(5999)
    v.time(6000)
    v.store(0, 0, 8)
    v.time(6500)
    v.store(0, 8, 8)
    v.load(0, 64, 8)
    v.time(7499)
    v.time(7500)
    v.time(9000)
    yield v
    v = Vector("timeout-off", "Without a timeout time flushes nothing; partitions have timeouts of their own.")
    v.endpoint(0, 0x10000)
    v.endpoint(1, 0x10000, timeout=1)
    v.endpoint(2, 0x10000, timeout=1000000000)
    for p in range(3):
        v.store(p, 0x40, 4)
    v.time(1)
    v.time(999999999)
    v.time(1000000000)
    v.time(1 << 62)
    v.release()
    yield v


def loads():
    for keyword in ("load", "get"):
        v = Vector(keyword + "-hit",
                   f"A {keyword} of a queued byte flushes, one of other bytes does not: not of a byte next to it, of\n"
                   "its line, or of a byte already sent. It gives what was stored.")
        v.endpoint(0, 0x10000, h=4)
        v.store(0, 0x80, 8)
        v.store(0, 0x98, 8)
        for at, length in ((0x78, 8), (0x88, 16), (0xa0, 96), (0x0, 128), (0x8f, 10)):
            v.load(0, at, length, keyword=keyword)
            v.queued(0)
        v.store(0, 0x1ff, 1)
        v.load(0, 0x80, 32, keyword=keyword)
        v.load(0, 0x100, 512, keyword=keyword)
        v.store(0, 0xf80, 4)
        v.store(0, 0x27f, 2)
        v.load(0, 0x280, 1, keyword=keyword)
        v.load(0, 0x0, 4096, keyword=keyword)
        yield v
    v = Vector("load-other-context", "A load of another context flushes, too; it sees the bytes.")
    v.endpoint(0, 0x10000)
    v.store(0, 0x40, 8, c=1)
    v.load(0, 0x44, 1, c=2)
    v.release(1)
    yield v


def atomics():
    v = Vector("atomic", "An atomic on queued bytes flushes them first and works on them; it is never queued itself.")
    v.endpoint(5, 0x10000)
    v.store(5, 0x40, (41).to_bytes(8, "little"))
    v.store(5, 0x60, 8)
    v.atomic(5, 0x48, 8, FETCH_ADD, 3)
    v.queued(5)
    v.atomic(5, 0x40, 8, FETCH_ADD, 1)
    v.queued(5)
    v.store(5, 0x43, 1)
    v.atomic(5, 0x40, 4, SWAP, 0xcafef00d)
    v.store(5, 0x48, (7).to_bytes(4, "little"))
    v.atomic(5, 0x48, 4, CAS, 0x11223344, compare=7)
    v.atomic(5, 0x48, 4, CAS, 0x55667788, compare=7)
    v.atomic(5, 0x80, 4, FETCH_ADD, 0xffffffff)
    v.atomic(5, 0x80, 4, FETCH_ADD, 2)
    v.store(5, 0x7f, 1)
    v.store(5, 0x84, 1)
    v.atomic(5, 0x80, 4, SWAP, 9)
    v.queued(5)
    v.release()
    yield v


def settings():
    v = Vector("config", "A change of any setting flushes, once; writing what is there already does not.")
    v.endpoint(0, 0x10000)
    for change in ({"h": 3}, {"limit": 1024}, {"timeout": 77}, {"describe": 0}, {"coalesce": 0},
                   {"coalesce": 1, "h": 6, "limit": 4096, "timeout": 0, "describe": 1}):
        v.store(0, 0x1234, 10)
        v.set(0)
        v.store(0, 0x1334, 10)
        v.set(0, **change)
        v.queued(0)
    v.store(0, 0x20, 3)
    v.release()
    yield v
    v = Vector("config-other", "A change of one partition leaves the others' queues alone.")
    v.endpoint(0, 0x10000)
    v.endpoint(1, 0x10000)
    v.store(0, 0x10, 3)
    v.store(1, 0x10, 3)
    v.set(1, h=2)
    v.queued(0)
    v.queued(1)
    v.release()
    yield v


def drains():
    v = Vector("drain", "Drains of the card, of a partition, of a context and of a window.")
    for p in range(4):
        v.endpoint(p, 0x10000)

    def store():
        for p, c in ((0, 0), (1, 1), (2, 0), (2, 1), (3, 2)):
            v.store(p, 0x800 * c + 0x40 * p, 5, c=c)

    v.drain_card()
    store()
    v.drain_of("drain-partition", 1)
    v.drain_of("drain-partition", 1)
    v.drain_context(1)
    v.drain_of("drain-window", 0, 0)
    v.drain_context(3)
    v.drain_card()
    v.drain_card()
    store()
    v.drain_context(0)
    v.drain_card()
    yield v
    v = Vector("unmap", "Taking a window away drains first, so that nothing is lost.")
    v.endpoint(0, 0x10000)
    v.endpoint(1, 0x10000)
    v.store(0, 0x33, 3)
    v.store(1, 0x33, 3)
    v.drain_of("unmap", 0, 0)
    v.queued(1)
    v.store(0, 0x44, 3)
    v.release()
    yield v


def one_by_one():
    v = Vector("no-coalesce", "Without COALESCE every piece of a store leaves at once, for the reason drain.")
    v.endpoint(0, 1 << 20, coalesce=0)
    for at, length in ((0, 8), (0, 8), (8, 1), (0x7c, 8), (0x3ffe, 4), (0x1000, 400)):
        v.store(0, at, length)
        v.queued(0)
    v.set(0, h=2, limit=128)
    v.store(0, 0x103e, 70)
    v.release()
    v.set(0, coalesce=1)
    v.store(0, 0, 8)
    v.store(0, 8, 8)
    v.set(0, coalesce=0)
    v.store(0, 16, 8)
    yield v


def paper_form():
    v = Vector("paper-form", "First BE 0, the paper's own form: the receiver takes the width from its SUBHEADER_BYTES.")
    v.endpoint(8, 1 << 45, describe=0)
    for h in (2, 3, 4, 5, 6):
        v.set(8, h=h)
        r = fp.address_range(h)
        v.store(8, 3 * r + 5, 3)
        v.store(8, 3 * r + 30, 3)
        v.store(8, 3 * r - 4, 8)
        v.store(8, 3 * r + 9, 1)
    v.release()
    yield v
    v = Vector("self-description", "The same stores in both forms: only First BE differs.")
    v.endpoint(8, 1 << 45)
    for describe in (1, 0, 1):
        v.set(8, describe=describe)
        for h in (2, 3, 4, 5, 6):
            v.set(8, h=h)
            v.store(8, 0x200, b"gpulink")
            v.store(8, 0x220, b"finepack")
            v.release()
    yield v


def all_reasons():
    v = Vector("every-reason", "All nine reasons to flush in one sequence, on one partition.")
    v.endpoint(11, 1 << 30, h=3, limit=256, timeout=100)
    v.store(11, 0x100, 8)
    v.store(11, 0x4000, 250)
    v.store(11, 0x4200, 8)
    for i in range(65):
        v.store(11, 0x80 * i, 1)
    v.set(11, limit=4096)
    for i in range(65):
        v.store(11, 0x80 * i, 1)
    v.release()
    v.store(11, 0x4200, 8)
    v.time(100)
    v.store(11, 0x4200, 8)
    v.load(11, 0x4207, 1)
    v.store(11, 0x4200, 8)
    v.atomic(11, 0x4200, 8, SWAP, 0)
    v.store(11, 0x4200, 8)
    v.drain_card()
    assert v.reasons == set(range(9))
    yield v


GROUPS = (releases, timeouts, loads, atomics, settings, drains, one_by_one, paper_form, all_reasons)
