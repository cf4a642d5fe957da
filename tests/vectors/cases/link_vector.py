# SPDX-License-Identifier: Apache-2.0
"""A vector of the link in the making: what happens is carried out on netcrafter.py and written down with what came."""

import netcrafter as nc
from vector import NOTICE, Vector

LONGEST = 100000  # clocks until a queue is empty


class LinkVector:
    """`Vector` lends how lines, bytes and chance are written."""
    line, data, note, random, bytes = Vector.line, Vector.data, Vector.note, Vector.random, Vector.bytes

    def __init__(self, name, about, flit_bytes=16, entries=1024, credits=0xfff, leases=False, **settings):
        self.name = name
        self.lines = [f"# {line}" for line in about.splitlines()]
        self.lines += ["vectors 1", f"{'link-leases' if leases else 'link'} {flit_bytes:x} {entries:x}"]
        self.noise = 0x9e3779b9
        self.queue = nc.Queue(flit_bytes, entries)
        self.unstitcher = nc.Unstitcher(flit_bytes, nc.ALL_KINDS if leases else nc.KINDS)
        self.now, self.is_ready, self.credit = 0, 1, [0] * 3
        self.sent = []  # packets that are on their way, as (kind, packet)
        self.set(**settings)
        self.credits(*[credits] * 3)

    # ---- Inputs of the queue ----

    def set(self, **settings):
        for name, value in settings.items():
            assert name in nc.Queue.SETTINGS
            setattr(self.queue, name, int(value))
        self.line("set", *(getattr(self.queue, name) for name in nc.Queue.SETTINGS))

    def credits(self, *more):
        """So many more pieces of each class may go."""
        self.credit = [a + b for a, b in zip(self.credit, more)]
        self.line("credits", *more)

    def ready(self, ready):
        self.is_ready = ready
        self.line("ready", ready)

    def packet(self, kind, packet=None, tag=0, note=None, **fields):
        """`packet`: its bytes; else it is made, with data by chance. Fields are the header's. True if it was taken."""
        if packet is None:
            start = nc.header(kind, tag=tag, **fields)
            packet = start + self.bytes(nc.packet_bytes(kind, start) - 4)
        number = self.queue.next_number[kind]
        taken = self.queue.push(self.now, kind, packet)
        assert taken or self.queue.input_free <= self.now
        self.line("packet", kind, len(packet), int(taken), note=f"{nc.NAMES[kind]} {number}{note or ''}")
        self.data(packet)
        if taken:
            self.sent.append((kind, nc.numbered(kind, number, packet)))
        return taken

    def finepack(self, payload_bytes):
        """Only its lengths matter here; other vectors check its contents."""
        dwords = payload_bytes // 4 % 1024
        self.packet(nc.FINEPACK, bytes((0x7c, 0, dwords >> 8, dwords & 255)) + self.bytes(12 + payload_bytes))

    def hold(self, *packets):
        """Packets that come in, as (kind, status), while the link takes nothing; then it does."""
        self.ready(0)
        for kind, *status in packets:
            self.packet(kind, partition=status[0] if status else 0)
        self.run(self.queue.input_free - self.now + 1)
        self.ready(1)

    def last_at_hand(self, kind, status=0):
        """A packet: all flits but the last leave; the last is the parent while the link accepts none."""
        self.packet(kind, partition=status)
        flits = self.queue.input_free - self.now
        self.run(flits + 1)
        assert self.queue.fill() == len(self.queue.parent) == 1
        self.ready(0)

    # ---- What comes of it ----

    def arrived(self, packets):
        for kind, packet, pieces in packets:
            first = next(p for p in self.sent if p[0] == kind)
            assert first == (kind, packet), self.name
            self.sent.remove(first)
            self.line("arrived", kind, len(packet), pieces)
            self.data(packet)

    def names(self):
        names = []
        for i, flit in enumerate(self.queue.sent):
            part = "tail of " if flit.tail else "" if len(flit.data) < self.queue.flit_bytes else "of "
            names.append(f"{part if i or part == 'of ' else ''}{nc.NAMES[flit.kind]} {flit.number}")
        return " + ".join(names)

    def clocks(self, count):
        """Gives how many were run (`count` None: until the queue is empty), and what left: (clock, type, bytes, note)."""
        left = []
        for ran in range(LONGEST):
            if ran == count or count is None and not self.queue.fill():
                return ran, left
            flit = self.queue.clock(self.now, self.is_ready, self.credit)
            if flit:
                left.append((self.now, *flit, self.names()))
            self.now += 1
        raise AssertionError(f"{self.name}: the queue does not empty")

    def run(self, count=None):
        """Runs so many clocks, or until the queue is empty. Gives the types of what left, and in which clocks."""
        count, left = self.clocks(count)
        self.line("run", count)
        for clock, kind, data, names in left:
            self.line("flit", clock, kind, note=names)
            self.data(data)
            self.arrived(self.unstitcher.flit(kind, data))
        return [(clock, kind) for clock, kind, _, _ in left]

    def reset(self):
        self.line("reset")
        self.queue.reset()
        self.unstitcher.reset()
        self.sent = []

    def receive(self, kind, data, refused=None):
        """A flit for the un-stitcher. `refused`: why, in words of netcrafter.py; the un-stitcher is new then."""
        data = data.ljust(self.queue.flit_bytes, b"\0")
        packets, why = [], None
        try:
            packets = self.unstitcher.flit(kind, data)
        except nc.Refused as error:
            why = str(error)
            packets = self.unstitcher.got
        assert why == refused, f"{self.name}: {why}, not {refused}"
        self.line("receive", kind, int(why is None), note=why)
        self.data(data)
        for arrived in packets:
            self.line("arrived", arrived[0], len(arrived[1]), arrived[2])
            self.data(arrived[1])
        if why:
            self.unstitcher.reset()

    # ---- The whole ----

    def text(self):
        """The file. Counters come last."""
        queue, lines = self.queue, list(self.lines)
        self.line("queued", queue.fill())
        for kind in nc.ALL_KINDS:
            if queue.packets[kind]:
                self.line("kind", kind, queue.packets[kind], queue.flits_in[kind], queue.bytes_in[kind],
                          queue.stitched[kind], queue.waited[kind])
        self.line("counters", queue.out, queue.padded, queue.parents, queue.partial, queue.pooled, queue.pool_stitched,
                  queue.timed_out, queue.refused)
        self.line("end")
        lines, self.lines = self.lines, lines
        return NOTICE + "\n".join(lines) + "\n"
