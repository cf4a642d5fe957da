# SPDX-License-Identifier: Apache-2.0
"""Vectors of MODE.KEEP: which queue a piece goes to, and how the two leave."""

from vector import CAS, FETCH_ADD, SWAP, Vector

LINES = 64
OTHERS = 1 << 16  # an offset beyond all kept lines, in their window with H 4 or more


def vector(name, about, p=0, size=1 << 30, **settings):
    """A vector whose partition has packing on and keeps lines."""
    v = Vector(name, about)
    v.endpoint(p, size, **settings)
    v.packing(p, 1)
    v.keep(p, 1)
    return v


def fill(v, count=LINES, p=0, at=0, step=256, c=0):
    """A byte to each of `count` lines, every second one."""
    for i in range(count):
        v.store(p, at + step * i, 1, c)


def others(v, pieces, p=0, at=OTHERS):
    """Pieces to one line, which is not kept."""
    for i in range(pieces):
        v.store(p, at + i % 128, 1)


def full(v, p=0):
    """All lines are kept, and one more makes the set complete: a piece to other lines."""
    fill(v, p=p)
    v.store(p, OTHERS, 1)


def hot():
    v = vector("keep-hot", "Two lines that are stored to often stay while 170 others pass: those leave at 64 lines, these at the release.")
    for i in range(170):
        v.store(0, 8 * (i % 4), 8)
        v.store(0, 128 * 3 + i % 100, 20)
        v.store(0, 1024 + 256 * i, 4)
        if i % 40 == 0:
            v.queued(0)
    v.queued(0)
    v.release()
    v.note("the same lines are kept again")
    for i in range(65):
        v.store(0, 4, 4)
        v.store(0, OTHERS + 256 * i, 4)
    v.queued(0)
    v.release()
    yield v


def evaluation():
    v = vector("keep-evaluation", "An evaluation comes after 64 pieces to other lines; 16 pieces to kept ones justify them, 15 do not.")
    v.note("pieces that make a line kept are not counted")
    fill(v)
    others(v, 63)
    v.note("63: no evaluation")
    v.store(0, 0, 1)
    others(v, 1)
    v.note("64, and 1 to kept lines: both queues leave, the kept one first; this piece is the first of a new set")
    v.store(0, OTHERS + 4096, 1)
    v.queued(0)
    fill(v, LINES - 1)
    for hits, counted in ((16, 0), (15, 1)):
        v.note(f"64 and {hits}, {counted} of them the first piece after the evaluation ahead")
        for i in range(counted, hits):
            v.store(0, 256 * i + 8, 1)
            others(v, 4, at=OTHERS + 8192 + 256 * i)
        others(v, 64 - 4 * (hits - counted))
        v.queued(0)
        v.store(0, 256 * 20, 2)
        v.queued(0)
    v.note("that made the set empty: a line that was not kept is now")
    v.store(0, OTHERS + 8192, 2)
    fill(v, LINES - 2, at=1 << 18)
    v.note("many of both: the counts begin at 0 again, and 15 are too few")
    for hits in (40, 15):
        for i in range(hits):
            v.store(0, (1 << 18) + i, 1)
        others(v, 64, at=1 << 20)
    v.queued(0)
    v.store(0, 1 << 20, 1)
    v.queued(0)
    v.release()
    yield v


def inside():
    v = vector("keep-inside", "No evaluation inside a store; one ahead of the next, however many pieces were counted since.")
    full(v)
    others(v, 62)
    v.store(0, OTHERS + 100, 420)
    v.queued(0)
    v.store(0, OTHERS + 600, 1)
    v.queued(0)
    v.note("the other pieces of that store are not counted again")
    fill(v, LINES - 1, at=1 << 18)
    others(v, 63, at=1 << 20)
    v.store(0, OTHERS + 601, 1)
    v.queued(0)
    v.note("a store of kept and other lines is counted by piece")
    v.release()
    v.store(0, 1 << 20, 1)
    v.queued(0)
    fill(v, LINES - 1)
    for i in range(16):
        v.store(0, 256 * i + 120, 16)
    others(v, 48, at=1 << 21)
    v.store(0, 256 * 30, 2)
    v.queued(0)
    v.release()
    yield v


def long_stores():
    v = vector("keep-long", "Stores that are cut where kept lines and others follow each other.")
    fill(v)
    v.note("kept lines are 0, 2, 4, ...")
    v.store(0, 100, 800)
    v.queued(0)
    v.store(0, 256 * 63 - 4, 1024)
    v.release()
    v.note("a packet takes no run of another queue, even if it adjoins")
    v.store(0, 256 * 4, 128)
    v.store(0, 256 * 4 + 128, 128)
    v.release()
    v.note("the other queue leaves ahead of a piece whose store still needs three lines, one of them kept; two are free")
    for line in range(62):
        v.store(0, OTHERS + 256 * line, 1)
    v.queued(0)
    v.store(0, 256 * 8 + 120, 300)
    v.queued(0)
    v.release()
    v.note("a kept line has an entry in the kept queue, whatever else its store needs")
    v.keep(0, 0)
    v.keep(0, 1)
    fill(v)
    v.release()
    fill(v, LINES - 1)
    v.store(0, 256 * 63, 200)
    v.queued(0)
    v.release()
    yield v


def room():
    v = vector("keep-room", "Lines are kept as long as there is room for what a store still needs.", limit=256)
    v.note("two of 64 are free, too few for three lines")
    v.set(0, limit=4096)
    fill(v, 62)
    v.store(0, OTHERS + 8, 300)
    v.queued(0)
    v.note("now the set is complete")
    v.store(0, OTHERS + 4096, 1)
    v.release()
    v.note("with 256 bytes a packet a store needs two: this one adds its first line, and its others find no room")
    v.set(0, limit=256)
    fill(v, 62)
    v.store(0, OTHERS + 128, 300)
    v.queued(0)
    v.release()
    v.note("room for just as many; a line that is kept already counts as one that is needed")
    v.set(0, limit=4096)
    fill(v, 61)
    v.store(0, OTHERS, 384)
    v.release()
    v.set(0, limit=2048)
    fill(v, 62, step=128)
    v.store(0, 128 * 61, 384)
    v.queued(0)
    v.store(0, OTHERS, 1)
    v.release()
    v.note("the first line of a set is kept in any case; a store of 32 lines fills half of it")
    v.set(0, limit=4096)
    v.store(0, OTHERS, 4096)
    fill(v, 33)
    v.queued(0)
    v.release()
    yield v


def windows():
    v = vector("keep-window", "Lines outside the set's window go to the other queue, and do not make the set complete.", h=3)
    away = 1 << 14
    fill(v, 10)
    for i in range(4):
        v.store(0, away + 256 * i, 4)
        v.store(0, 2 * away + 256 * i, 4)
    v.queued(0)
    v.note("there is still room in the set")
    fill(v, LINES - 10, at=256 * 10)
    v.store(0, 128, 1)
    v.note("a store over the end of the window")
    v.store(0, away - 130, 200)
    v.release()
    v.note("they are counted: 64 of them are an evaluation")
    others(v, 59, at=2 * away)
    v.store(0, 0, 1)
    v.queued(0)
    v.release()
    v.note("the set's window is that of its first line")
    others(v, 64, at=away)
    v.store(0, 2 * away, 1)
    v.store(0, 0, 1)
    v.release()
    v.store(0, 2 * away + 256, 1)
    v.store(0, 256, 1)
    v.queued(0)
    v.release()
    yield v
    v = vector("keep-window-of-64", "With H 2 a line has two windows: only one is the set's.", h=2)
    for i in range(40):
        v.store(0, 256 * (i % 3) + 3 * i, 1 + i % 40)
    v.queued(0)
    v.release()
    v.store(0, 8, 4)
    v.store(0, 72, 4)
    v.store(0, 8, 200)
    v.release()
    yield v


def two_queues(v, c=0):
    """Even lines are kept, odd ones are not, and both have stores."""
    for line in range(8):
        v.store(0, 128 * line + 32, 64, c)


def order():
    v = vector("keep-order", "The queue with the first byte of an access leaves first; the kept one if both leave for another reason.")
    full(v)
    v.release()
    for at, length in ((0, 4), (32, 1), (160, 1), (40, 200), (168, 200), (95, 66), (96, 65), (127, 34), (223, 66), (0, 1024)):
        two_queues(v)
        v.load(0, at, length)
        v.queued(0)
        v.release()
    v.note("a byte between the runs hits none, also in a line that both begin and end of the access hit")
    two_queues(v)
    v.load(0, 96, 64)
    v.load(0, 224, 64)
    v.load(0, 1, 20, keyword="get")
    v.load(0, 150, 200, keyword="get")
    for at, length, operation in ((32, 8, FETCH_ADD), (128 + 32, 8, SWAP), (256 + 92, 4, CAS), (384, 8, CAS), (128 + 88, 8, SWAP)):
        two_queues(v)
        v.atomic(0, at, length, operation, 0x01020304)
        v.queued(0)
    v.note("timeout, drains, config")
    v.set(0, timeout=1000)
    full(v)
    v.time(1000)
    two_queues(v)
    v.time(1999)
    v.store(0, 128, 1)
    v.time(2998)
    v.time(2999)
    for leave in (v.drain_card, lambda: v.drain_of("drain-partition", 0), lambda: v.drain_of("drain-window", 0, 0),
                  lambda: v.set(0, describe=0), lambda: v.drain_of("unmap", 0, 0)):
        two_queues(v)
        leave()
        v.queued(0)
    yield v


def owners():
    v = vector("keep-owners", "A release and a context's drain send the queues that have a store of the context.")
    full(v)
    v.release()
    for of in (v.release, v.drain_context):
        v.note("context 1 has stored to the kept queue, context 2 to the other, context 3 to both with one store")
        for contexts in ((1, 2), (2, 1), (3,)):
            v.store(0, 0, 4, 1)
            v.store(0, 128, 4, 2)
            for c in contexts:
                of(c)
                v.queued(0)
            v.store(0, 100, 80, 3)
            of(0)
            of(3)
            v.queued(0)
            of(1)
            of(2)
            v.queued(0)
    yield v


def overwriting():
    v = vector("keep-overwrite", "Overwriting in either queue.")
    full(v)
    for i in range(12):
        v.store(0, 256 * 3 + 5 * i, 20)
        v.store(0, OTHERS + 128 + 7 * i, 20)
        v.store(0, 250, 20)
    v.queued(0)
    v.note("whole lines, of both queues")
    v.store(0, 256, 512)
    v.store(0, 256 + 4, 300)
    v.queued(0)
    v.release()
    v.note("the later store is in memory in the end")
    for i in range(3):
        v.store(0, 0, 256)
        v.load(0, 100 + i, 40)
    v.release()
    yield v


def limits():
    for limit in (256, 4096):
        v = vector(f"keep-limit-{limit}", f"Queues that hold more than a packet: payload limit {limit}.", h=3, limit=limit)
        v.note("kept: whole lines that adjoin, up to multiples of the limit, and small runs")
        v.store(0, 1024, 2560)
        for line in range(28, 60):
            for at in (3, 30, 100):
                v.store(0, 128 * line + at, 9)
        v.queued(0)
        v.store(0, 0, 1024)
        v.store(0, 128 * 70, 700)
        for line in range(80, 100):
            v.store(0, 128 * line + 1, 40)
        v.queued(0)
        v.release()
        yield v


def compact():
    v = vector("keep-compact", "Both queues in the compact form, where it takes fewer bytes.", h=4)
    v.compact(0, 1)
    for _ in range(3):
        for line in range(LINES):
            v.store(0, 128 * line + 8 * (line % 3), 8)
        for line in range(40):
            v.store(0, OTHERS // 2 + 160 * line, 8)
        v.queued(0)
        v.release()
    v.note("a change sends both queues, and makes the set empty")
    for value in (0, 1):
        for line in range(20):
            v.store(0, 128 * line, 4)
            v.store(0, OTHERS // 2 + 128 * line, 4)
        v.compact(0, value)
        fill(v, step=128)
    yield v


def settings():
    v = vector("keep-settings", "A change of a setting sends both queues, and makes the set and its counts begin anew.")
    for change in ({"h": 4}, {"limit": 1024}, {"timeout": 9}, {"describe": 0}, {"coalesce": 0}, {"coalesce": 1}):
        full(v)
        v.store(0, OTHERS + 256, 1)
        v.set(0, **change)
        v.note("this line was not kept, and is now")
        v.store(0, OTHERS + 256, 1)
        v.queued(0)
    v.note("the counts: 63 ahead of a change, then 1, are no evaluation")
    full(v)
    others(v, 62)
    v.set(0, timeout=10)
    full(v)
    v.store(0, 0, 1)
    v.queued(0)
    v.note("writing the same value changes nothing")
    v.set(0)
    v.keep(0, 1)
    v.store(0, OTHERS + 512, 1)
    v.queued(0)
    v.note("off and on")
    v.keep(0, 0)
    fill(v)
    v.store(0, OTHERS, 1)
    v.queued(0)
    v.keep(0, 1)
    fill(v)
    v.store(0, OTHERS, 1)
    v.queued(0)
    v.note("without packing there is one queue")
    v.packing(0, 0)
    fill(v)
    v.store(0, OTHERS, 1)
    v.queued(0)
    v.packing(0, 1)
    fill(v)
    v.store(0, OTHERS, 1)
    v.queued(0)
    v.release()
    yield v
    v = vector("keep-no-coalesce", "Without coalescing every piece leaves at once.", coalesce=0)
    full(v)
    v.store(0, 0, 300)
    v.load(0, 0, 300)
    yield v


def partitions():
    v = vector("keep-two-partitions", "Each partition has lines, counts and queues of its own.", p=3)
    v.endpoint(4, 1 << 30, h=3)
    v.packing(4, 1)
    v.keep(4, 1)
    v.endpoint(5, 1 << 30)
    v.packing(5, 1)
    fill(v, p=3)
    fill(v, 30, p=4)
    for i in range(40):
        for p in (3, 4, 5):
            v.store(p, 128 + 256 * i, 4)
    for p in (3, 4, 5):
        v.queued(p)
    for i in range(30):
        v.store(3, OTHERS, 4)
        v.store(4, 256, 4)
    v.release()
    v.store(3, OTHERS, 1)
    v.store(4, OTHERS, 1)
    v.queued(3)
    v.queued(4)
    v.release()
    yield v


def chance():
    for h, limit, form in ((2, 256, 0), (3, 128, 1), (3, 4096, 0), (4, 256, 1), (5, 4096, 1), (6, 256, 0)):
        v = vector(f"keep-chance-{h}-{limit}", f"Random stores with kept lines: H {h}, payload limit {limit}.", p=3, size=1 << 22, h=h,
                   limit=limit)
        v.noise += 77 * h + limit
        v.compact(3, form)
        for _ in range(160):
            what = v.random(64)
            if what < 2:
                v.release(v.random(3))
            elif what < 4:
                v.load(3, v.random(1 << 14), 1 + v.random(300))
            elif what < 7:
                v.store(3, v.random(1 << 14), 1 + v.random(500), v.random(3))
            elif what < 16:
                v.store(3, v.random(1 << 9), 1 + v.random(12), v.random(2))
            else:
                v.store(3, v.random(1 << 15), 1 + v.random(5), v.random(3))
        v.queued(3)
        yield v


GROUPS = (hot, evaluation, inside, long_stores, room, windows, order, owners, overwriting, limits, compact, settings, partitions,
          chance)
