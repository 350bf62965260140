"""trace-view as a page uses it: the time until it can be zoomed, windows of all zooms, and what memory it takes."""

import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'view'))
import served  # noqa: E402

READING_TIME = 600      # seconds that a reading may take at most
LANES, PIXELS, ROWS = 8, 1350, 12


class Server(served.Served):
    """On one connection, as a browser keeps it."""

    def begin(self):
        self.socket = self.connect()
        self.socket.settimeout(READING_TIME)

    def raw(self, request):
        self.socket.sendall(request)
        return served.read_answer(self.socket)


def peak(process):
    """Greatest resident memory so far, in bytes; None where the system does not say."""
    status = pathlib.Path('/proc/%d/status' % process.pid)
    lines = [line for line in status.read_text().splitlines() if line.startswith('VmHWM:')] if status.exists() else []
    return int(lines[0].split()[1]) * 1024 if lines else None


def window(lanes, rng):
    """Parameters of a window: all zooms from 100 ns to all of the run are as likely."""
    whole = max(lanes['last'] - lanes['first'], 200)
    length = int(100 * (whole / 100) ** rng.random())
    begin = lanes['first'] + rng.randrange(whole - length + 1)
    count = len(lanes['lanes'])
    first = rng.randrange(count)
    chosen = [(first + i) % count for i in range(min(LANES, count))]
    return '/w?a=%d&b=%d&w=%d&d=%d&l=%s' % (begin, begin + length, PIXELS, ROWS, '.'.join(map(str, chosen)))


def measure(directory, path, windows):
    """Seconds until the timeline is ready; of windows the median and the 99th percentile, in ms; seconds of the overview; greatest
    memory before and behind it."""
    began = time.monotonic()
    with Server(directory, path, '--no-open', '--quiet') as server:
        server.begin()
        while any(c['state'] == 'indexing' for c in server.json('/progress')['captures']):
            time.sleep(0.02)
        ready = time.monotonic() - began
        lanes, rng, times = server.json('/lanes'), random.Random(1), []
        for _ in range(windows):
            target, requested = window(lanes, rng), time.monotonic()
            if server.ask(target).status != 200:
                raise ValueError(target)
            times.append((time.monotonic() - requested) * 1e3)
        before, requested = peak(server.process), time.monotonic()
        server.json('/overview')
        overview = time.monotonic() - requested
        times.sort()
        return ready, times[windows // 2], times[windows * 99 // 100], overview, before, peak(server.process)
