# SPDX-License-Identifier: Apache-2.0
"""Link words, hellos and records of captures in Python, from docs/link-format.md and docs/capture.md alone."""
import struct

OUT, IN = 0, 1
NOTHING, PASS_0, PASS_1, SESSION = range(4)
NO_CLASS = 3
FLITS_MAX = 11


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC_TABLE = crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for value in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ value) & 255]
    return crc ^ 0xFFFFFFFF


def frame(flits=(), sequence=0, acknowledge=0, sessions=(0, 0), credit=(NO_CLASS, 0), turn=0, wanted=NOTHING, spoil=0,
          count=None):
    """Flits, as (type, bytes), and their link word. `sessions`: the sender's, the receiver's; `turn`: the pass; `spoil` is
    XORed to the check, `count` is told for the number of flits."""
    word = (len(flits) if count is None else count) | sum(kind << 4 + 5 * i for i, (kind, _) in enumerate(flits)) | credit[0] << 59 | credit[1] << 61
    word |= sequence % 1024 << 73 | acknowledge % 1024 << 83 | turn << 93 | wanted << 94
    data = b"".join(data.ljust(16, b"\0") for _, data in flits) + word.to_bytes(16, "little")[:12]
    return data + (crc32c(data) ^ sessions[0] ^ sessions[1] << 16 ^ spoil).to_bytes(4, "little")


def hello(own, other=0, ready=False, serial=1, version=1, cluster=0, credits=(1024, 1024, 1024), zero=0,
          rest=bytes(10)):
    data = struct.pack("<QBBHHHHHH", serial, version, cluster, own, other, zero, *credits) + rest
    return frame([(0, data[:16]), (0, data[16:])], turn=int(ready), wanted=SESSION)


def record(blocks, time_ns=0, direction=OUT, dropped=False, cut=False, lost=0):
    """What the driver tells of a frame."""
    return struct.pack("<QBBBBI48x", time_ns, direction, len(blocks) // 16, dropped | cut << 1, 0, lost) + blocks.ljust(192, b"\0")


class Link:
    """A link from its beginning: what it gets is numbered, framed, and recorded."""

    def __init__(self, chance):
        self.chance = chance
        self.records = []
        self.sessions = [0x1111, 0x2222]
        self.start()

    def add(self, blocks, direction=OUT, **more):
        """Any blocks. Returns the number of the frame in the capture."""
        self.records.append(record(blocks, 1_700_000_000_000_000_000 + 1000 * len(self.records), direction, **more))
        return len(self.records)

    def start(self, version=1):
        """A new session."""
        more = {"version": version}
        self.sessions = [s % 65535 + 1 for s in self.sessions]
        self.next = [0, 0]
        self.add(hello(self.sessions[OUT], **more), OUT)
        self.add(hello(self.sessions[IN], self.sessions[OUT], ready=True, **more), IN)
        self.add(hello(self.sessions[OUT], self.sessions[IN], ready=True, **more), OUT)

    def frame(self, flits=(), direction=OUT, **more):
        """The next frame of a direction, as bytes."""
        more.setdefault("sequence", self.next[direction])
        more.setdefault("acknowledge", self.next[1 - direction])
        more.setdefault("sessions", (self.sessions[direction], self.sessions[1 - direction]))
        return frame(flits, **more)

    def send(self, flits, direction=OUT, **more):
        """Returns the number of the frame in the capture."""
        blocks = self.frame(flits, direction, **more)
        self.next[direction] = (self.next[direction] + bool(flits)) % 1024
        return self.add(blocks, direction)

    def send_all(self, flits, direction=OUT):
        """Flits in frames of lengths by chance."""
        at = 0
        while at < len(flits):
            count = self.chance.randint(1, FLITS_MAX)
            self.send(flits[at:at + count], direction)
            at += count

    def data(self):
        return b"".join(self.records)
