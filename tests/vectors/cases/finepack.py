# SPDX-License-Identifier: Apache-2.0
"""FinePack as docs/wire-format.md says it: write queue, packetizer, receiver, accounting.

Written from that page alone, for being right rather than fast: the queue is a dictionary of bytes, and every
number is counted anew whenever it is asked for. The card's model in C shares nothing with it.
"""

LINE = 128
LONGEST = 1024  # that a sub-header describes
MOST_RUNS = 256  # of a packet with packing
HEADER = 16
OVERHEAD = 24
WINDOW_MISS, PAYLOAD_FULL, ENTRIES_FULL, RELEASE, TIMEOUT, LOAD_HIT, ATOMIC, CONFIG, DRAIN = range(9)
REASONS = ("window miss", "payload full", "entries full", "release", "timeout", "load hit", "atomic", "config", "drain")
SINGLE, SINGLE_TAG = 8, 0b001111  # First BE and Tag of a packet of a single run
LAST_BE = {1: 0b0001, 2: 0b0011, 3: 0b0111, 4: 0b1111}


def offset_bits(h):
    return 8 * h - 10


def address_range(h):
    return 1 << offset_bits(h)


def link_address(partition, offset):
    return partition << 48 | offset


def pieces(address, length, h, limit):
    """A store, cut at lines, at windows, and into pieces that fit a packet."""
    end = address + length
    while address < end:
        window = address_range(h)
        stop = min(end, address // LINE * LINE + LINE, address // window * window + window, address + limit - h)
        yield address, stop - address
        address = stop


class Queue:
    """What a partition holds back."""

    def __init__(self, entries):
        self.entries = entries
        self.clear()

    def clear(self):
        self.lines = []  # in the order in which they were first stored to
        self.bytes = {}  # link address: value
        self.base = None

    def runs(self, extra=(None, 0)):
        """The runs of enabled bytes, in the order they are sent, as they would be with `extra` merged."""
        address, length = extra
        lines = list(self.lines)
        enabled = set(self.bytes)
        if length:
            enabled.update(range(address, address + length))
            if address // LINE not in lines:
                lines.append(address // LINE)
        for line in lines:
            run = None
            for at in range(line * LINE, line * LINE + LINE):
                if at in enabled:
                    run = run or [at, 0]
                    run[1] += 1
                elif run:
                    yield tuple(run)
                    run = None
            if run:
                yield tuple(run)

    def payload(self, h, extra=(None, 0)):
        return sum(h + length for _, length in self.runs(extra))

    def wanted(self, address, left, limit):
        """With packing: the lines that a store still needs, up to where a plain write ends."""
        block = min(limit, self.entries * LINE)
        end = min(address + left, address // block * block + block)
        return (end - 1) // LINE - address // LINE + 1

    def why_not(self, address, length, h, limit, packing=False, left=0):
        """The reason to flush before this piece can be merged; None when there is none. `left`: of its store, with it."""
        if self.lines and address & -address_range(h) != self.base:
            return WINDOW_MISS
        free = self.wanted(address, left, limit) if packing else 1
        if self.lines and address // LINE not in self.lines and len(self.lines) + free > self.entries:
            return ENTRIES_FULL
        if not packing and self.payload(h, (address, length)) > limit:
            return PAYLOAD_FULL
        return None

    def merge(self, address, data, h):
        """Returns how many queued bytes were replaced."""
        if not self.lines:
            self.base = address & -address_range(h)
        if address // LINE not in self.lines:
            self.lines.append(address // LINE)
        replaced = sum(address + i in self.bytes for i in range(len(data)))
        self.bytes.update({address + i: byte for i, byte in enumerate(data)})
        return replaced

    def sub_packets(self):
        return [(a - self.base, bytes(self.bytes[a + i] for i in range(n))) for a, n in self.runs()]


    def packed(self, h, limit):
        """With packing: the runs of each packet, as (link address, data)."""
        runs = []
        for at in sorted(self.bytes):
            if runs and runs[-1][0] + runs[-1][1] == at and at % limit:
                runs[-1][1] += 1
            else:
                runs.append([at, 1])
        packets = []
        for at, length in runs:
            last = packets[-1] if packets else []
            joins = last and len(last) < MOST_RUNS and max(n for _, n in last + [(at, length)]) <= LONGEST
            if not joins or sum(h + n for _, n in last) + h + length > limit:
                last = []
                packets.append(last)
            last.append((at, length))
        return [[(at, bytes(self.bytes[at + i] for i in range(n))) for at, n in some] for some in packets]


def sub_packet(h, offset, data, length=None):
    """A sub-packet; `length` other than that of the data makes a wrong one."""
    length = len(data) if length is None else length
    return ((offset << 10) | (length & 0x3ff)).to_bytes(h, "little") + data


def packet(base, payload, first_be, tag=0):
    """A packet around a payload of sub-packets."""
    dwords = (len(payload) + 3) // 4
    last_be = LAST_BE[len(payload) - 4 * (dwords - 1)]
    head = bytes([0b011 << 5 | 0b11100, 0, dwords >> 8 & 3, dwords & 0xff, 0, 0, tag, last_be << 4 | first_be])
    return head + base.to_bytes(8, "big") + payload + bytes(4 * dwords - len(payload))


def single(address, data):
    """A packet of a single run."""
    return packet(address & ~3, data, SINGLE, (address & 3) << 6 | SINGLE_TAG)


class Refused(Exception):
    """A packet that a receiver drops. `rule` is the number in the list of wire-format.md."""

    def __init__(self, rule):
        super().__init__(f"rule {rule}")
        self.rule = rule


def demand(condition, rule):
    if not condition:
        raise Refused(rule)


def check_header(p):
    """Rules 1 to 3. Returns First BE, the payload with its padding, and how many bytes of it count."""
    demand(HEADER < len(p) <= HEADER + 4096 and len(p) % 4 == 0, 1)
    length = (p[2] & 3) << 8 | p[3]
    demand(len(p) == HEADER + 4 * (length or 1024), 1)
    demand(p[0] == 0x7c and p[1] == 0 and p[2] >> 2 == 0 and p[4] == p[5] == 0, 2)
    last_be, first_be = p[7] >> 4, p[7] & 15
    demand(last_be in LAST_BE.values(), 3)
    demand(p[6] == 0 or first_be >= SINGLE, 2)
    demand(first_be == 0 or 2 <= first_be <= 6 or (first_be == SINGLE and p[6] & 0x0f == 0x0f), 3)
    demand(first_be != SINGLE or p[6] & 0x3f == SINGLE_TAG, 2)
    return first_be, p[HEADER:], len(p) - HEADER - (4 - bin(last_be).count("1"))


def split(payload, h):
    """Rule 4. Yields offset and data of each sub-packet."""
    while payload:
        demand(len(payload) >= h, 4)
        head = int.from_bytes(payload[:h], "little")
        length = head & 0x3ff or 1024
        demand(len(payload) >= h + length, 4)
        yield head >> 10, payload[h:h + length]
        payload = payload[h + length:]


def receive(p, endpoint_bytes, subheader_bytes):
    """Takes a packet apart: a list of (partition, offset, data). Both arguments are dictionaries by partition."""
    first_be, payload, count = check_header(p)
    base = int.from_bytes(p[8:16], "big")
    partition, offset = base >> 48 & 0xff, base & (1 << 48) - 1
    demand(base >> 56 == 0 and endpoint_bytes.get(partition, 0), 6)
    if first_be == SINGLE:
        demand(base % 4 == 0, 6)
        demand(not any(payload[count:]), 5)
        offset |= p[6] >> 6
        demand(offset + count <= endpoint_bytes[partition], 7)
        return [(partition, offset, payload[:count])]
    h = first_be or subheader_bytes[partition]
    demand(base % address_range(h) == 0, 6)
    demand(count > h, 1)
    subs = list(split(payload[:count], h))
    demand(not any(payload[count:]), 5)
    for at, data in subs:
        demand(at + len(data) <= address_range(h) and offset + at + len(data) <= endpoint_bytes[partition], 7)
    return [(partition, offset + at, data) for at, data in subs]


def wire_bytes(p):
    return OVERHEAD + len(p) - HEADER


def raw_wire_bytes(address, length, limit):
    """What a store would have cost as plain memory writes."""
    cost, end = 0, address + length
    while address < end:
        stop = min(end, address // limit * limit + limit)
        cost += OVERHEAD + 4 * ((stop - 1) // 4 - address // 4 + 1)
        address = stop
    return cost
