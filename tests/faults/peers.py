# SPDX-License-Identifier: GPL-2.0-or-later
"""The other ends of the pipes that nsplit writes to and reads from, each a thread."""
import os
import select
import threading
import time

PIECE = 4096
WAIT = 50               # milliseconds between looks whether nsplit has ended


class Reader(threading.Thread):
    """Reads a named pipe into a file, to its end, or until it has read so many bytes."""

    def __init__(self, fifo, file, limit=None, slow=False):
        super().__init__()
        os.mkfifo(fifo)
        # Not blocking, so that it is open whether or not nsplit ever comes.
        self.fd = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.file, self.limit, self.slow = file, limit, slow
        self.ended = threading.Event()
        self.left = False       # before its end
        self.bytes = 0
        self.start()

    def run(self):
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        with open(self.file, "wb") as out:
            while True:
                last = self.ended.is_set()
                ready = poll.poll(WAIT)
                piece = os.read(self.fd, PIECE) if ready else b""
                if not piece and (ready or last):
                    break
                out.write(piece)
                self.bytes += len(piece)
                if self.limit is not None and self.bytes >= self.limit:
                    self.left = True
                    break
                if self.slow and piece:
                    time.sleep(0.0005)
        os.close(self.fd)
        # Nobody came: there is no member.
        if not self.bytes:
            os.remove(self.file)

    def finish(self):
        self.ended.set()
        self.join()


class Feeder(threading.Thread):
    """Writes bytes into a pipe, in odd pieces; self.source is the end that nsplit gets."""

    def __init__(self, data):
        super().__init__()
        read_fd, self.fd = os.pipe()
        self.source = os.fdopen(read_fd, "rb")
        self.data = data
        self.start()

    def run(self):
        done = 0
        try:
            while done < len(self.data):
                done += os.write(self.fd, self.data[done:done + 10007])
        except BrokenPipeError:
            pass                # nsplit needed no more of it
        os.close(self.fd)

    def finish(self):
        self.source.close()
        self.join()
