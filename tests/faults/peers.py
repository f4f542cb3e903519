# SPDX-License-Identifier: GPL-2.0-or-later
"""The readers and writers at the other ends of nsplit's pipes, each a thread."""
import os
import select
import threading
import time

PIECE = 4096
WAIT = 50               # milliseconds between checks whether nsplit has ended


class Reader(threading.Thread):
    """Copies a named pipe to a file, to its end, or until it has read limit bytes."""

    def __init__(self, fifo, file, limit=None, slow=False):
        super().__init__()
        os.mkfifo(fifo)
        # Non-blocking, so that this does not wait for nsplit to open it.
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
        # nsplit wrote nothing: there is no member.
        if not self.bytes:
            os.remove(self.file)

    def finish(self):
        self.ended.set()
        self.join()


class Feeder(threading.Thread):
    """Writes data to a pipe, in odd sizes; self.source is the end that nsplit reads."""

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
            pass                # nsplit has ended
        os.close(self.fd)

    def finish(self):
        self.source.close()
        self.join()
