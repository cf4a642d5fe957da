# SPDX-License-Identifier: Apache-2.0
"""The link's packets, flits, cluster queue and un-stitcher as docs/link-format.md says them (NetCrafter, section 4).

Written from that page alone, for being right rather than fast: the queue is a list of flits in the order in which they
came, and heads of FIFOs are looked for in it whenever they are asked for. The card's model in C shares nothing with it.
"""

from dataclasses import dataclass

READ_REQUEST, READ_RESPONSE, WRITE_REQUEST, WRITE_RESPONSE, TRANSLATION_REQUEST, TRANSLATION_RESPONSE = range(1, 7)
FINEPACK, RELEASE, RELEASED, ATOMIC_REQUEST, ATOMIC_RESPONSE = range(7, 12)
LEASE_REQUEST, LEASE_RESPONSE, TIMED_REQUEST, TIMED_RESPONSE = range(12, 16)  # of version 2
KINDS = range(1, 12)
ALL_KINDS = range(1, 16)
NAMES = ("", "read request", "read response", "write request", "write response", "translation request",
         "translation response", "FinePack packet", "release", "released", "atomic request", "atomic response",
         "lease request", "lease response", "timed request", "timed response")
CRITICAL = (TRANSLATION_REQUEST, TRANSLATION_RESPONSE, RELEASE, RELEASED)
POSTED, REQUEST, RESPONSE = range(3)
CLASS = {READ_REQUEST: REQUEST, READ_RESPONSE: RESPONSE, WRITE_REQUEST: POSTED, WRITE_RESPONSE: RESPONSE,
         TRANSLATION_REQUEST: REQUEST, TRANSLATION_RESPONSE: RESPONSE, FINEPACK: POSTED, RELEASE: REQUEST,
         RELEASED: RESPONSE, ATOMIC_REQUEST: REQUEST, ATOMIC_RESPONSE: RESPONSE, LEASE_REQUEST: REQUEST,
         LEASE_RESPONSE: RESPONSE, TIMED_REQUEST: REQUEST, TIMED_RESPONSE: RESPONSE}
BYTES = {READ_REQUEST: 12, WRITE_REQUEST: 76, WRITE_RESPONSE: 4, TRANSLATION_REQUEST: 12, TRANSLATION_RESPONSE: 12,
         RELEASE: 12, RELEASED: 4, ATOMIC_REQUEST: 28, ATOMIC_RESPONSE: 12, LEASE_REQUEST: 28, TIMED_REQUEST: 84}
# By status: done, refused, failed, same, changed, time, no line, not pool.
BY_STATUS = {LEASE_RESPONSE: (84, 4, 4, 20, 20, 4, 4, 4), TIMED_RESPONSE: (28, 4, 4, None, None, 4, 4, 4)}
SECTOR = {16: 0, 4: 1, 8: 2, 32: 3}  # bytes: code
DONE, REFUSED_STATUS, FAILED, TRIMMED = 0, 1, 2, 8
STITCHED = 16
PARTIAL = 16
SMALLEST = 4  # a piece
NUMBERS = 128


class Refused(Exception):
    """A protocol error."""


def header(kind, number=0, partition=0, tag=0):
    return (kind | number % NUMBERS << 5 | partition << 12 | tag << 16).to_bytes(4, "little")


def numbered(kind, number, packet):
    """The packet with its number in the header; a FinePack packet's header has no place for it."""
    if kind == FINEPACK:
        return packet
    word = int.from_bytes(packet[:4], "little") & ~(127 << 5) | number % NUMBERS << 5
    return word.to_bytes(4, "little") + packet[4:]


def packet_bytes(kind, start):
    """The length that the first 4 bytes of a packet declare; raises Refused."""
    if kind == FINEPACK:
        return 16 + 4 * (int.from_bytes(start[2:4], "big") % 1024 or 1024)
    if start[0] % 32 != kind:
        raise Refused("a header of another kind")
    status = start[1] >> 4
    if kind in BY_STATUS:
        length = BY_STATUS[kind][status] if status < 8 else None
        if length is None:
            raise Refused("a status that is none")
        return length
    if kind != READ_RESPONSE:
        return BYTES[kind]
    if status in (REFUSED_STATUS, FAILED):
        return 4
    lengths = {DONE: 68} | {TRIMMED + code: 4 + size for size, code in SECTOR.items()}
    if status not in lengths:
        raise Refused("a status that is none")
    return lengths[status]


def prefix(kind, number, length):
    """What stands before a tail that is a piece."""
    return (PARTIAL + kind | length - 1 << 5 | number % NUMBERS << 9).to_bytes(2, "little")


@dataclass(eq=False)
class Flit:
    kind: int
    number: int  # of the packet, counted without end
    data: bytes
    tail: bool
    came: int
    waits_until: int = -1  # of a pooled one
    was_pooled: bool = False

    def piece(self):
        return prefix(self.kind, self.number, len(self.data)) + self.data if self.tail else self.data


class Queue:
    SETTINGS = ("stitching", "pooling", "selective", "sequencing", "pool_cycles", "burst")

    def __init__(self, flit_bytes, entries):
        self.flit_bytes, self.entries = flit_bytes, entries
        self.stitching = self.pooling = self.selective = self.sequencing = 0
        self.pool_cycles, self.burst = 32, 8
        self.packets, self.flits_in, self.bytes_in, self.stitched, self.waited = ([0] * 16 for _ in range(5))
        self.out = self.padded = self.parents = self.partial = 0
        self.pooled = self.pool_stitched = self.timed_out = self.refused = 0
        self.reset()

    def reset(self):
        self.queue = []   # the parent and its pieces are not in it, the pooled flits are
        self.parent = []  # flits: the parent and the pieces it took
        self.sent = []    # what left last
        self.next_number = [0] * 16
        self.input_free = 0
        self.last_turn = {"critical": 0, "others": 0}
        self.run = 0

    def fill(self):
        return len(self.queue) + bool(self.parent)

    # ---- Packets in ----

    def push(self, now, kind, packet):
        assert packet_bytes(kind, packet) == len(packet)
        count = -(-len(packet) // self.flit_bytes)
        if self.fill() + count > self.entries:
            self.refused += 1
            return False
        number = self.next_number[kind]
        packet = numbered(kind, number, packet)
        came = max(now, self.input_free)
        for i in range(count):
            data = packet[i * self.flit_bytes:(i + 1) * self.flit_bytes]
            self.queue.append(Flit(kind, number, data, i > 0 and i == count - 1, came + i))
        self.input_free = came + count
        self.next_number[kind] += 1
        self.packets[kind] += 1
        self.flits_in[kind] += count
        self.bytes_in[kind] += len(packet)
        return True

    # ---- What there is ----

    def has_room(self, flit):
        return len(flit.data) < self.flit_bytes

    def head(self, kind, room):
        """The head of a FIFO; a pooled flit is in none."""
        return next((f for f in self.queue if f.kind == kind and self.has_room(f) == room and f.waits_until < 0
                     and f.came < self.now), None)

    def pooled_flit(self, kind):
        return next((f for f in self.queue if f.kind == kind and f.waits_until >= 0), None)

    def used(self):
        return sum(len(f.piece()) for f in self.parent[1:]) + len(self.parent[0].data)

    def in_order(self, flit):
        before = self.head(flit.kind, False)
        if before is None or before.number > flit.number:
            return True
        return flit.tail and flit.number - before.number <= NUMBERS - 1

    # ---- A clock ----

    def candidates(self, credits):
        room = self.flit_bytes - self.used()
        for kind in ALL_KINDS:
            flit = self.pooled_flit(kind) or self.head(kind, True)
            taken = sum(CLASS[f.kind] == CLASS[kind] for f in self.parent)
            if flit and len(flit.piece()) <= room and self.in_order(flit) and credits[CLASS[kind]] > taken:
                yield flit

    def find(self, credits):
        if not self.stitching or self.flit_bytes - self.used() < SMALLEST:
            return None
        fitting = list(self.candidates(credits))
        critical = [f for f in fitting if f.kind in CRITICAL] if self.sequencing else []
        if critical:
            return critical[0]
        return max(fitting, key=lambda f: (len(f.piece()), -f.kind), default=None)

    def take_piece(self, flit):
        if len(self.parent) == 1:
            self.parents += 1
            self.pool_stitched += self.parent[0].was_pooled
        self.pool_stitched += flit.waits_until >= 0
        self.queue.remove(flit)
        self.parent.append(flit)
        self.stitched[flit.kind] += 1
        self.partial += flit.tail

    def must_wait(self):
        flit = self.parent[0]
        may_wait = self.stitching and self.pooling and self.pool_cycles > 0
        exempt = flit.was_pooled or self.selective and flit.kind in CRITICAL
        return may_wait and not exempt and len(self.parent) == 1 and self.flit_bytes - self.used() >= SMALLEST

    def leave(self, credits):
        data = self.parent[0].data + b"".join(f.piece() for f in self.parent[1:])
        self.out += 1
        self.padded += len(data) < self.flit_bytes
        self.timed_out += self.parent[0].was_pooled and len(self.parent) == 1
        for f in self.parent:
            credits[CLASS[f.kind]] -= 1
            self.waited[f.kind] += self.now - f.came
        kind = self.parent[0].kind | (STITCHED if len(self.parent) > 1 else 0)
        self.sent, self.parent = self.parent, []
        return kind, data.ljust(self.flit_bytes, b"\0")

    def next_of(self, kind):
        """What a kind would send if it had the turn; None if it has nothing, or has to wait."""
        pooled = self.pooled_flit(kind)
        if pooled:
            return pooled if pooled.waits_until <= self.now else None
        heads = [f for f in (self.head(kind, False), self.head(kind, True)) if f]
        return min(heads, key=lambda f: f.number, default=None)  # of one packet the first, the one without room

    def turn(self, kinds, memory):
        last = self.last_turn[memory]
        kind = min((k for k in kinds if k > last), default=min(kinds))
        self.last_turn[memory] = kind
        return kind

    def choose(self, credits):
        due = [k for k in ALL_KINDS if credits[CLASS[k]] > 0 and self.next_of(k)]
        critical = [k for k in due if k in CRITICAL] if self.sequencing else []
        others = [k for k in due if k not in critical]
        if critical and (self.run < self.burst or not others):
            self.run += 1
            kind = self.turn(critical, "critical")
        elif others:
            self.run = 0
            kind = self.turn(others, "others")
        else:
            return
        flit = self.next_of(kind)
        flit.waits_until = -1
        self.queue.remove(flit)
        self.parent = [flit]

    def clock(self, now, ready, credits):
        """Gives (type, bytes) of the flit that leaves, or None."""
        self.now = now
        sent = None
        if self.parent:
            piece = self.find(credits)
            if piece:
                self.take_piece(piece)
                return None
            if self.must_wait():
                flit = self.parent.pop()
                flit.waits_until, flit.was_pooled = now + self.pool_cycles, True
                self.queue.append(flit)
                self.pooled += 1
            elif ready:
                sent = self.leave(credits)
            else:
                return None
        self.choose(credits)
        return sent


class Unstitcher:
    def __init__(self, flit_bytes, kinds=KINDS):
        self.flit_bytes, self.kinds = flit_bytes, kinds
        self.reset()

    def reset(self):
        self.next_number = [0] * 16  # of the packet under way, else of the next
        self.begun = [b""] * 16      # its flits but the tail
        self.length = [0] * 16       # 0: none is under way
        self.tails = {}              # (kind, number): bytes

    def deliver(self, kind, packet):
        self.next_number[kind] = (self.next_number[kind] + 1) % NUMBERS
        self.length[kind], self.begun[kind] = 0, b""
        self.got.append((kind, packet, -(-len(packet) // self.flit_bytes)))

    def settle(self, kind):
        """What has come of the packet under way is held together."""
        tail = self.tails.get((kind, self.next_number[kind]))
        if not self.length[kind]:
            return
        if tail is not None and len(tail) != self.length[kind] % self.flit_bytes or \
                tail is not None and self.length[kind] < self.flit_bytes:
            raise Refused("a tail of another size than its packet's")
        if len(self.begun[kind]) == self.length[kind]:
            self.deliver(kind, self.begun[kind])
        elif tail is not None and len(self.begun[kind]) + len(tail) == self.length[kind]:
            del self.tails[kind, self.next_number[kind]]
            self.deliver(kind, self.begun[kind] + tail)

    def first_piece(self, kind, data):
        """A packet's next flit, or its beginning. Gives what is behind it."""
        if not self.length[kind]:
            length = packet_bytes(kind, data)
            if kind != FINEPACK and int.from_bytes(data[:2], "little") >> 5 & 127 != self.next_number[kind]:
                raise Refused("not the next of its kind")
            self.length[kind] = length
        count = min(self.length[kind] - len(self.begun[kind]), self.flit_bytes)
        if count > len(data):
            raise Refused("beyond the flit")
        self.begun[kind] += data[:count]
        self.settle(kind)
        return data[count:]

    def further_piece(self, data):
        kind = data[0] % 32
        if kind < PARTIAL:
            if kind not in self.kinds:
                raise Refused("a kind that is none")
            if self.length[kind]:
                raise Refused("a whole packet while another is under way")
            if len(data) < 4 or packet_bytes(kind, data) > len(data):
                raise Refused("beyond the flit")
            return self.first_piece(kind, data)
        kind -= PARTIAL
        word = int.from_bytes(data[:2], "little")
        count, number = (word >> 5) % 16 + 1, word >> 9
        tails = {READ_RESPONSE: (4,), FINEPACK: (4, 8), LEASE_RESPONSE: (4,), TIMED_REQUEST: (4,)}
        if kind not in self.kinds or count not in tails.get(kind, ()):
            raise Refused("a tail that no packet of the kind has, or that fits behind none")
        if 2 + count > len(data):
            raise Refused("beyond the flit")
        if (kind, number) in self.tails:
            raise Refused("a second tail")
        self.tails[kind, number] = data[2:2 + count]
        if number == self.next_number[kind]:
            self.settle(kind)
        return data[2 + count:]

    def flit(self, kind, data):
        """Takes a flit: gives the packets it ends, as (kind, packet, pieces); raises Refused."""
        stitched, kind = kind & STITCHED, kind & ~STITCHED
        self.got = []
        if kind not in self.kinds:
            raise Refused("a kind that is none")
        rest = self.first_piece(kind, data)
        pieces = 1
        while rest and rest[0] % 32:
            if not stitched:
                raise Refused("of several pieces, but not stitched")
            rest = self.further_piece(rest)
            pieces += 1
        if any(rest):
            raise Refused("not zero behind the last piece")
        if stitched and pieces == 1:
            raise Refused("stitched, but of one piece")
        return self.got
