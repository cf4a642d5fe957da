# SPDX-License-Identifier: Apache-2.0
"""Vectors of the kinds of version 2: leases and requests with a time, cut, stitched and un-stitched."""

from link_vector import LinkVector
from netcrafter import (LEASE_REQUEST, LEASE_RESPONSE, READ_RESPONSE, RELEASED, STITCHED, TIMED_REQUEST, TIMED_RESPONSE,
                        TRIMMED, WRITE_RESPONSE, header, prefix)

LEASE_STATUSES = range(8)
TIMED_STATUSES = (0, 1, 2, 5, 6, 7)
ON = {"stitching": 1, "pooling": 1, "selective": 1, "sequencing": 1, "pool_cycles": 32, "burst": 16}


def packets():
    v = LinkVector("leases-packets", "Each kind and status alone: its flits.", leases=True)
    for kind, statuses in ((LEASE_REQUEST, (0, 15)), (LEASE_RESPONSE, LEASE_STATUSES), (TIMED_REQUEST, (0, 15)),
                           (TIMED_RESPONSE, TIMED_STATUSES)):
        for status in statuses:
            v.packet(kind, partition=status, tag=0x1200 + status)
            v.run()
    yield v
    v = LinkVector("leases-stitched", "Tails of 4 bytes become pieces, also ahead of their packets; those of 12 bytes do not.",
                   leases=True, **ON)
    v.hold((LEASE_RESPONSE, 0), (TIMED_REQUEST, 3), (LEASE_RESPONSE, 3), (TIMED_RESPONSE, 0), (LEASE_REQUEST, 2),
           (WRITE_RESPONSE,), (LEASE_RESPONSE, 5), (TIMED_RESPONSE, 5), (RELEASED,), (LEASE_RESPONSE, 4), (READ_RESPONSE, 0),
           (TIMED_REQUEST, 1), (LEASE_RESPONSE, 0))
    v.run()
    yield v
    v = LinkVector("leases-chance", "Packets of all kinds by chance.", leases=True, **ON)
    for _ in range(60):
        kind = (LEASE_REQUEST, LEASE_RESPONSE, TIMED_REQUEST, TIMED_RESPONSE, WRITE_RESPONSE, READ_RESPONSE)[v.random(6)]
        statuses = {LEASE_RESPONSE: LEASE_STATUSES, TIMED_RESPONSE: TIMED_STATUSES, WRITE_RESPONSE: (0,),
                    READ_RESPONSE: (0, TRIMMED, TRIMMED + 3)}.get(kind, range(16))
        v.packet(kind, partition=statuses[v.random(len(statuses))], tag=v.random(65536))
        v.run(v.random(8))
    v.run()
    yield v


def refusals():
    v = LinkVector("leases-refused", "Refused: statuses that are none; tails that are none.", leases=True)
    for kind, statuses in ((LEASE_RESPONSE, LEASE_STATUSES), (TIMED_RESPONSE, TIMED_STATUSES)):
        for status in range(16):
            v.receive(kind, header(kind, 0, status), None if status in statuses else "a status that is none")
            v.receive(STITCHED, bytes(16), "a kind that is none")  # begins anew
    first = header(WRITE_RESPONSE)
    for kind in (LEASE_REQUEST, TIMED_RESPONSE):
        v.receive(WRITE_RESPONSE | STITCHED, first + prefix(kind, 0, 4) + b"tail",
                  "a tail that no packet of the kind has, or that fits behind none")
    for kind in (LEASE_RESPONSE, TIMED_REQUEST):
        v.receive(WRITE_RESPONSE | STITCHED, first + prefix(kind, 0, 8) + b"tailtail",
                  "a tail that no packet of the kind has, or that fits behind none")
    v.note("a tail of a packet that has none")
    v.receive(WRITE_RESPONSE | STITCHED, first + prefix(LEASE_RESPONSE, 0, 4) + b"tail")
    v.receive(LEASE_RESPONSE, header(LEASE_RESPONSE, 0, 5), "a tail of another size than its packet's")
    v.note("a tail that comes first")
    v.receive(WRITE_RESPONSE | STITCHED, first + prefix(LEASE_RESPONSE, 0, 4) + b"tail")
    v.receive(LEASE_RESPONSE, header(LEASE_RESPONSE, 0, 3) + bytes(12))
    yield v


GROUPS = (packets, refusals)
