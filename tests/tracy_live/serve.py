"""A made program as a process: serve.py PORT EXIT_STATUS. It listens a while after its start."""

import sys
import time

import served

if __name__ == '__main__':
    time.sleep(0.3)
    made = served.Served(port=int(sys.argv[1]))
    made.thread.join(20)
    sys.exit(int(sys.argv[2]))
