# SPDX-License-Identifier: Apache-2.0
"""The link layer's blocks in Python, from docs/link-format.md alone, and a vector in the making. What has to come out is said
by the cases, not computed: here are only the bits."""

import textwrap

from vector import NOTICE

POSTED, REQUEST, RESPONSE, NONE = range(4)
UP, RESUMED, LOST, ENDED = range(4)
SESSION = 3  # in `wanted`
OWN, OTHER = 0x1234, 0xa5c3
ROOM = (0x400, 0x300, 0x200)  # of both
FRAMES, REPLAY, ACK, HELLO = 4, 40, 4, 100


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def word(before, types=(), count=None, cls=NONE, credit=0, seq=0, ack=0, turn=0, wanted=0, pair=(0, 0), high_types=0):
    """A link word; `before`: the flits' bytes; `pair`: the sessions of sender and receiver."""
    low = len(types) if count is None else count
    for i, kind in enumerate(types):
        low |= kind << 4 + 5 * i
    low |= high_types | cls << 59 | credit << 61 | seq << 73 | ack << 83 | turn << 93 | wanted << 94
    data = low.to_bytes(12, "little")
    return data + (crc32c(before + data) ^ pair[0] ^ pair[1] << 16).to_bytes(4, "little")


def hello(session, names, serial=0x1122334455667788, version=1, cluster=0, room=ROOM, zero=0, zeros=bytes(10)):
    first = serial.to_bytes(8, "little") + bytes([version, cluster]) + session.to_bytes(2, "little")
    first += names.to_bytes(2, "little") + zero.to_bytes(2, "little")
    return first, b"".join(r.to_bytes(2, "little") for r in room) + zeros


class Vector:
    """Writes lines; holds the data blocks since the last control block of each direction, for the check of the next word."""

    def __init__(self, name, about, frames=FRAMES, room=ROOM, session=OWN, version=1):
        self.name = name
        self.version = version  # that its own hellos have
        self.lines = [f"# {line}" for line in textwrap.wrap(about, 110)]
        self.lines += ["vectors 1"]
        self.session, self.other = session, OTHER
        self.room = room
        self.now = -1
        self.gone, self.come = b"", b""
        self.line("layer-leases" if version == 2 else "layer", 0, 0x1122334455667788, session, frames, REPLAY, ACK, HELLO, *room)

    def text(self):
        return NOTICE + "\n".join(self.lines) + "\nend\n"

    def line(self, keyword, *fields):
        self.lines.append(" ".join([keyword, *(f"{f:x}" for f in fields)]))

    def note(self, text):
        self.lines.append(f"# {text}")

    def block(self, keyword, number, data):
        self.line(keyword, number)
        self.lines.append(f"data 10 {data.hex()}")

    def clock(self, now=None):
        """That clock, or the next one."""
        now = self.now + 1 if now is None else now
        if now != self.now:
            self.line("clock", now)
        self.now = now

    def flit(self, number):
        """Flit `number` of this vector: (bytes, type)."""
        return bytes((number * 29 + i * 17 + 1) % 256 for i in range(16)), 1 + number % 11 + (16 if number % 3 == 2 else 0)

    # ---- What goes out: a clock each ----

    def send(self, number, cls=POSTED):
        data, kind = self.flit(number)
        self.clock()
        self.line("flit", kind, cls)
        self.lines.append(f"data 10 {data.hex()}")
        self.out_data(data)

    def out_data(self, data):
        self.gone += data
        self.block("out", 0, data)

    def out_word(self, *numbers, **fields):
        types = [self.flit(n)[1] for n in numbers]
        pair = (0, 0) if fields.get("wanted") == SESSION else (self.session, self.other)
        self.block("out", 1, word(self.gone, types, pair=pair, **fields))
        self.gone = b""

    def out_frame(self, *numbers, now=False, **fields):
        """A frame that goes out again: nothing is taken. `now`: its first block goes out at this clock."""
        for n in numbers:
            self.clock(self.now + (not now))
            now = False
            self.out_data(self.flit(n)[0])
        self.clock()
        self.out_word(*numbers, **fields)

    def out_hello(self, names, ready=0, now=False):
        for data in hello(self.session, names, version=self.version, room=self.room):
            self.clock(self.now + (not now))
            now = False
            self.out_data(data)
        self.clock()
        self.out_word(count=2, wanted=SESSION, turn=ready)

    # ---- What comes in: at a clock of its own ----

    def in_data(self, data):
        self.come += data
        self.block("in", 0, data)

    def in_word(self, *numbers, pair=None, flip=None, **fields):
        types = [self.flit(n)[1] for n in numbers]
        usual = (0, 0) if fields.get("wanted") == SESSION else (self.other, self.session)
        data = word(self.come, types, pair=pair or usual, **fields)
        if flip is not None:
            data = (int.from_bytes(data, "little") ^ 1 << flip).to_bytes(16, "little")
        self.block("in", 1, data)
        self.come = b""

    def in_frame(self, *numbers, deliver=True, **fields):
        for n in numbers:
            self.clock()
            self.in_data(self.flit(n)[0])
        self.clock()
        self.in_word(*numbers, **fields)
        for n in numbers if deliver else ():
            self.block("deliver", self.flit(n)[1], self.flit(n)[0])

    def in_hello(self, names, ready=0, session=None, flits=2, fields=None, **changes):
        first, second = hello(self.other if session is None else session, names, 0x99aabbccddeeff00, cluster=1, **changes)
        for data in (first, second, bytes(16))[:flits]:
            self.clock()
            self.in_data(data)
        self.clock()
        self.in_word(**{"count": flits, "wanted": SESSION, "turn": ready, **(fields or {})})

    # ---- What is expected besides ----

    def event(self, event):
        self.line("event", event)

    def next(self, clock):
        self.line("next", clock)

    def credits(self, *pieces):
        self.line("credits", *pieces)

    def errors(self, crc=0, sequence=0, protocol=0, version=0, repeated=0, replays=0):
        self.line("errors", crc, sequence, protocol, version, repeated, replays)

    # ---- Common begins ----

    def up(self):
        """Clocks 0 to 17: hello, the other's ready, ready, and the first word of each class. Then it is quiet until 117."""
        self.out_hello(0)
        self.in_hello(self.session, ready=1)
        self.event(UP)
        self.credits(*ROOM)
        self.out_hello(self.other, ready=1)
        for i, at in enumerate((9, 13, 17)):
            self.clock(at)
            self.out_word(cls=i)
