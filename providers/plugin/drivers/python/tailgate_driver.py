"""Makes the calls of a tailgate trial from Python: the driver of a sink that is a Python program.

    import logging
    import tailgate_driver

    class MyLog(tailgate_driver.Logger):
        def __init__(self, context):
            ...open the log at context.log_path; context.options holds the sink's options
        def emit(self, thread, event):
            ...log the event; return None or 0, or the number of a refusal cause, from 1
        def close(self):
            ...hand over all that is buffered

    tailgate_driver.run(MyLog)

A TOML file describes the sink, and tailgate starts the program: see README.md of tailgate's
providers/plugin. drivers/README.md describes the memory that this module reads and writes.
"""

import heapq
import mmap
import os
import struct
import sys
import threading
import time

FORMAT = 1
VARIABLE = "TAILGATE_DRIVER"
MAGIC = 0x31474C54
HASH_1 = 0x9E3779B97F4A7C15
HASH_2 = 0x6A09E667F3BCC909
MASK_32 = (1 << 32) - 1
MASK_64 = (1 << 64) - 1
LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
FLOOR_EVENTS = 20_000
WAKE_EARLY_NS = 200_000  # by how much a sleep may be too long
LONGEST_SLEEP_NS = 50_000_000


class Logger:
    """The measured path. The methods that a logger does not need may be left out."""

    def warm_up(self, thread):
        """Called by each load thread before its first event."""

    def emit(self, thread, event):
        """Logs one event: str in the text encoding, else bytes. Only this is timed."""
        raise NotImplementedError

    def close(self):
        """Called once, after the last event."""

    def losses(self):
        """What was lost after emit took it: pairs of a cause and a number of events."""
        return []


class Context:
    """What a logger may know of the trial."""

    def __init__(self, described):
        self.log_path = described["log_path"]
        self.directory = described["directory"]
        self.threads = int(described["threads"])
        self.max_event_bytes = int(described["max_event_bytes"])
        self.expected_bytes = int(described["expected_bytes"])
        self.text = described["encoding"] == "text"
        self.options = {name[len("option."):]: value for name, value in described.items()
                        if name.startswith("option.")}


def run(make_logger):
    """Makes the calls of one trial on make_logger(context), and ends the program."""
    path = os.environ.get(VARIABLE)
    if path is None:
        sys.exit(f"{VARIABLE} is not set: tailgate starts this program, by the sink's TOML file "
                 "(tailgate run steady --sink ./mylog.toml)")
    trial = _Trial(path)
    try:
        trial.run(make_logger)
    except BaseException as error:  # pylint: disable=broad-except
        trial.fail(f"{type(error).__name__}: {error}")
        raise
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # the load threads still wait


def _read_description(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        described = dict(line.rstrip("\n").partition(" ")[::2] for line in file)
    if described.get("format") != str(FORMAT):
        sys.exit(f"{path} has format {described.get('format')}, and this driver reads format "
                 f"{FORMAT}: use the driver that came with tailgate")
    return described


def _map(path, size_bytes):
    with open(path, "r+b", buffering=0) as file:
        return mmap.mmap(file.fileno(), size_bytes)


class _Trial:
    def __init__(self, path):
        self.described = _read_description(path)
        self.memory = _map(self.described["memory.path"], self.number("memory.bytes"))
        self.schedule = _map(self.described["schedule.path"], self.number("schedule.bytes"))
        self.words = memoryview(self.memory).cast("Q")
        self.halves = memoryview(self.memory).cast("I")
        self.wake = os.open(self.described["wake.path"], os.O_RDONLY)
        self.told = os.open(self.described["told.path"], os.O_WRONLY)
        self.context = Context(self.described)
        self.bound = threading.Event()
        self.opened = threading.Event()
        self.logger = None
        self.failure = None

    def number(self, name):
        return int(self.described[name])

    def half(self, name):
        return self.halves[self.number(name) // 4]

    def set_half(self, name, value):
        self.halves[self.number(name) // 4] = value

    def set_phase(self, name):
        self.set_half("provider.phase", self.number(f"phase.{name}"))

    def set_text(self, offset, size_bytes, text):
        encoded = text.encode("utf-8", "replace").replace(b"\0", b" ")
        if len(encoded) >= size_bytes:
            encoded = encoded[:size_bytes - 4] + b"..."
        self.memory[offset:offset + len(encoded) + 1] = encoded + b"\0"

    def fail(self, text):
        self.set_text(self.number("provider.error"), self.number("provider.error_bytes"), text)
        self.set_phase("failed")

    def run(self, make_logger):
        threads = [_Thread(self, number) for number in range(self.context.threads)]
        for thread in threads:
            thread.start()
        os.read(self.wake, 1)  # the companion has bound the threads to their processors
        self.bound.set()
        threads[0].floor_measured.wait()
        self.raise_failure()
        self.logger = make_logger(self.context)
        self.opened.set()
        for thread in threads:
            thread.warm.wait()
        self.raise_failure()
        self.set_phase("ready")
        for thread in threads:
            thread.loaded.wait()
        self.raise_failure()
        self.set_phase("closing")
        self.logger.close()
        self.publish_losses()
        self.set_phase("done")
        limit = time.monotonic() + 5
        while self.half("sampled") == 0 and time.monotonic() < limit:
            time.sleep(0.0005)

    def raise_failure(self):
        if self.failure is not None:
            raise self.failure

    def publish_losses(self):
        losses = list(self.logger.losses())[:self.number("losses.slots")]
        for slot, (cause, events) in enumerate(losses):
            at = self.number("losses.at") + slot * self.number("losses.stride")
            self.set_text(at, self.number("losses.cause_bytes"), cause)
            self.words[(at + self.number("losses.events")) // 8] = events
        self.set_half("losses.count", len(losses))

    def go_ns(self):
        """Waits for the start of the load; None if it is stopped before."""
        at = self.number("go_ns") // 8
        while self.words[at] == 0:
            if self.stopped():
                return None
            time.sleep(0.0002)
        self.set_phase("loading")
        return self.words[at]

    def stopped(self):
        return self.half("stop") != 0 or self.failure is not None

    def times(self, number):
        """The intended times of a thread or of a turn, relative to its start."""
        words = memoryview(self.schedule)[:self.number("schedule.sizes")].cast("Q")
        first = self.number("schedule.first") // 8 + number
        start = self.number("schedule.times") // 8
        return words[start + words[first]:start + words[first + 1]]

    def sizes(self, thread):
        count = self.number("schedule.sizes_each")
        at = self.number("schedule.sizes") + 2 * count * thread
        return list(struct.unpack_from(f"<{count}H", self.schedule, at))


class _Events:
    """Builds the events of one thread: all but the time before the call."""

    def __init__(self, trial, thread):
        self.run = trial.number("run")
        self.thread = thread
        self.sizes = trial.sizes(thread)
        at = trial.number("schedule.event")
        event = trial.schedule[at:at + trial.context.max_event_bytes]
        self.text = trial.context.text
        self.header_bytes = 64 if self.text else 32
        self.body = event.decode("ascii") if self.text else event
        self.bodies = {size: self.body[self.header_bytes:size] for size in set(self.sizes)}
        self.head = self.tail = None
        self.hash = 0

    def prepare(self, sequence):
        size = self.sizes[sequence % len(self.sizes)]
        word = MAGIC | size << 32 | self.thread << 48
        hashed = (word ^ self.run) * HASH_1 & MASK_64
        hashed ^= (sequence + (hashed >> 29)) * HASH_2 & MASK_64
        self.hash = hashed ^ hashed >> 32
        if self.text:
            self.head = ("%016x%016x" % (sequence, word))[::-1].translate(LETTERS)
        else:
            self.head = struct.pack("<QQ", word, sequence)
        self.tail = self.bodies[size]

    def stamped(self, now_ns):
        check = (self.hash ^ now_ns ^ now_ns >> 32) & MASK_32
        if self.text:
            # Low halves of bytes come first, so that the whole number is written backwards.
            number = "%08x%08x%016x" % (check, self.run, now_ns)
            return self.head + number[::-1].translate(LETTERS) + self.tail
        return self.head + struct.pack("<QII", now_ns, self.run, check) + self.tail


class _Longest:
    """The calls with the longest times, in slots of the memory."""

    def __init__(self, words, at, slots, trial):
        self.words = words
        self.heap = [(0, at + slot * trial.number("slow.stride")) for slot in range(slots)]
        self.fields = [trial.number(f"slow.{name}") for name in
                       ("end_ns", "start_ns", "intended_ns", "sequence", "cpu")]
        self.least_ns = 0 if slots > 0 else MASK_64

    def keep(self, ns, sequence, intended_ns, start_ns, end_ns):
        slot = self.heap[0][1]
        end, start, intended, number, cpu = self.fields
        words = self.words
        words[(slot + end) // 8] = 0  # readers ignore the slot while it is written
        words[(slot + start) // 8] = start_ns
        words[(slot + intended) // 8] = intended_ns
        words[(slot + number) // 8] = sequence
        words[(slot + cpu) // 8] = MASK_64  # -1: not known
        words[(slot + end) // 8] = end_ns
        heapq.heapreplace(self.heap, (ns, slot))
        self.least_ns = self.heap[0][0]


class _Block:
    """The words that one load thread writes: in the shared memory, or for the floor in others."""

    def __init__(self, trial, words, shift_bytes):
        def at(name):
            return trial.number(f"thread.{name}") + shift_bytes

        self.words = words
        (self.started, self.finished, self.last_start, self.last_end, self.last_intended,
         self.spun, self.unissued, self.refused, self.service, self.response, self.start_lag) = (
            at(name) // 8 for name in (
                "started", "finished", "last_start_ns", "last_end_ns", "last_intended_ns",
                "spun_ns", "unissued", "refused", "service", "response", "start_lag"))
        self.slowest = _Longest(words, at("slowest"), trial.number("thread.slowest_slots"), trial)
        self.slowest_responses = _Longest(words, at("slowest_responses"),
                                          trial.number("thread.slowest_responses_slots"), trial)
        self.causes = trial.number("thread.refused_causes")
        self.slots = trial.number("histogram.slots")
        self.mask = trial.number("histogram.mask")
        self.half_magnitude = trial.number("histogram.half_magnitude")
        self.per_doubling = trial.number("histogram.slots_per_doubling")
        self.offset = trial.number("histogram.offset")

    def count(self, first_word, value):
        top = (value | self.mask).bit_length() - 1
        slot = (value >> (top - self.half_magnitude)) + top * self.per_doubling - self.offset
        self.words[first_word + (slot if slot < self.slots else self.slots)] += 1


class _Histograms:
    """Records calls as a trial does: distributions and the slowest calls."""

    def __init__(self, block, closed_loop):
        self.block = block
        self.closed_loop = closed_loop

    def record(self, sequence, intended_ns, start_ns, end_ns):
        block = self.block
        service_ns = end_ns - start_ns
        block.count(block.service, service_ns)
        if service_ns > block.slowest.least_ns:
            block.slowest.keep(service_ns, sequence, intended_ns, start_ns, end_ns)
        if self.closed_loop:
            return
        response_ns = end_ns - intended_ns
        block.count(block.response, response_ns)
        block.count(block.start_lag, start_ns - intended_ns)
        if response_ns > block.slowest_responses.least_ns:
            block.slowest_responses.keep(response_ns, sequence, intended_ns, start_ns, end_ns)


class _CallLog:
    """Records calls as a duet does: all of them, within the turn's share of the log."""

    def __init__(self, trial):
        self.trial = trial
        turns = trial.number("turns.count") - trial.number("turns.warmup")
        self.room = trial.number("turns.max_calls") // max(turns, 1)
        self.at, self.stride = trial.number("calls.at"), trial.number("calls.stride")
        self.fields = [trial.number(f"calls.{name}") for name in
                       ("intended_ns", "start_ns", "end_ns", "turn")]
        self.logged_at = trial.number("turn.logged") // 8
        self.logged = self.end = self.turn = 0

    def begin_turn(self, number):
        self.turn = number
        self.end = self.logged + self.room

    def full(self):
        return self.logged == self.end

    def record(self, _sequence, intended_ns, start_ns, end_ns):
        at = self.at + self.logged * self.stride
        words = self.trial.words
        intended, start, end, turn = self.fields
        words[(at + intended) // 8] = intended_ns
        words[(at + start) // 8] = start_ns
        words[(at + end) // 8] = end_ns
        self.trial.halves[(at + turn) // 4] = self.turn
        self.logged += 1
        words[self.logged_at] = self.logged


class _Emitter:
    """Makes the calls of one thread and counts them."""

    def __init__(self, trial, thread, block, emit, recorder):
        self.base_ns = trial.number("clock.base_ns")
        self.events = _Events(trial, thread)
        self.thread = thread
        self.block = block
        self.log = emit
        self.recorder = recorder
        self.sequence = 0
        self.recorded = 0

    def now_ns(self):
        return time.monotonic_ns() - self.base_ns

    def prepare(self):
        self.events.prepare(self.sequence)

    def emit(self, intended_ns, start_ns, recorded):
        block = self.block
        words = block.words
        event = self.events.stamped(start_ns)
        words[block.last_start] = start_ns
        words[block.started] = self.sequence + 1
        status = self.log(self.thread, event)
        end_ns = time.monotonic_ns() - self.base_ns
        if status:
            words[block.refused + min(status, block.causes) - 1] += 1
        words[block.finished] = self.sequence + 1
        words[block.last_end] = end_ns
        if recorded:
            self.recorded += 1
            self.recorder.record(self.sequence, intended_ns, start_ns, end_ns)
        self.sequence += 1


class _Pacer:
    def __init__(self, trial, emitter):
        pacing = trial.described["load.pacing"]
        self.early_ns = {"spin": MASK_64, "hybrid": WAKE_EARLY_NS, "sleep": 0}[pacing]
        # A thread that spins keeps the interpreter's lock from the others.
        self.yields = trial.context.threads > 1
        self.trial = trial
        self.emitter = emitter
        self.spun_ns = 0

    def wait_until(self, intended_ns):
        """Returns the last time read; early if the load is stopped."""
        now_ns = self.emitter.now_ns()
        while now_ns < intended_ns and not self.trial.stopped():
            left_ns = intended_ns - now_ns
            before_ns = now_ns
            if left_ns > self.early_ns:
                time.sleep(min(left_ns - self.early_ns, LONGEST_SLEEP_NS) / 1e9)
                now_ns = self.emitter.now_ns()
                continue
            if self.yields:
                time.sleep(0)
            now_ns = self.emitter.now_ns()
            self.spun_ns += now_ns - before_ns
        return now_ns


class _Thread(threading.Thread):
    """One load thread."""

    def __init__(self, trial, number):
        super().__init__(name=f"tg-load-{number}", daemon=True)
        self.trial = trial
        self.number = number
        self.floor_measured = threading.Event()
        self.warm = threading.Event()
        self.loaded = threading.Event()

    def run(self):
        try:
            self.load()
        except BaseException as error:  # pylint: disable=broad-except
            self.trial.failure = error
        self.floor_measured.set()
        self.warm.set()
        self.loaded.set()
        threading.Event().wait()  # the system forgets the counters of a thread that has ended

    def load(self):
        trial = self.trial
        shift = self.number * trial.number("thread.stride")
        trial.halves[(trial.number("thread.os_thread") + shift) // 4] = threading.get_native_id()
        trial.bound.wait()
        if self.number == 0:
            self.measure_floor()
        self.floor_measured.set()
        trial.opened.wait()
        trial.logger.warm_up(self.number)
        self.warm.set()
        go_ns = trial.go_ns()
        if go_ns is None:
            return
        block = _Block(trial, trial.words, shift)
        closed_loop = trial.number("load.closed_loop") != 0
        if trial.number("turns.count") > 0:
            emitter = _Emitter(trial, self.number, block, trial.logger.emit, _CallLog(trial))
            self.drive_turns(emitter, closed_loop)
            return
        emitter = _Emitter(trial, self.number, block, trial.logger.emit,
                           _Histograms(block, closed_loop))
        if closed_loop:
            self.closed_loop(emitter, go_ns)
        else:
            self.open_loop(emitter, go_ns)

    def measure_floor(self):
        """The emit loop around a call that does nothing, and two clock reads."""
        trial = self.trial
        first = min(trial.number(name) for name in trial.described if
                    name.startswith("thread.") and name.split(".")[1] in
                    ("started", "slowest", "service"))
        own = memoryview(bytearray(trial.number("thread.stride"))).cast("Q")
        block = _Block(trial, own, -first)
        emitter = _Emitter(trial, 0, block, lambda thread, event: 0, _Histograms(block, True))
        start_ns = emitter.now_ns()
        for _ in range(FLOOR_EVENTS):
            emitter.prepare()
            now_ns = emitter.now_ns()
            emitter.emit(now_ns, now_ns, True)
        loop_ns = (emitter.now_ns() - start_ns) / FLOOR_EVENTS
        floor = trial.number("floor.service") // 8
        trial.words[floor:floor + block.slots + 1] = own[block.service:
                                                         block.service + block.slots + 1]
        means = []
        for _ in range(101):
            start_ns = time.monotonic_ns()
            for _ in range(100):
                time.monotonic_ns()
                time.monotonic_ns()
            means.append((time.monotonic_ns() - start_ns) / 100)
        for name, value in (("loop_ns", loop_ns), ("two_clock_reads_ns", sorted(means)[50])):
            struct.pack_into("<d", trial.memory, trial.number(f"floor.{name}"), value)

    def open_loop(self, emitter, go_ns):
        trial = self.trial
        self.call_on_time(emitter, _Pacer(trial, emitter), self.number, go_ns,
                          go_ns + trial.number("load.give_up_ns"),
                          trial.number("load.record_start_ns"), lambda: False)

    def call_on_time(self, emitter, pacer, times_of, begin_ns, give_up_ns, record_from_ns, full):
        """Makes the calls of a list of times."""
        trial, block = self.trial, emitter.block
        times = trial.times(times_of)
        for index, offset_ns in enumerate(times):
            intended_ns = begin_ns + offset_ns
            block.words[block.last_intended] = intended_ns
            emitter.prepare()
            start_ns = pacer.wait_until(intended_ns)
            block.words[block.spun] = pacer.spun_ns
            if trial.stopped():
                return
            if start_ns > give_up_ns or full():
                block.words[block.unissued] += len(times) - index
                return
            emitter.emit(intended_ns, start_ns, offset_ns >= record_from_ns)

    def closed_loop(self, emitter, go_ns):
        trial = self.trial
        events = trial.number("load.events")
        share, rest = divmod(events, trial.context.threads)
        wanted = share + (self.number < rest) if events > 0 else MASK_64
        end_ns = go_ns + trial.number("load.end_ns")
        record_start_ns = go_ns + trial.number("load.record_start_ns")
        batch_calls, pause_ns = trial.number("load.batch_calls"), trial.number("load.pause_ns")
        until_pause = batch_calls  # from 0 it counts down for ever
        pacer = _Pacer(trial, emitter)
        pacer.wait_until(go_ns)
        while emitter.recorded < wanted and not trial.stopped():
            emitter.prepare()
            start_ns = emitter.now_ns()
            if start_ns >= end_ns:
                return
            emitter.emit(start_ns, start_ns, start_ns >= record_start_ns)
            until_pause -= 1
            if until_pause == 0:
                pacer.wait_until(emitter.now_ns() + pause_ns)
                emitter.block.words[emitter.block.spun] = pacer.spun_ns
                until_pause = batch_calls

    def wait_for_turn(self, number):
        """Returns whether the turn is granted; no if the load is stopped."""
        while not self.trial.stopped():
            if self.trial.half("turn.granted") > number:
                return True
            if not os.read(self.trial.wake, 1):
                return False
        return False

    def drive_turns(self, emitter, closed_loop):
        trial = self.trial
        count, warmup = trial.number("turns.count"), trial.number("turns.warmup")
        pacer = _Pacer(trial, emitter)
        for number in range(count):
            if not self.wait_for_turn(number):
                return
            start_ns = emitter.now_ns() + trial.number("turns.lead_ns")
            emitter.recorder.begin_turn(max(number - warmup, 0))
            if closed_loop:
                self.closed_turn(emitter, pacer, start_ns, number >= warmup)
            else:
                self.call_on_time(emitter, pacer, number, start_ns,
                                  start_ns + trial.number("turns.give_up_ns"),
                                  0 if number >= warmup else MASK_64, emitter.recorder.full)
            emitter.block.words[emitter.block.spun] = pacer.spun_ns
            trial.set_half("turn.done", number + 1)
            os.write(trial.told, b"d")
        self.wait_for_turn(count)  # closing must not disturb the other side's turns

    def closed_turn(self, emitter, pacer, turn_start_ns, recorded):
        end_ns = turn_start_ns + self.trial.number("turns.length_ns")
        pacer.wait_until(turn_start_ns)
        while not self.trial.stopped() and not emitter.recorder.full():
            emitter.prepare()
            start_ns = emitter.now_ns()
            if start_ns >= end_ns:
                return
            emitter.emit(start_ns, start_ns, recorded)
