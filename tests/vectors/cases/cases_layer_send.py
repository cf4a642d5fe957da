# SPDX-License-Identifier: Apache-2.0
"""Vectors of sending: frames, replays, and link words."""

from link_layer import ACK, HELLO, LOST, NONE, REPLAY, REQUEST, RESUMED, ROOM, Vector


def send_frames():
    v = Vector("send-frames",
               "Frames of 1 to 11 flits, one behind the other; a full frame is closed with flits waiting.", frames=16)
    v.up()
    number = 0
    for count in range(1, 12):
        first = number
        for _ in range(count):
            v.send(number, number % 3)
            number += 1
        v.clock()
        v.line("ready", count < 11)
        v.out_word(*range(first, number), cls=(count - 1) % 3, seq=count - 1)
        v.in_word(ack=count)
    v.clock()
    v.line("ready", 1)
    v.credits(*(r - 22 for r in ROOM))
    yield v

    v = Vector("send-window",
               "As many frames as are kept; then none, until one is acknowledged; numbers go on.", frames=2)
    v.up()
    v.send(0)
    v.clock()
    v.out_word(0, cls=0, seq=0)
    for i in range(1, 6):
        v.send(i)
        v.clock()
        v.out_word(i, cls=i % 3, seq=i)
        v.clock()
        v.line("ready", 0)
        v.in_word(ack=i)
        v.clock()
        v.line("ready", 1)
    yield v


def send_replay():
    v = Vector("send-replay-asked",
               "Asked for: all that is not acknowledged, after the frame that is open; asked again in the same pass: "
               "not again; in the next one: again. What is acknowledged meanwhile is left out.")
    v.up()
    for i in range(3):
        v.send(i)
        v.clock()
        v.out_word(i, cls=i, seq=i)
    v.send(3)
    v.in_word(ack=1, wanted=1)
    v.clock()
    v.line("ready", 0)
    v.out_word(3, cls=0, seq=3)
    v.out_frame(1, seq=1, cls=1, turn=1)
    v.clock()
    v.out_data(v.flit(2)[0])
    v.in_word(ack=1, wanted=1)
    v.clock()
    v.out_word(2, seq=2, cls=2, turn=1)
    v.in_word(ack=2, wanted=2)
    v.out_frame(2, seq=2, cls=0, turn=0)
    v.clock()
    v.out_data(v.flit(3)[0])
    v.in_word(ack=4)
    v.clock()
    v.out_word(3, seq=3, cls=1, turn=0)
    v.clock()
    v.line("ready", 1)
    v.note("Nothing is kept any more: nothing is sent.")
    v.in_word(ack=4, wanted=1)
    v.clock()
    v.line("ready", 1)
    v.errors(replays=2)
    yield v

    v = Vector("send-replay-left-out",
               "What is acknowledged while it waits to be sent again is left out, to the last frame.")
    v.up()
    for i in range(3):
        v.send(i)
        v.clock()
        v.out_word(i, cls=i, seq=i)
    v.in_word(wanted=1)
    v.clock()
    v.out_data(v.flit(0)[0])
    v.in_word(ack=2, wanted=1)
    v.clock()
    v.out_word(0, seq=0, cls=0, turn=1)
    v.out_frame(2, seq=2, cls=1, turn=1)
    v.in_word(ack=2, wanted=2)
    v.clock()
    v.out_data(v.flit(2)[0])
    v.in_word(ack=3, wanted=2)
    v.clock()
    v.out_word(2, seq=2, cls=2, turn=0)
    v.send(4)
    v.clock()
    v.out_word(4, seq=3, cls=0, turn=0)
    v.errors(replays=2)
    yield v

    v = Vector("send-replay-timer",
               "Nothing is acknowledged: sent again, 16 times; then the link is down, and goes on when there is a "
               "hello.")
    v.up()
    v.next(17 + HELLO)
    v.send(0)
    v.clock()
    v.out_word(0, cls=0)
    v.next(19 + REPLAY)
    word, turn = 0, 0
    due = v.now + HELLO
    for i in range(16):
        if due <= v.now + REPLAY:
            v.clock(due)
            word += 1
            v.out_word(seq=1, cls=word % 3, turn=turn)
        turn = 1 - turn
        word += 1
        v.clock(18 + (REPLAY + 2) * (i + 1))
        v.out_frame(0, seq=0, cls=word % 3, turn=turn, now=True)
        due = v.now + HELLO
    v.errors(replays=16)
    v.clock(18 + (REPLAY + 2) * 17)
    v.event(LOST)
    v.out_hello(v.other)
    v.in_hello(v.session)
    v.event(RESUMED)
    v.out_hello(v.other, ready=1)
    v.errors(replays=17)
    yield v

    v = Vector("send-replay-progress", "The clocks of the timer begin anew when something is acknowledged.")
    v.up()
    for i in range(2):
        v.send(i)
        v.clock()
        v.out_word(i, cls=i, seq=i)
    v.clock(50)
    v.in_word(ack=1)
    v.clock(50 + REPLAY - 1)
    v.in_word(ack=1)
    v.clock(50 + REPLAY + 1)
    v.out_frame(1, seq=1, cls=2, turn=1, now=True)
    yield v

    v = Vector("send-replay-often",
               "More than 16 replays, but something is acknowledged between them: the link stays up.")
    v.up()
    turn = 0
    for i in range(20):
        v.send(i)
        v.clock()
        v.out_word(i, cls=2 * i % 3, seq=i, ack=0, turn=turn)
        v.in_word(ack=i, wanted=1 + turn)
        turn = 1 - turn
        v.out_frame(i, seq=i, cls=(2 * i + 1) % 3, turn=turn)
        v.in_word(ack=i + 1)
    v.errors(replays=20)
    yield v


def send_at_once():
    v = Vector("send-at-once",
               "A frame is acknowledged at the clock at which its word goes out; and what is wanted again by who has all "
               "is not sent.")
    v.up()
    v.send(0)
    v.clock()
    v.out_word(0, cls=0)
    v.in_word(ack=1, wanted=1)
    v.next(v.now + HELLO)
    v.send(1, REQUEST)
    v.clock()
    v.out_word(1, cls=1, seq=1)
    v.in_word(ack=2, cls=REQUEST, credit=1)
    v.credits(ROOM[0] - 1, ROOM[1], ROOM[2])
    v.errors()
    yield v


def send_words():
    v = Vector("send-words",
               "Acknowledgements and credits at the latest ACK clocks later, with the word of a frame if there is "
               "one; classes in turn; a word now and then when there is nothing to say.")
    v.up()
    v.in_frame(1, 2, 3, cls=NONE)
    v.line("hold", 1, 3, 1)
    v.clock(v.now + ACK)
    v.out_word(ack=1, cls=0)
    v.line("free", 1, 2)
    v.clock(v.now + ACK)
    v.out_word(ack=1, cls=1, credit=2)
    v.clock(v.now + 10)
    v.line("free", 1, 1)
    v.send(0)
    v.clock()
    v.out_word(0, ack=1, cls=2)
    v.clock(v.now + ACK)
    v.out_word(ack=1, cls=0, seq=1)
    v.clock(v.now + ACK)
    v.out_word(ack=1, cls=1, credit=3, seq=1)
    v.in_word(ack=1)
    for cls in (2, 0, 1, 2):
        v.clock(v.now + HELLO)
        v.out_word(ack=1, seq=1, cls=cls, credit=3 if cls == 1 else 0)
    yield v

    v = Vector("send-credits-round", "Credits go round at 4096.")
    v.up()
    freed = 0
    for i in range(9):
        v.clock(v.now + 10)
        v.line("hold", 0, 0x200, 1)
        v.line("free", 0, 0x200)
        freed = (freed + 0x200) % 4096
        v.clock(v.now + ACK)
        v.out_word(cls=0, credit=freed)
        v.line("hold", 1, 1, 1)
        v.line("free", 1, 1)
        v.line("hold", 2, 2, 1)
        v.line("free", 2, 2)
        v.clock(v.now + ACK)
        v.out_word(cls=1, credit=i + 1)
        v.clock(v.now + ACK)
        v.out_word(cls=2, credit=2 * i + 2)
    yield v


GROUPS = (send_frames, send_replay, send_at_once, send_words)
