# SPDX-License-Identifier: Apache-2.0
"""Vectors of un-stitching alone: flits as any card may send them, and each protocol error of docs/link-format.md."""

import netcrafter as nc
from link_vector import LinkVector
from netcrafter import (ATOMIC_REQUEST, FAILED, FINEPACK, KINDS, READ_REQUEST, READ_RESPONSE, RELEASED, STITCHED,
                        TRIMMED, WRITE_REQUEST, WRITE_RESPONSE, header, prefix)

KIND = "a kind that is none"
OTHER_KIND = "a header of another kind"
STATUS = "a status that is none"
NOT_NEXT = "not the next of its kind"
BEYOND = "beyond the flit"
UNDER_WAY = "a whole packet while another is under way"
NO_TAIL = "a tail that no packet of the kind has, or that fits behind none"
SECOND = "a second tail"
SIZE = "a tail of another size than its packet's"
REST = "not zero behind the last piece"
ALONE = "stitched, but of one piece"
SEVERAL = "of several pieces, but not stitched"


def small(kind, number=0):
    """A packet of a flit or less."""
    start = header(kind, number, TRIMMED + 1 if kind == READ_RESPONSE else 0)
    return start.ljust(nc.packet_bytes(kind, start), b"\xa5")


def taken():
    v = LinkVector("unstitch", "Flits that a receiver takes, also such as this queue does not send.")
    v.note("a tail 127 packets before its own, tails of two packets in one flit, the last packet first")
    v.receive(WRITE_RESPONSE | STITCHED, header(WRITE_RESPONSE) + prefix(READ_RESPONSE, 1, 4) + b"abcd" +
              prefix(READ_RESPONSE, 0, 4) + b"efgh")
    v.receive(READ_RESPONSE, header(READ_RESPONSE, 0, TRIMMED) + bytes(12))
    v.receive(READ_RESPONSE, header(READ_RESPONSE, 1, TRIMMED) + bytes(12))
    v.receive(WRITE_RESPONSE | STITCHED, header(WRITE_RESPONSE, 1) +
              prefix(READ_RESPONSE, (2 + 127) % 128, 4) + b"ijkl")
    v.note("a tail comes when all the rest has, as a piece, and ends its packet")
    v.receive(ATOMIC_REQUEST, header(ATOMIC_REQUEST) + bytes(12))
    v.receive(READ_RESPONSE, header(READ_RESPONSE, 2, TRIMMED) + bytes(12))
    v.receive(READ_RESPONSE | STITCHED, b"mnop" + small(WRITE_RESPONSE, 2) + prefix(READ_RESPONSE, 3, 4) + b"qrst")
    v.receive(ATOMIC_REQUEST | STITCHED, bytes(12) + small(RELEASED))
    v.note("tails of a FinePack packet of a length that tells itself; the packet has no number")
    v.receive(WRITE_RESPONSE | STITCHED, header(WRITE_RESPONSE, 3) + prefix(FINEPACK, 0, 8) + b"tailtail")
    v.receive(FINEPACK, b"\x7c\0\0\2" + bytes(12))
    v.note("a whole packet behind the end of the packet before, of the same kind")
    v.receive(READ_RESPONSE, header(READ_RESPONSE, 3, TRIMMED) + bytes(12))
    v.receive(READ_RESPONSE | STITCHED, small(READ_RESPONSE, 4) + small(WRITE_RESPONSE, 4))
    yield v


def kinds():
    v = LinkVector("refuse-kind", "Refused: kinds that are none, in the type, in a header, in a tail's two bytes.")
    for kind in (0, 12, 13, 14, 15):
        v.receive(kind, small(READ_REQUEST), KIND)
        v.receive(kind | STITCHED, small(WRITE_RESPONSE) + small(RELEASED), KIND)
        if kind:
            v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + bytes((kind, 0, 0, 0)), KIND)
        v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + prefix(kind, 0, 4) + b"tail", NO_TAIL)
    for kind in KINDS:
        other = READ_REQUEST if kind != READ_REQUEST else RELEASED
        if kind != FINEPACK:
            v.receive(kind, small(other), OTHER_KIND)
        if kind not in (READ_RESPONSE, FINEPACK):
            v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + prefix(kind, 0, 4) + b"tail", NO_TAIL)
    yield v
    v = LinkVector("refuse-status",
                   "Refused: read responses with a status that they cannot have, for their length is not known.")
    for status in range(16):
        good = status in (nc.DONE, nc.REFUSED_STATUS, FAILED, *(TRIMMED + code for code in range(4)))
        v.receive(READ_RESPONSE, header(READ_RESPONSE, 0, status), None if good else STATUS)
        v.receive(32 - 1, bytes(16), KIND)  # begins anew
    yield v


def numbers():
    v = LinkVector("refuse-number", "Refused: packets that are not the next of their kind, with each wrong bit.")
    for kind in (READ_REQUEST, READ_RESPONSE, WRITE_REQUEST):
        for bit in range(7):
            v.receive(kind, header(kind, 1 << bit), NOT_NEXT)
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + small(WRITE_RESPONSE), NOT_NEXT)
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + small(WRITE_RESPONSE, 2), NOT_NEXT)
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + small(WRITE_RESPONSE, 1))
    v.receive(WRITE_RESPONSE, small(WRITE_RESPONSE, 1), NOT_NEXT)
    v.receive(READ_RESPONSE, header(READ_RESPONSE) + bytes(12))
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + small(READ_RESPONSE), UNDER_WAY)
    v.receive(READ_RESPONSE, header(READ_RESPONSE) + bytes(12))
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + small(READ_RESPONSE, 1), UNDER_WAY)
    v.note("of as many bytes as the packet that is under way lacks")
    v.receive(READ_RESPONSE, header(READ_RESPONSE, 0, TRIMMED) + bytes(12))
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + header(READ_RESPONSE, 1, FAILED), UNDER_WAY)
    yield v


def lengths():
    v = LinkVector("refuse-length", "Refused: pieces that reach beyond the flit.")
    for number, (first, second) in enumerate(((READ_REQUEST, READ_REQUEST), (READ_REQUEST, READ_RESPONSE),
                                              (WRITE_RESPONSE, WRITE_REQUEST), (WRITE_RESPONSE, ATOMIC_REQUEST),
                                              (WRITE_RESPONSE, FINEPACK), (READ_RESPONSE, READ_REQUEST))):
        v.receive(first | STITCHED, (small(first) + header(second, first == second))[:16], BEYOND)
    v.note("a tail: of a bit more than there is place for, or of a tail's two bytes")
    v.receive(READ_REQUEST | STITCHED, small(READ_REQUEST) + prefix(READ_RESPONSE, 0, 4) + b"ta", BEYOND)
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + prefix(READ_RESPONSE, 0, 4) + b"tail" +
              prefix(FINEPACK, 0, 8) + b"tail", BEYOND)
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + prefix(FINEPACK, 0, 8) + b"tailtail" +
              prefix(READ_RESPONSE, 0, 4), BEYOND)
    v.note("a whole packet, by two bytes; no place for its header")
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + prefix(FINEPACK, 0, 4) + b"tail" +
              small(READ_RESPONSE)[:6], BEYOND)
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + prefix(FINEPACK, 0, 8) + b"tailtail" +
              header(RELEASED)[:2], BEYOND)
    yield v


def tails():
    v = LinkVector("refuse-tail",
                   "Refused: a second tail, one of another size than its packet's, one of a packet that has none.")
    tail = prefix(READ_RESPONSE, 5, 4) + b"tail"
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + tail + tail, SECOND)
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + tail)
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE, 1) + prefix(READ_RESPONSE, 5, 4) + b"tail", SECOND)
    for words, length in ((1, 8), (2, 4), (3, 4), (3, 8), (4, 4)):
        first = FINEPACK, bytes((0x7c, 0, 0, words)) + bytes(12)
        piece = prefix(FINEPACK, 0, length) + bytes(length)
        v.note("the tail first, then its packet; the packet first, then its tail")
        v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + piece)
        v.receive(*first, SIZE)
        v.receive(*first)
        v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + piece, SIZE)
    v.note("a packet of one flit, of a kind that has others too")
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + prefix(READ_RESPONSE, 0, 4) + bytes(4))
    v.receive(READ_RESPONSE, small(READ_RESPONSE), SIZE)
    for kind in (READ_RESPONSE, WRITE_REQUEST, FINEPACK, ATOMIC_REQUEST):
        for length in range(1, 17):
            if length != 4 and (kind, length) != (FINEPACK, 8):
                v.receive(WRITE_RESPONSE | STITCHED,
                          (small(WRITE_RESPONSE) + prefix(kind, 0, length) + bytes(length))[:16], NO_TAIL)
    yield v


def zeros():
    v = LinkVector("refuse-rest", "Refused: bits behind the last piece that are not zero.")
    for at in range(4, 16):
        for bit in (5, 6, 7) if at == 4 else (5, 7):
            flit = bytearray(small(WRITE_RESPONSE).ljust(16, b"\0"))
            flit[at] = 1 << bit
            v.receive(WRITE_RESPONSE, bytes(flit), REST)
    v.receive(WRITE_RESPONSE | STITCHED, small(WRITE_RESPONSE) + small(RELEASED) + bytes((0, 1)), REST)
    v.receive(READ_REQUEST, small(READ_REQUEST) + bytes((0, 0, 0, 1)), REST)
    yield v
    v = LinkVector("refuse-type",
                   "Refused: the bit that tells of stitching where nothing is, and its absence where something is.")
    for kind in (READ_REQUEST, WRITE_RESPONSE, RELEASED):
        v.receive(kind | STITCHED, small(kind), ALONE)
        v.receive(kind, small(kind) + small(WRITE_RESPONSE, kind == WRITE_RESPONSE), SEVERAL)
    v.receive(WRITE_REQUEST | STITCHED, header(WRITE_REQUEST) + bytes(12), ALONE)
    yield v


GROUPS = (taken, kinds, numbers, lengths, tails, zeros)
