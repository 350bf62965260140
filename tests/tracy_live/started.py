"""A made program as a process: started.py NAME [MILLISECONDS] [--child] [--stubborn]. It listens at TRACY_PORT (a stubborn one
does nothing, and does not end when it should), and with
TRACY_NO_EXIT it waits to be recorded; else it is gone after those milliseconds."""

import os
import signal
import subprocess
import sys
import time

import served


def main():
    if '--child' in sys.argv:           # the one that is recorded is started by this one
        return subprocess.call([word for word in [sys.executable, *sys.argv] if word != '--child'])
    if '--stubborn' in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    words = [word for word in sys.argv[1:] if not word.startswith('--')]
    server = served.Served(name=words[0].encode(), port=int(os.environ.get('TRACY_PORT', '8086')))
    if 'TRACY_NO_EXIT' in os.environ:
        server.thread.join(60)
    else:
        time.sleep(int(words[1]) / 1000)
    return 0


if __name__ == '__main__':
    sys.exit(main())
