// Makes the calls of a tailgate trial from Node.js: the driver of a sink that is a Node.js program.
//
//   import { run } from './tailgate_driver.mjs';
//   run((context) => {
//     … open the log at context.logPath; context.options holds the sink's options
//     return {
//       emit(thread, event) { … log the event; return undefined or 0, or a refusal's cause, from 1 },
//       async close() { … hand over all that is buffered },
//       warmUp(thread) {}, losses() { return [['queue full', 7]]; },  // both optional
//     };
//   });
//
// event is a string in the text encoding, else a Buffer. Between two calls the event loop runs, as
// it would between two requests: in a wait all the time, else once a millisecond.
//
// Node.js maps no memory, so that this driver writes through pwrite(2): before each call that the
// call begins, for the reader that sees the event next; histograms and all else every 50 ms where it
// waits, every 200 ms where it does not, and at the end. A program that is killed loses what was
// measured since.
//
// A TOML file describes the sink, and tailgate starts the program: see README.md of tailgate's
// providers/plugin. drivers/README.md describes the memory.

import fs from 'node:fs';
import { promisify } from 'node:util';

const FORMAT = '1';
const MAGIC = 0x31474c54n;
const HASH_1 = 0x9e3779b97f4a7c15n;
const HASH_2 = 0x6a09e667f3bcc909n;
const WARM_EVENTS = 20_000;
const FLOOR_EVENTS = 20_000;
const PAGE = 4096;
const UINT32 = 2 ** 32;
const TIMER_NS = 2_000_000; // by how much a timer may be late
const LONGEST_SLEEP_NS = 50_000_000;
const YIELD_NS = 1_000_000;
const PUBLISH_IDLE_NS = 50_000_000;
const PUBLISH_BUSY_NS = 200_000_000;

// Makes the calls of one trial on the logger that `open` returns, and ends the program.
export async function run(open) {
  const path = process.env.TAILGATE_DRIVER;
  if (path === undefined) {
    console.error(
      "TAILGATE_DRIVER is not set: tailgate starts this program, by the sink's TOML file " +
        '(tailgate run steady --sink ./mylog.toml)',
    );
    process.exit(1);
  }
  const memory = new Memory(path);
  const fail = (error) => {
    console.error(error);
    memory.fail(String(error));
    process.exit(1);
  };
  process.on('uncaughtException', fail); // streams report errors as events
  try {
    await new Trial(memory).run(open);
  } catch (error) {
    fail(error);
  }
  process.exit(0);
}

function* lettersOf16() {
  for (let value = 0; value < 0x10000; ++value) {
    let text = '';
    for (let shift = 0; shift < 16; shift += 4) {
      text += String.fromCharCode(97 + ((value >>> shift) & 15));
    }
    yield text;
  }
}
const LETTERS = [...lettersOf16()];

// Encodes 4 bytes as 8 letters, low half byte first.
function letters(value) {
  return LETTERS[value & 0xffff] + LETTERS[value >>> 16];
}

function letters64(value) {
  return letters(Number(value & 0xffffffffn)) + letters(Number(value >> 32n));
}

// Timers, and a turn of the event loop.
const soon = promisify(setImmediate);
const after = promisify(setTimeout);
const read = promisify(fs.read);

// The shared memory of a trial, and the names by which tailgate describes it.
class Memory {
  constructor(path) {
    this.values = new Map();
    for (const line of fs.readFileSync(path, 'utf8').split('\n')) {
      const space = line.indexOf(' ');
      if (space > 0) this.values.set(line.slice(0, space), line.slice(space + 1));
    }
    if (this.values.get('format') !== FORMAT) {
      console.error(
        `${path} has format ${this.values.get('format')}, and this driver reads format ` +
          `${FORMAT}: use the driver that came with tailgate`,
      );
      process.exit(1);
    }
    this.file = fs.openSync(this.text('memory.path'), 'r+');
    this.schedule = fs.openSync(this.text('schedule.path'), 'r');
    this.wake = fs.openSync(this.text('wake.path'), 'r');
    this.told = fs.openSync(this.text('told.path'), 'w');
    this.small = Buffer.alloc(8);
  }

  text(name) {
    const value = this.values.get(name);
    if (value === undefined) throw new Error(`tailgate named no '${name}'`);
    return value;
  }

  // Numbers above 2^53 mean no limit, and need not be exact.
  number(name) {
    return Number(this.text(name));
  }

  uint32(name) {
    fs.readSync(this.file, this.small, 0, 4, this.number(name));
    return this.small.readUInt32LE();
  }

  uint64(name) {
    fs.readSync(this.file, this.small, 0, 8, this.number(name));
    return Number(this.small.readBigUInt64LE());
  }

  setUint32(name, value) {
    this.small.writeUInt32LE(value);
    fs.writeSync(this.file, this.small, 0, 4, this.number(name));
  }

  setUint64(at, value) {
    this.small.writeUInt32LE(value % UINT32, 0);
    this.small.writeUInt32LE(Math.floor(value / UINT32), 4);
    fs.writeSync(this.file, this.small, 0, 8, at);
  }

  setDouble(name, value) {
    this.small.writeDoubleLE(value);
    fs.writeSync(this.file, this.small, 0, 8, this.number(name));
  }

  setText(at, room, text) {
    let bytes = Buffer.from(text.replaceAll('\0', ' '));
    if (bytes.length >= room) {
      bytes = Buffer.concat([bytes.subarray(0, room - 4), Buffer.from('...')]);
    }
    fs.writeSync(this.file, Buffer.concat([bytes, Buffer.alloc(1)]), 0, bytes.length + 1, at);
  }

  setPhase(name) {
    this.setUint32('provider.phase', this.number(`phase.${name}`));
  }

  fail(text) {
    this.setText(this.number('provider.error'), this.number('provider.error_bytes'), text);
    this.setPhase('failed');
  }

  scheduled(at, bytes) {
    const buffer = Buffer.alloc(bytes);
    fs.readSync(this.schedule, buffer, 0, bytes, at);
    return buffer;
  }

  // The intended times of a thread or a turn, relative to its start.
  times(list) {
    const ends = this.scheduled(this.number('schedule.first') + 8 * list, 16);
    const first = Number(ends.readBigUInt64LE(0));
    const count = Number(ends.readBigUInt64LE(8)) - first;
    const words = this.scheduled(this.number('schedule.times') + 8 * first, 8 * count);
    return Float64Array.from({ length: count }, (_, i) => Number(words.readBigUInt64LE(8 * i)));
  }
}

// A copy of the words that the load thread writes; publish() writes what changed into the memory.
class Block {
  constructor(memory) {
    this.memory = memory;
    this.begin = memory.number('thread.started');
    this.bytes = Buffer.alloc(memory.number('thread.stride'));
    this.words = new Uint32Array(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length / 4);
    this.changed = new Uint8Array(Math.ceil(this.bytes.length / PAGE));
    const mask = memory.number('histogram.mask');
    if (mask >= UINT32) throw new Error('this driver reads no histograms of so many digits');
    this.mask = mask;
    this.slots = memory.number('histogram.slots');
    this.half = memory.number('histogram.half_magnitude');
    this.perDoubling = memory.number('histogram.slots_per_doubling');
    this.offset = memory.number('histogram.offset');
  }

  // The word at which a described field of thread 0 begins.
  at(name) {
    return (this.memory.number(name) - this.begin) / 4;
  }

  set(word, value) {
    this.words[word] = value; // modulo 2^32
    this.words[word + 1] = value / UINT32;
    this.changed[word >>> 10] = 1;
  }

  get(word) {
    return this.words[word] + this.words[word + 1] * UINT32;
  }

  increment(word) {
    if (++this.words[word] === 0) ++this.words[word + 1];
    this.changed[word >>> 10] = 1;
  }

  count(histogram, value) {
    const high = Math.floor(value / UINT32);
    const top =
      high > 0 ? 63 - Math.clz32(high) : 31 - Math.clz32(((value >>> 0) | this.mask) >>> 0);
    const slot =
      Math.floor(value / 2 ** (top - this.half)) + top * this.perDoubling - this.offset;
    this.increment(histogram + 2 * Math.min(slot, this.slots));
  }

  // The counts first: readers must find no more recorded calls than finished ones. Always writes
  // them, since a call that was announced may not have been made.
  publish() {
    this.changed[0] = 1;
    let page = 0;
    while (page < this.changed.length) {
      if (this.changed[page] === 0) {
        ++page;
        continue;
      }
      const from = page;
      while (page < this.changed.length && this.changed[page] === 1) this.changed[page++] = 0;
      const end = Math.min(page * PAGE, this.bytes.length);
      fs.writeSync(this.memory.file, this.bytes, from * PAGE, end - from * PAGE,
        this.begin + from * PAGE);
    }
  }
}

// The calls with the longest times: a heap whose top is the shortest of them.
class Longest {
  constructor(block, at, count) {
    const { memory } = block;
    this.block = block;
    this.heap = Array.from({ length: count }, (_, slot) => ({
      ns: 0,
      word: at + (slot * memory.number('slow.stride')) / 4,
    }));
    this.leastNs = count > 0 ? 0 : Infinity;
    const fields = ['end_ns', 'start_ns', 'intended_ns', 'sequence', 'cpu'];
    this.fields = fields.map((name) => memory.number(`slow.${name}`) / 4);
  }

  keep(ns, sequence, intendedNs, startNs, endNs) {
    const { block, heap } = this;
    const { word } = heap[0];
    const [end, start, intended, number, cpu] = this.fields;
    block.set(word + end, endNs);
    block.set(word + start, startNs);
    block.set(word + intended, intendedNs);
    block.set(word + number, sequence);
    block.words.fill(0xffffffff, word + cpu, word + cpu + 2); // -1: not known
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1].ns < heap[child].ns) ++child;
      if (heap[child].ns >= ns) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = { ns, word };
    this.leastNs = heap[0].ns;
  }
}

// Records calls as a trial does: distributions and the slowest calls.
class Histograms {
  constructor(block, closedLoop) {
    this.block = block;
    this.closedLoop = closedLoop;
    this.service = block.at('thread.service');
    this.response = block.at('thread.response');
    this.startLag = block.at('thread.start_lag');
    const longest = (name) =>
      new Longest(block, block.at(`thread.${name}`), block.memory.number(`thread.${name}_slots`));
    this.slowest = longest('slowest');
    this.slowestResponses = longest('slowest_responses');
  }

  record(sequence, intendedNs, startNs, endNs) {
    const serviceNs = endNs - startNs;
    this.block.count(this.service, serviceNs);
    if (serviceNs > this.slowest.leastNs) {
      this.slowest.keep(serviceNs, sequence, intendedNs, startNs, endNs);
    }
    if (this.closedLoop) return;
    const responseNs = endNs - intendedNs;
    this.block.count(this.response, responseNs);
    this.block.count(this.startLag, startNs - intendedNs);
    if (responseNs > this.slowestResponses.leastNs) {
      this.slowestResponses.keep(responseNs, sequence, intendedNs, startNs, endNs);
    }
  }
}

// Records calls as a duet does: all of them, within the turn's share of the log.
class CallLog {
  constructor(memory) {
    this.memory = memory;
    const turns = memory.number('turns.count') - memory.number('turns.warmup');
    this.room = Math.floor(memory.number('turns.max_calls') / turns);
    this.stride = memory.number('calls.stride');
    this.buffer = Buffer.alloc(this.room * this.stride);
    const fields = ['intended_ns', 'start_ns', 'end_ns'];
    this.fields = fields.map((name) => memory.number(`calls.${name}`));
    this.turnField = memory.number('calls.turn');
    this.written = 0;
    this.logged = 0;
    this.turn = 0;
  }

  beginTurn(number) {
    this.turn = number;
  }

  full() {
    return this.logged === this.room;
  }

  record(_sequence, ...times) {
    const at = this.logged++ * this.stride;
    for (let i = 0; i < 3; ++i) {
      this.buffer.writeUInt32LE(times[i] % UINT32, at + this.fields[i]);
      this.buffer.writeUInt32LE(Math.floor(times[i] / UINT32), at + this.fields[i] + 4);
    }
    this.buffer.writeUInt32LE(this.turn, at + this.turnField);
  }

  publish() {
    const { memory } = this;
    fs.writeSync(memory.file, this.buffer, 0, this.logged * this.stride,
      memory.number('calls.at') + this.written * this.stride);
    this.written += this.logged;
    this.logged = 0;
    memory.setUint64(memory.number('turn.logged'), this.written);
  }
}

// Builds events: all but the time before the call.
class Events {
  constructor(memory) {
    this.run = memory.number('run');
    this.isText = memory.text('encoding') === 'text';
    this.headerBytes = this.isText ? 64 : 32;
    const count = memory.number('schedule.sizes_each');
    const sizes = memory.scheduled(memory.number('schedule.sizes'), 2 * count);
    this.sizes = Uint16Array.from({ length: count }, (_, i) => sizes.readUInt16LE(2 * i));
    const largest = memory.number('max_event_bytes');
    this.body = memory.scheduled(memory.number('schedule.event'), largest);
    this.bodyText = this.body.toString('latin1');
    this.runText = letters(this.run);
  }

  prepare(sequence) {
    this.size = this.sizes[sequence % this.sizes.length];
    const word = MAGIC | (BigInt(this.size) << 32n); // of thread 0
    const number = BigInt(sequence);
    let hash = BigInt.asUintN(64, (word ^ BigInt(this.run)) * HASH_1);
    hash ^= BigInt.asUintN(64, (number + (hash >> 29n)) * HASH_2);
    hash ^= hash >> 32n;
    this.hash = Number(hash & 0xffffffffn);
    if (this.isText) {
      this.head = letters64(word) + letters64(number);
      this.tail = this.bodyText.slice(this.headerBytes, this.size);
    } else {
      this.event = Buffer.from(this.body.subarray(0, this.size));
      this.event.writeBigUInt64LE(word, 0);
      this.event.writeBigUInt64LE(number, 8);
    }
  }

  stamped(nowNs) {
    const low = nowNs >>> 0;
    const high = Math.floor(nowNs / UINT32);
    const check = (this.hash ^ low ^ high) >>> 0;
    if (this.isText) {
      return this.head + letters(low) + letters(high) + this.runText + letters(check) + this.tail;
    }
    this.event.writeUInt32LE(low, 16);
    this.event.writeUInt32LE(high, 20);
    this.event.writeUInt32LE(this.run, 24);
    this.event.writeUInt32LE(check, 28);
    return this.event;
  }
}

// Makes calls and counts them.
class Emitter {
  // announce(sequence): called before each call.
  constructor(memory, block, log, recorder, announce) {
    this.announce = announce;
    this.announced = -1;
    // Below 2^53 each difference is exact.
    const base = BigInt(memory.text('clock.base_ns'));
    this.baseS = Number(base / 1_000_000_000n);
    this.baseNs = Number(base % 1_000_000_000n);
    this.events = new Events(memory);
    this.block = block;
    this.log = log;
    this.recorder = recorder;
    this.sequence = 0;
    this.recorded = 0;
    this.causes = memory.number('thread.refused_causes');
    this.words = {};
    for (const name of ['started', 'finished', 'last_start_ns', 'last_end_ns', 'refused']) {
      this.words[name] = block.at(`thread.${name}`);
    }
  }

  nowNs() {
    const now = process.hrtime();
    return (now[0] - this.baseS) * 1e9 + (now[1] - this.baseNs);
  }

  prepare() {
    this.events.prepare(this.sequence);
  }

  // Writes that the next call begins, unless it has been written.
  begin() {
    if (this.announced === this.sequence) return;
    this.announced = this.sequence;
    this.announce(this.sequence);
  }

  emit(intendedNs, startNs, recorded) {
    const { block, words } = this;
    const event = this.events.stamped(startNs);
    const status = this.log.emit(0, event);
    const endNs = this.nowNs();
    block.set(words.last_start_ns, startNs);
    block.set(words.last_end_ns, endNs);
    block.set(words.started, this.sequence + 1);
    block.set(words.finished, this.sequence + 1);
    if (status) block.increment(words.refused + 2 * (Math.min(status, this.causes) - 1));
    if (recorded) {
      ++this.recorded;
      this.recorder.record(this.sequence, intendedNs, startNs, endNs);
    }
    ++this.sequence;
  }
}

// Waits for intended times, lets the event loop run, and publishes now and then.
class Pacer {
  constructor(memory, emitter, publish) {
    this.memory = memory;
    this.emitter = emitter;
    this.publish = publish;
    this.pacing = memory.text('load.pacing');
    this.stopped = false;
    this.spunNs = 0;
    this.publishedNs = emitter.nowNs();
    this.yieldedNs = this.publishedNs;
  }

  // Returns early if the load is stopped.
  async waitUntil(intendedNs) {
    let nowNs = this.emitter.nowNs();
    while (nowNs < intendedNs && !this.stopped) {
      const leftNs = intendedNs - nowNs;
      if (leftNs <= LONGEST_SLEEP_NS) this.emitter.begin();
      if (leftNs > TIMER_NS) this.publishAfter(PUBLISH_IDLE_NS, nowNs);
      const sleepNs =
        this.pacing === 'spin' ? 0 : this.pacing === 'sleep' ? leftNs : leftNs - TIMER_NS;
      if (sleepNs >= 1e6) {
        await after(Math.floor(Math.min(sleepNs, LONGEST_SLEEP_NS) / 1e6));
        nowNs = this.emitter.nowNs();
      } else {
        await soon();
        const spinningSince = nowNs;
        nowNs = this.emitter.nowNs();
        this.spunNs += nowNs - spinningSince;
      }
      this.yieldedNs = nowNs;
    }
  }

  // Between two calls that do not wait: whether the event loop is due.
  yieldDue(nowNs) {
    return nowNs - this.yieldedNs > YIELD_NS;
  }

  async yield(nowNs) {
    this.publishAfter(PUBLISH_BUSY_NS, nowNs);
    await soon();
    this.yieldedNs = this.emitter.nowNs();
  }

  publishAfter(intervalNs, nowNs) {
    if (nowNs - this.publishedNs < intervalNs) return;
    this.publish();
    this.stopped = this.memory.uint32('stop') !== 0;
    this.publishedNs = this.emitter.nowNs();
  }
}

class Trial {
  constructor(memory) {
    this.memory = memory;
    this.block = new Block(memory);
  }

  context() {
    const { memory } = this;
    const options = {};
    for (const [name, value] of memory.values) {
      if (name.startsWith('option.')) options[name.slice('option.'.length)] = value;
    }
    return {
      options,
      logPath: memory.text('log_path'),
      directory: memory.text('directory'),
      threads: memory.number('threads'),
      maxEventBytes: memory.number('max_event_bytes'),
      expectedBytes: memory.number('expected_bytes'),
      text: memory.text('encoding') === 'text',
    };
  }

  async run(open) {
    const { memory, block } = this;
    if (memory.number('threads') > 1) {
      throw new Error('this driver has one thread: describe the sink as single_threaded');
    }
    const self = fs.readlinkSync('/proc/thread-self').split('/').pop();
    memory.setUint32('thread.os_thread', Number(self));
    block.words[block.at('thread.os_thread')] = Number(self);
    fs.readSync(memory.wake, Buffer.alloc(1)); // the companion has bound the thread
    this.measureFloor();
    const log = await open(this.context());
    await log.warmUp?.(0);
    memory.setPhase('ready');
    const goNs = await this.go();
    if (goNs > 0) await this.load(log, goNs);
    block.publish();
    memory.setPhase('closing');
    await log.close();
    this.publishLosses(log.losses?.() ?? []);
    memory.setPhase('done');
    for (let i = 0; i < 5000 && memory.uint32('sampled') === 0; ++i) await after(1);
  }

  async go() {
    while (this.memory.uint64('go_ns') === 0) {
      if (this.memory.uint32('stop') !== 0) return 0;
      await after(1);
    }
    this.memory.setPhase('loading');
    return this.memory.uint64('go_ns');
  }

  publishLosses(losses) {
    const { memory } = this;
    const room = losses.slice(0, memory.number('losses.slots'));
    room.forEach(([cause, events], slot) => {
      const at = memory.number('losses.at') + slot * memory.number('losses.stride');
      memory.setText(at, memory.number('losses.cause_bytes'), cause);
      memory.setUint64(at + memory.number('losses.events'), events);
    });
    memory.setUint32('losses.count', room.length);
  }

  // The emit loop around a call that does nothing, and two clock reads.
  measureFloor() {
    const { memory } = this;
    const nothing = { emit: () => 0 };
    this.emitMany(nothing, WARM_EVENTS);
    const { loopNs, block } = this.emitMany(nothing, FLOOR_EVENTS);
    const service = (memory.number('thread.service') - block.begin);
    fs.writeSync(memory.file, block.bytes, service, 8 * (block.slots + 1),
      memory.number('floor.service'));
    const means = [];
    for (let batch = 0; batch < 101; ++batch) {
      const start = process.hrtime();
      for (let i = 0; i < 100; ++i) {
        process.hrtime();
        process.hrtime();
      }
      const [seconds, rest] = process.hrtime(start);
      means.push((seconds * 1e9 + rest) / 100);
    }
    memory.setDouble('floor.loop_ns', loopNs);
    memory.setDouble('floor.two_clock_reads_ns', means.sort((a, b) => a - b)[50]);
  }

  emitMany(log, events) {
    const block = new Block(this.memory);
    const startedAt = this.memory.number('thread.started');
    const emitter = new Emitter(this.memory, block, log, new Histograms(block, true), () =>
      this.memory.setUint64(startedAt, 0), // costs the same as a number
    );
    const startNs = emitter.nowNs();
    for (let i = 0; i < events; ++i) {
      emitter.prepare();
      emitter.begin();
      const nowNs = emitter.nowNs();
      emitter.emit(nowNs, nowNs, true);
    }
    return { loopNs: (emitter.nowNs() - startNs) / events, block };
  }

  async load(log, goNs) {
    const { memory, block } = this;
    const closedLoop = memory.number('load.closed_loop') !== 0;
    const startedAt = memory.number('thread.started');
    const announce = (sequence) => memory.setUint64(startedAt, sequence + 1);
    if (memory.number('turns.count') > 0) {
      const calls = new CallLog(memory);
      await this.turns(new Emitter(memory, block, log, calls, announce), calls, closedLoop);
      return;
    }
    const histograms = new Histograms(block, closedLoop);
    const emitter = new Emitter(memory, block, log, histograms, announce);
    const pacer = new Pacer(memory, emitter, () => block.publish());
    const recordStartNs = memory.number('load.record_start_ns');
    if (!closedLoop) {
      await this.callOnTime(emitter, pacer, memory.times(0), {
        beginNs: goNs,
        giveUpNs: goNs + memory.number('load.give_up_ns'),
        recordFromNs: recordStartNs,
        full: () => false,
      });
      return;
    }
    const events = memory.number('load.events');
    await this.callAtOnce(emitter, pacer, {
      beginNs: goNs,
      endNs: goNs + memory.number('load.end_ns'),
      recordFromNs: recordStartNs,
      batchCalls: memory.number('load.batch_calls'),
      pauseNs: memory.number('load.pause_ns'),
      full: () => events > 0 && emitter.recorded === events,
    });
  }

  // Makes the calls of a list of times.
  async callOnTime(emitter, pacer, times, { beginNs, giveUpNs, recordFromNs, full }) {
    const { block } = this;
    for (let i = 0; i < times.length; ++i) {
      const intendedNs = beginNs + times[i];
      block.set(block.at('thread.last_intended_ns'), intendedNs);
      emitter.prepare();
      const nowNs = emitter.nowNs();
      if (nowNs < intendedNs) {
        await pacer.waitUntil(intendedNs);
      } else if (pacer.yieldDue(nowNs)) {
        await pacer.yield(nowNs);
      }
      emitter.begin();
      const startNs = emitter.nowNs();
      if (pacer.stopped) return;
      if (startNs > giveUpNs || full()) {
        const unissued = block.at('thread.unissued');
        block.set(unissued, block.get(unissued) + times.length - i);
        return;
      }
      emitter.emit(intendedNs, startNs, times[i] >= recordFromNs);
      block.set(block.at('thread.spun_ns'), pacer.spunNs);
    }
  }

  // Makes one call after the other, in batches if batchCalls is not 0.
  async callAtOnce(
    emitter, pacer, { beginNs, endNs, recordFromNs, batchCalls = 0, pauseNs = 0, full }) {
    const { block } = this;
    let untilPause = batchCalls; // from 0 it counts down for ever
    await pacer.waitUntil(beginNs);
    while (!full() && !pacer.stopped) {
      emitter.prepare();
      const nowNs = emitter.nowNs();
      if (pacer.yieldDue(nowNs)) await pacer.yield(nowNs);
      emitter.begin();
      const startNs = emitter.nowNs();
      if (startNs >= endNs) return;
      emitter.emit(startNs, startNs, startNs >= beginNs + recordFromNs);
      untilPause -= 1;
      if (untilPause === 0) {
        await pacer.waitUntil(emitter.nowNs() + pauseNs);
        block.set(block.at('thread.spun_ns'), pacer.spunNs);
        untilPause = batchCalls;
      }
    }
  }

  // Returns whether the turn is granted; no if the load is stopped.
  async granted(number) {
    const { memory } = this;
    while (memory.uint32('stop') === 0) {
      if (memory.uint32('turn.granted') > number) return true;
      const { bytesRead } = await read(memory.wake, Buffer.alloc(1), 0, 1, null);
      if (bytesRead === 0) return false;
    }
    return false;
  }

  async turns(emitter, calls, closedLoop) {
    const { memory, block } = this;
    const count = memory.number('turns.count');
    const warmup = memory.number('turns.warmup');
    const pacer = new Pacer(memory, emitter, () => {}); // at the end of each turn
    const times = [];
    for (let number = 0; number < count; ++number) times.push(memory.times(number));
    for (let number = 0; number < count; ++number) {
      if (!(await this.granted(number))) return;
      const beginNs = emitter.nowNs() + memory.number('turns.lead_ns');
      calls.beginTurn(number - warmup);
      const plan = {
        beginNs,
        endNs: beginNs + memory.number('turns.length_ns'),
        giveUpNs: beginNs + memory.number('turns.give_up_ns'),
        recordFromNs: number < warmup ? Infinity : 0,
        full: () => calls.full(),
      };
      await (closedLoop
        ? this.callAtOnce(emitter, pacer, plan)
        : this.callOnTime(emitter, pacer, times[number], plan));
      calls.publish();
      block.publish();
      memory.setUint32('turn.done', number + 1);
      fs.writeSync(memory.told, 'd');
    }
    await this.granted(count); // closing must not disturb the other side's turns
  }
}
