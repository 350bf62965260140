"""A made program as a process: serve.py PORT EXIT_STATUS. It listens a while after its start."""

import socket
import sys
import time

import served

if __name__ == '__main__':
    time.sleep(0.3)
    made, listen = served.Served.__new__(served.Served), socket.create_server
    socket.create_server = lambda _: listen(('127.0.0.1', int(sys.argv[1])))
    made.__init__()
    made.thread.join(20)
    sys.exit(int(sys.argv[2]))
