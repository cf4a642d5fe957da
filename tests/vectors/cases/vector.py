# SPDX-License-Identifier: Apache-2.0
"""A vector in the making: every event is carried out on finepack.py and written down with what came of it."""

import finepack as fp

# In two parts: programs that check licenses read each line of each file.
NOTICE = "# SPDX-" "License-Identifier: Apache-2.0\n# Made by tests/vectors/generate.py: edit that, not this.\n"
FETCH_ADD, SWAP, CAS = 5, 6, 7
SETTINGS = ("h", "limit", "timeout", "coalesce", "describe")


class Partition:
    """A partition: settings, queue, who stored to it, counters."""

    def __init__(self, entries, endpoint_bytes):
        self.endpoint_bytes = endpoint_bytes
        self.h, self.limit, self.timeout, self.coalesce, self.describe = 5, 4096, 0, 1, 1
        self.packing = self.compact = 0
        self.queue = fp.Queue(entries)
        self.last_store = 0
        self.stores = self.store_bytes = self.packets = self.sub_packets = 0
        self.payload_bytes = self.wire_bytes = self.raw_wire_bytes = self.overwritten = 0


class Vector:
    def __init__(self, name, about, entries=64):
        self.name = name
        self.lines = [f"# {line}" for line in about.splitlines()]
        self.lines += ["vectors 1", f"queue {entries:x}"]
        self.entries = entries
        self.partitions = {}
        self.memory = {}  # (partition, offset): value
        self.now = 0
        self.noise = 0x9e3779b9
        self.reasons = set()

    # ---- Writing ----

    def line(self, keyword, *fields, note=None):
        text = " ".join([keyword, *(f"{f:x}" for f in fields)])
        self.lines.append(f"{text} # {note}" if note else text)

    def data(self, data):
        for at in range(0, len(data), 32):
            part = data[at:at + 32]
            self.lines.append(f"data {len(part):x} {part.hex()}")

    def note(self, text):
        self.lines.append(f"# {text}")

    def random(self, below):
        """A number below `below`; the same in every run and every Python."""
        self.noise ^= self.noise << 13 & 0xffffffff
        self.noise ^= self.noise >> 17
        self.noise ^= self.noise << 5 & 0xffffffff
        return self.noise % below

    def bytes(self, count):
        """Data in which every byte is something else than 0."""
        return bytes(1 + self.random(255) for _ in range(count))

    # ---- The card ----

    def flush(self, p, reason):
        part = self.partitions[p]
        queue = part.queue
        subs = queue.sub_packets()
        if not subs:
            return
        if part.packing:
            for runs in queue.packed(part.h, part.limit):
                self.send_packed(p, queue.base, runs, reason)
        else:
            self.send_whole(p, subs, reason)
        queue.clear()
        self.reasons.add(reason)

    def send_packed(self, p, base, runs, reason):
        part = self.partitions[p]
        payload = b"".join(fp.sub_packet(part.h, at - base, data) for at, data in runs)
        if len(runs) == 1:
            payload, packet = runs[0][1], fp.single(*runs[0])
        else:
            packet = fp.packet(base, payload, part.h if part.describe else 0)
            if part.compact and not fp.adjoin(runs):
                coding = fp.choose(runs)
                shorter = fp.compact_payload(runs, coding)
                if len(shorter) < len(payload):
                    payload, packet = shorter, fp.compact(runs, coding)
        self.send(p, packet, len(runs), payload, reason)

    def send_whole(self, p, subs, reason):
        part = self.partitions[p]
        payload = b"".join(fp.sub_packet(part.h, offset, data) for offset, data in subs)
        assert 3 <= len(payload) <= part.limit
        packet = fp.packet(part.queue.base, payload, part.h if part.describe else 0)
        self.send(p, packet, len(subs), payload, reason)

    def send(self, p, packet, sub_packets, payload, reason):
        part = self.partitions[p]
        assert len(payload) <= part.limit
        part.packets += 1
        part.sub_packets += sub_packets
        part.payload_bytes += len(payload)
        part.wire_bytes += fp.wire_bytes(packet)
        self.sent.append((p, reason, packet))
        self.apply(packet)

    def apply(self, packet):
        ends = {p: part.endpoint_bytes for p, part in self.partitions.items()}
        widths = {p: part.h for p, part in self.partitions.items()}
        for p, offset, data in fp.receive(packet, ends, widths):
            self.write(p, offset, data)

    def write(self, p, offset, data):
        self.memory.update({(p, offset + i): byte for i, byte in enumerate(data)})

    def read(self, p, offset, length):
        return bytes(self.memory.get((p, offset + i), 0) for i in range(length))

    def event(self, keyword, *fields, data=b""):
        self.line(keyword, *fields)
        self.data(data)
        self.sent = []

    def done(self):
        """Writes what the event sent. Between partitions the wire has no order: lowest first."""
        for _, reason, packet in sorted(self.sent, key=lambda sent: sent[0]):
            self.line("packet", reason, len(packet), note=fp.REASONS[reason])
            self.data(packet)

    # ---- Events ----

    def endpoint(self, p, size, **settings):
        self.partitions[p] = Partition(self.entries, size)
        self.line("endpoint", p, size)
        self.set(p, **settings)
        return self

    def set(self, p, **settings):
        """Changes settings; the first that differs flushes."""
        part = self.partitions[p]
        wanted = {name: settings.get(name, getattr(part, name)) for name in SETTINGS}
        self.event("set", p, *wanted.values())
        for name, value in wanted.items():
            self.change(p, name, value)
        self.done()

    def change(self, p, name, value):
        part = self.partitions[p]
        if getattr(part, name) != value:
            self.flush(p, fp.CONFIG)
            setattr(part, name, value)

    def mode(self, name, p, value):
        self.event(name, p, value)
        self.change(p, name, value)
        self.done()

    def packing(self, p, value):
        self.mode("packing", p, value)

    def compact(self, p, value):
        self.mode("compact", p, value)

    def store(self, p, offset, data, c=0):
        if isinstance(data, int):
            data = self.bytes(data)
        part = self.partitions[p]
        address = fp.link_address(p, offset)
        self.event("store", p, c, offset, len(data), data=data)
        part.stores += 1
        part.store_bytes += len(data)
        part.raw_wire_bytes += fp.raw_wire_bytes(address, len(data), part.limit)
        part.last_store = self.now
        for at, length in fp.pieces(address, len(data), part.h, part.limit):
            reason = part.queue.why_not(at, length, part.h, part.limit, part.packing, address + len(data) - at)
            if reason is not None:
                self.flush(p, reason)
            part.overwritten += part.queue.merge(at, data[at - address:at - address + length], part.h)
            part.queue.owners.add(c)
            if not part.coalesce:
                self.flush(p, fp.DRAIN)
        self.done()

    def flush_owned(self, c, reason):
        for p, part in sorted(self.partitions.items()):
            if c in part.queue.owners:
                self.flush(p, reason)

    def release(self, c=0):
        self.event("release", c)
        self.flush_owned(c, fp.RELEASE)
        self.done()

    def drain_card(self):
        self.event("drain-card")
        for p in sorted(self.partitions):
            self.flush(p, fp.DRAIN)
        self.done()

    def drain_context(self, c):
        self.event("drain-context", c)
        self.flush_owned(c, fp.DRAIN)
        self.done()

    def drain_of(self, keyword, p, *more):
        """drain-partition, drain-window and unmap: all of the partition leaves."""
        self.event(keyword, p, *more)
        self.flush(p, fp.DRAIN)
        self.done()

    def time(self, now):
        self.event("time", now)
        self.now = now
        for p, part in sorted(self.partitions.items()):
            if part.timeout and now >= part.last_store + part.timeout:
                self.flush(p, fp.TIMEOUT)
        self.done()

    def touch(self, p, offset, length, reason):
        """What a load or atomic does first."""
        address = fp.link_address(p, offset)
        if any(at in self.partitions[p].queue.bytes for at in range(address, address + length)):
            self.flush(p, reason)

    def load(self, p, offset, length, c=0, keyword="load"):
        self.event(keyword, p, c, offset, length)
        self.touch(p, offset, length, fp.LOAD_HIT)
        self.data(self.read(p, offset, length))
        self.done()

    def atomic(self, p, offset, length, operation, operand, compare=0, c=0):
        self.sent = []
        self.touch(p, offset, length, fp.ATOMIC)
        old = int.from_bytes(self.read(p, offset, length), "little")
        new = (old + operand) % (1 << 8 * length) if operation == FETCH_ADD else operand
        if operation != CAS or old == compare:
            self.write(p, offset, new.to_bytes(length, "little"))
        self.line("atomic", p, c, offset, length, operation, operand, compare, old)
        self.done()

    def receive(self, packet, rule=None, note=None):
        """A packet from the link. `rule`: the number of the rule (or numbers of the rules) that it breaks."""
        rules = () if rule is None else (rule,) if isinstance(rule, int) else rule
        broken = None
        try:
            self.apply(packet)
        except fp.Refused as refused:
            broken = refused.rule
        assert broken in rules if rules else broken is None, f"{self.name}: {note}: rule {broken}, not {rules}"
        self.line("receive", len(packet), 0 if rules else 1, note=note)
        self.data(packet)

    def queued(self, p):
        part = self.partitions[p]
        self.line("queued", p, len(part.queue.lines), part.queue.payload(part.h))

    # ---- The whole ----

    def text(self):
        """The file. Counters and memory come last."""
        lines = list(self.lines)
        self.lines = []
        for p, part in sorted(self.partitions.items()):
            self.queued(p)
            self.line("counters", p, part.stores, part.store_bytes, part.packets, part.sub_packets, part.payload_bytes,
                      part.wire_bytes, part.raw_wire_bytes, part.overwritten)
        places = sorted(self.memory)
        while places:
            count = 1
            while count < min(len(places), 4096) and places[count] == (places[0][0], places[0][1] + count):
                count += 1
            self.line("memory", *places[0], count)
            self.data(bytes(self.memory[at] for at in places[:count]))
            places = places[count:]
        self.line("end")
        tail, self.lines = self.lines, lines
        return NOTICE + "\n".join(lines + tail) + "\n"
