"""A made program that listens as a real one does, and looks at each question: was what it requests displayed before?"""

import socket
import struct
import threading
import time

import program


class Served:
    """Serves one session. `how`: what it does differently."""

    def __init__(self, protocol=82, rounds=40, how='', announce=None, name=b'maker', port=0, host='127.0.0.1'):
        self.made, self.how, self.announce, self.name = program.made(protocol, rounds), how, announce, name
        self.protocol, self.wrong, self.questions, self.requested_protocols = protocol, [], [], []
        self.listening = socket.create_server((host, port), family=socket.AF_INET6 if ':' in host else socket.AF_INET)
        self.port = self.listening.getsockname()[1]
        self.over, self.quiet = threading.Event(), False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def close(self):
        self.over.set()
        self.thread.join(20)
        self.listening.close()

    # -- announcements (2)

    def say(self, active):
        if self.announce:
            data = struct.pack('<HHIQi', 3, self.port, self.protocol, 4711, active) + self.name + b'\0'
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.sendto(data, ('127.0.0.1', self.announce))

    # -- the session

    def run(self):
        self.listening.settimeout(0.2)
        while not self.over.is_set():
            self.say(5)
            try:
                connection, _ = self.listening.accept()
            except TimeoutError:
                continue
            with connection:
                try:
                    if self.greet(connection):
                        self.serve(connection)
                        return
                except OSError:
                    return

    def read(self, connection, size):
        data = b''
        while len(data) < size:
            more = connection.recv(size - len(data))
            if not more:
                return None
            data += more
        return data

    def greet(self, connection):
        connection.settimeout(10)
        hello = self.read(connection, 12)
        if self.how == 'web':
            connection.sendall(b'HTTP/1.1 400 Bad Request\r\n\r\n')
            return False
        if hello is None or hello[:8] != b'TracyPrf':
            return False
        self.requested_protocols.append(struct.unpack('<I', hello[8:])[0])
        if self.how == 'other' or self.requested_protocols[-1] != self.protocol:
            connection.sendall(b'\x02')
            return False
        if self.how == 'busy':
            connection.sendall(b'\x03')
            return True
        self.say(-1)
        connection.sendall(b'\x01' + self.made.p.welcome(self.name))
        return True

    def legal(self, question, pointer):
        made = self.made
        return {'String': pointer in made.texts and pointer, 'SourceLocation': pointer in made.places, 'ThreadString': pointer in (101, 102),
                'PlotName': made.texts.get(pointer) == b'speed', 'FrameName': made.texts.get(pointer) == b'physics',
                'CallstackFrame': pointer in made.frames, 'Symbol': pointer in [f[3] for f in made.frames.values()]}.get(question)

    def answer(self, connection, wait):
        """Takes questions that came. False: it is left."""
        connection.settimeout(wait)
        try:
            data = connection.recv(13, socket.MSG_WAITALL)
        except (TimeoutError, BlockingIOError):
            self.quiet = True
            return True
        self.quiet = False
        if len(data) < 13:
            return False
        kind, pointer, _ = struct.unpack('<BQI', data)
        question = self.made.p.questions[kind]
        if question == 'Terminate':
            self.questions.append((question, 0))
            return False
        if not self.legal(question, pointer) or (question, pointer) in self.questions:
            self.wrong.append((question, pointer))
            return True
        self.questions.append((question, pointer))
        if self.how == 'silent':
            return True
        if self.how == 'slow':
            time.sleep(0.02)
        connection.settimeout(10)
        connection.sendall(program.packed(self.made.answer(question, pointer)))
        return True

    def serve(self, connection):
        if self.how == 'busy':
            return
        groups, block = self.made.groups, b''
        for number, group in enumerate(groups):
            block += group
            if len(block) > 400 or number + 1 == len(groups):
                connection.sendall(program.packed(block))
                block = b''
                if self.how == 'dies' and number > len(groups) // 2:
                    return
                if self.how not in ('slow', 'late') and not self.answer(connection, 0.0005):       # slow: first everything, then answers
                    return
        if self.how == 'damages':
            connection.sendall(program.packed(b'\xfe' * 20))
        elif self.how not in ('stays', 'slow'):
            connection.sendall(program.packed(self.made.p.event('Terminate')))
        if self.how == 'late':                          # a busy machine: what it is asked for takes long
            time.sleep(12)
        self.quiet = False
        while not (self.over.is_set() and self.quiet) and self.answer(connection, 0.2):    # what came is looked at
            pass
