"""A made program that sends zones and frames block by block, and notes what it has sent when."""

import time

import program
import served


class Steady(served.Served):
    """`blocks` of `zones` zones and a frame, `pause` seconds apart; it serves names all the while."""

    def __init__(self, protocol=82, blocks=100000, zones=20, pause=0.001, **options):
        self.blocks, self.zones, self.pause = blocks, zones, pause
        self.sent, self.marks = bytearray(), []        # marks: (time, bytes, zones, frames, names) after each block
        super().__init__(protocol, rounds=1, **options)

    def greet(self, connection):
        self.link, self.raw = connection, connection.sendall
        good = super().greet(Tap(self, connection))
        if not good:
            self.sent.clear()
        return good

    def block(self, number):
        made = self.made
        made.groups, made.context = [], None
        now = 10_000_000 + number * 1_000_000
        for i in range(self.zones):
            made.begin(101, now + 20 * i, self.place)
            made.end(101, now + 20 * i + 10)
        made.add(made.p.event('FrameMarkMsg', program.tick(now + 900_000), 0))
        return b''.join(made.groups)

    def serve(self, connection):
        tap = Tap(self, connection)
        self.place = next(iter(self.made.places))
        for number in range(self.blocks):
            if self.over.is_set():
                break
            tap.sendall(program.packed(self.block(number)))
            self.marks.append((time.monotonic(), len(self.sent), (number + 1) * self.zones, number + 1))
            if not self.answer(tap, self.pause):
                return
        if self.how != 'stays':
            tap.sendall(program.packed(self.made.p.event('Terminate')))
        while not self.over.is_set() and self.answer(tap, 0.2):
            pass

    def within(self, size):
        """(zones, frames) of the whole blocks in the first bytes."""
        done = [mark for mark in self.marks if mark[1] <= size]
        return done[-1][2:] if done else (0, 0)

    def sent_before(self, when):
        done = [mark for mark in self.marks if mark[0] <= when]
        return done[-1][1] if done else 0


class Tap:
    """A connection that notes what goes through it."""

    def __init__(self, owner, connection):
        self.owner, self.connection = owner, connection

    def sendall(self, data):
        self.connection.sendall(data)
        self.owner.sent += data

    def __getattr__(self, name):
        return getattr(self.connection, name)
