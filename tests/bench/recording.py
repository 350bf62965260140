"""What it costs to receive a stream over the loopback and to have it in a file: trace-record, and a bare loop."""

import os
import pathlib
import re
import resource
import shutil
import socket
import subprocess
import tempfile
import time

PIECE = 256 * 1024
WAIT = 20               # seconds until a recorder has to listen


def send(port, path):
    with socket.create_connection(('127.0.0.1', port)) as sock, open(path, 'rb') as file:
        sock.sendfile(file)


def receive(sock, out):
    """In a process of its own, whose time is that of the loop alone."""
    buffer = memoryview(bytearray(PIECE))
    with open(out, 'wb', buffering=0) as file:
        while n := sock.recv_into(buffer):
            file.write(buffer[:n])


def bare(path, folder):
    """CPU seconds a GB."""
    with socket.create_server(('127.0.0.1', 0)) as server:
        child = os.fork()               # before there is a sender, whose end of the connection it would hold
        if not child:
            sock, _ = server.accept()
            before = resource.getrusage(resource.RUSAGE_SELF)
            receive(sock, folder / 'bare.out')
            after = resource.getrusage(resource.RUSAGE_SELF)
            (folder / 'bare.said').write_text('%f' % (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
            os._exit(0)
        send(server.getsockname()[1], path)
        os.waitpid(child, 0)
    seconds = float((folder / 'bare.said').read_text())
    (folder / 'bare.out').unlink()
    (folder / 'bare.said').unlink()
    return seconds / path.stat().st_size * 1e9


def recorded(commands, path, folder, options):
    """CPU seconds a GB, and the greatest memory in bytes."""
    into = pathlib.Path(tempfile.mkdtemp(dir=folder))
    said = into / 'said'
    with open(said, 'w', encoding='utf-8') as out:
        process = subprocess.Popen([commands / 'trace-record', '--port', '0', '--into', into, '--count', '1', *options],
                                   stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    end, found = time.monotonic() + WAIT, None
    while not found and time.monotonic() < end:
        found = re.search(r'listening on \S+ port (\d+)', said.read_text(encoding='utf-8'))
        time.sleep(0.01)
    send(int(found.group(1)), path)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    whole = sum(file.stat().st_size for file in into.glob('*.utrace')) == path.stat().st_size
    shutil.rmtree(into)
    if not whole:
        raise RuntimeError('what was recorded is not what was sent')
    return (usage.ru_utime + usage.ru_stime) / path.stat().st_size * 1e9, usage.ru_maxrss * 1024
