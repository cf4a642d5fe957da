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
ARRAY = 7  # First BE of a packet in the array form
COMPACT, REPEATS = 8, 4  # bits of First BE: compact form, runs may repeat
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
        self.owners = set()  # contexts

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


class Coding:
    """The coding of a packet in the compact form: what First BE and Tag hold."""

    def __init__(self, unit=1, repeats=False, gap_order=0, length_order=0):
        self.unit, self.repeats, self.gap_order, self.length_order = unit, repeats, gap_order, length_order

    def first_be(self):
        return COMPACT | REPEATS * self.repeats | self.unit.bit_length() - 1

    def tag(self, address):
        return (address & 3) << 6 | self.length_order << 4 | self.gap_order


def number(value, order):
    """The bits of a number, at least 1."""
    value += (1 << order) - 1
    n = value.bit_length() - 1
    return [0] * (n - order) + [1] + [value >> i & 1 for i in range(n)]


def shapes(runs):
    """Gap and length of each run but the first. Runs are (link address, data)."""
    return [(at - before - len(old), len(data)) for (before, old), (at, data) in zip(runs, runs[1:])]


def adjoin(runs):
    return any(gap == 0 for gap, _ in shapes(runs))


def remember(recent, shape):
    """Which of the last two shapes it is, 0 the last, 1 the other; None: neither. `recent` has the last one first."""
    like = recent.index(shape) if shape in recent else None
    if like is not None:
        del recent[like]
    recent.insert(0, shape)
    del recent[2:]
    return like


def log2(value):
    return value.bit_length() - 1


def choose(runs):
    """The coding that a card uses."""
    all_shapes, recent = shapes(runs), []
    numbers = [len(runs[0][1])] + [value for shape in all_shapes for value in shape]
    unit = max(unit for unit in (1, 2, 4, 8) if all(value % unit == 0 for value in numbers))
    new = [shape for shape in all_shapes if remember(recent, shape) is None]
    repeats = 4 * (len(all_shapes) - len(new)) >= len(all_shapes)
    counted = new if repeats else all_shapes
    gaps, lengths = (sum(log2(shape[i] // unit) for shape in counted) // len(counted) for i in (0, 1))
    return Coding(unit, repeats, min(gaps, 14), min(lengths, 3))


def described(runs, coding):
    """The bits that describe the runs."""
    bits, recent = number(len(runs[0][1]) // coding.unit, coding.length_order), []
    for shape in shapes(runs):
        like = remember(recent, shape) if coding.repeats else None
        if like is not None:
            bits += ([1], [0, 1])[like]
            continue
        bits += [0, 0] * coding.repeats
        bits += number(shape[0] // coding.unit, coding.gap_order) + number(shape[1] // coding.unit, coding.length_order)
    return bits


def compact_payload(runs, coding):
    return octets(described(runs, coding)) + b"".join(data for _, data in runs)


def octets(bits):
    """Bits fill bytes from the lowest."""
    return sum(bit << i for i, bit in enumerate(bits)).to_bytes((len(bits) + 7) // 8, "little")


def compact(runs, coding, payload=None):
    """A packet in the compact form; a `payload` other than that of the runs makes a wrong one."""
    address = runs[0][0]
    payload = compact_payload(runs, coding) if payload is None else payload
    return packet(address & ~3, payload, coding.first_be(), coding.tag(address))


def aligned(part):
    """A part of the array form, padded to a multiple of 16 bytes."""
    return part + bytes(-len(part) % 16)


def array_offsets(offsets, width):
    """The parts of the array form in front of the values. Offsets are in units."""
    if width == 3:
        return aligned(b"".join((at & 0xffff).to_bytes(2, "little") for at in offsets)) + aligned(bytes(at >> 16 for at in offsets))
    return aligned(b"".join(at.to_bytes(width, "little") for at in offsets))


def array(base, records, unit, width, tag=None, count=None, payload=None):
    """A packet in the array form. Records are (offset in units, data); `tag`, `count`, `payload` other than theirs make a wrong one."""
    tag = {4: 0, 8: 1, 16: 2}[unit] | width - 2 << 2 if tag is None else tag
    count = len(records) if count is None else count
    payload = array_offsets([at for at, _ in records], width) + b"".join(data for _, data in records) if payload is None else payload
    plain = packet(base, payload, ARRAY, tag)
    return plain[:4] + count.to_bytes(2, "big") + plain[6:]


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
    demand(p[0] == 0x7c and p[1] == 0 and p[2] >> 2 == 0, 2)
    last_be, first_be = p[7] >> 4, p[7] & 15
    if first_be == ARRAY:
        demand(last_be == 0b1111, 3)
        demand(p[4:6] != bytes(2) and p[6] & 3 < 3 and p[6] >> 2 & 3 < 3 and p[6] < 0x20, 2)
        return first_be, p[HEADER:], len(p) - HEADER
    demand(p[4] == p[5] == 0, 2)
    demand(last_be in LAST_BE.values(), 3)
    demand(p[6] == 0 or first_be >= COMPACT, 2)
    demand(first_be != 1, 3)
    demand(first_be < COMPACT or p[6] & 0x0f != 0x0f or (first_be == SINGLE and p[6] & 0x3f == SINGLE_TAG), 2)
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


class Description:
    """Reads the bits at the beginning of a payload."""

    def __init__(self, payload):
        self.bits = [byte >> i & 1 for byte in payload for i in range(8)]
        self.at = 0

    def bit(self):
        demand(self.at < len(self.bits), 4)
        self.at += 1
        return self.bits[self.at - 1]

    def number(self, order):
        n = order
        while not self.bit():
            n += 1
        demand(n <= 48, 4)
        return (1 << n) + sum(self.bit() << i for i in range(n)) - (1 << order) + 1

    def shape(self, coding, recent):
        if coding.repeats and self.bit():
            demand(recent, 4)
            return recent[0]
        if coding.repeats and self.bit():
            demand(len(recent) == 2, 4)
            return recent[1]
        return self.number(coding.gap_order), self.number(coding.length_order)

    def octets(self):
        return (self.at + 7) // 8

    def padding(self):
        return self.bits[self.at:8 * self.octets()]


def split_compact(payload, coding):
    """Rules 4 and 5 of the compact form. Returns offset, from the base, and data of each run."""
    description, recent, runs = Description(payload), [], []
    end = count = 0
    while description.octets() + count != len(payload):
        if runs:
            gap, length = description.shape(coding, recent)
            remember(recent, (gap, length))
        else:
            gap, length = 0, description.number(coding.length_order)
        at, length = end + gap * coding.unit, length * coding.unit
        demand(length <= 4096 and at < 1 << 48, 4)
        runs.append((at, length))
        end, count = at + length, count + length
        demand(description.octets() + count <= len(payload), 4)
    demand(not any(description.padding()), 5)
    data, found = payload[description.octets():], []
    for at, length in runs:
        found.append((at, data[:length]))
        data = data[length:]
    return found


def split_array(payload, count, unit, width):
    """Rules 4 and 5 of the array form. Returns offset, from the base, and data of each record."""
    low = 4 if width == 4 else 2
    parts = [(low, 0)] + [(1, 16)] * (width == 3)
    units = [0] * count
    for size, shift in parts:
        part, payload = payload[:size * count], payload[len(aligned(bytes(size * count))):]
        demand(len(part) == size * count, 4)
        units = [at | int.from_bytes(part[size * i:size * i + size], "little") << shift for i, at in enumerate(units)]
    demand(len(payload) == unit * count, 4)
    return [(unit * at, payload[unit * i:unit * i + unit]) for i, at in enumerate(units)]


def receive(p, endpoint_bytes, subheader_bytes):
    """Takes a packet apart: a list of (partition, offset, data). Both arguments are dictionaries by partition."""
    first_be, payload, count = check_header(p)
    base = int.from_bytes(p[8:16], "big")
    partition, offset = base >> 48 & 0xff, base & (1 << 48) - 1
    demand(base >> 56 == 0 and endpoint_bytes.get(partition, 0), 6)
    if first_be == ARRAY:
        demand(base % 16 == 0, 6)
        records, unit, width = int.from_bytes(p[4:6], "big"), 4 << (p[6] & 3), 2 + (p[6] >> 2 & 3)
        found = split_array(payload, records, unit, width)
        demand(array_offsets([at // unit for at, _ in found], width) == payload[:count - unit * records], 5)
        demand(all(offset + at + unit <= endpoint_bytes[partition] for at, _ in found), 7)
        return [(partition, offset + at, data) for at, data in found]
    if first_be >= COMPACT:
        demand(base % 4 == 0, 6)
        demand(not any(payload[count:]), 5)
        offset |= p[6] >> 6
        coding = Coding(1 << (first_be & 3), bool(first_be & REPEATS), p[6] & 15, p[6] >> 4 & 3)
        runs = [(0, payload[:count])] if p[6] & 15 == 15 else split_compact(payload[:count], coding)
        demand(all(offset + at + len(data) <= endpoint_bytes[partition] for at, data in runs), 7)
        return [(partition, offset + at, data) for at, data in runs]
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
