"""A driver program with a chosen fault."""

import os
import time

import tailgate_driver


class Faulty(tailgate_driver.Logger):
    def __init__(self, context):
        self.fault = context.options["fault"]
        self.log = open(context.log_path, "w", encoding="ascii")  # pylint: disable=R1732
        self.events = 0
        if self.fault == "raises_at_opening":
            raise OSError("no such queue: /dev/queue7")
        if self.fault == "is_never_ready":
            time.sleep(1000)
        if self.fault == "ends_early":
            os._exit(0)

    def emit(self, thread, event):
        self.events += 1
        if self.events == 500 and self.fault != "none":
            self.go_wrong(thread)
        if self.fault == "drops" and self.events % 100 == 0:
            return 2
        self.log.write(event + "\n")
        return 0

    def go_wrong(self, thread):
        if self.fault == "crashes":
            os.abort()
        if self.fault == "hangs":
            time.sleep(1000)
        if self.fault == "raises":
            raise ValueError(f"event {self.events} of thread {thread}")
        if self.fault == "writes_garbage":
            self.fill(("thread.service", "thread.response", "floor.service"), 0xA5A5A5A5A5A5A5A5)
        if self.fault == "counts_twice":
            self.fill(("thread.service",), 3)

    def fill(self, names, value):
        for name in names:
            at = trial_memory(name)
            for word in range(at, at + 2000):
                WORDS[word] = value >> word % 7

    def close(self):
        if self.fault == "damages_the_log":
            self.fill(("calls.at",), 1 << 40)
        self.log.close()

    def losses(self):
        return [("full", 7)] if self.fault == "loses" else []


def trial_memory(name):
    return int(DESCRIBED[name]) // 8


with open(os.environ["TAILGATE_DRIVER"], encoding="utf-8") as file:
    DESCRIBED = dict(line.rstrip("\n").partition(" ")[::2] for line in file)
# pylint: disable-next=protected-access
WORDS = memoryview(tailgate_driver._map(DESCRIBED["memory.path"],
                                        int(DESCRIBED["memory.bytes"]))).cast("Q")

tailgate_driver.run(Faulty)
