package tailgate;

import static tailgate.TailgateMemory.INTS;
import static tailgate.TailgateMemory.LONGS;

import java.nio.ByteBuffer;

/** What a load thread writes into the shared memory. */
final class TailgateRecords {
  private TailgateRecords() {}

  /** Takes calls that were made. */
  interface Recorder {
    void record(long sequence, long intendedNs, long startNs, long endNs);
  }

  /** The calls with the longest times: a heap whose top is the shortest of them. */
  static final class Longest {
    private final ByteBuffer buffer;
    private final int[] slots;
    private final long[] times;
    private final int end;
    private final int start;
    private final int intended;
    private final int number;
    private final int cpu;

    Longest(TailgateMemory described, ByteBuffer buffer, int at, int count) {
      this.buffer = buffer;
      end = described.at("slow.end_ns");
      start = described.at("slow.start_ns");
      intended = described.at("slow.intended_ns");
      number = described.at("slow.sequence");
      cpu = described.at("slow.cpu");
      slots = new int[count];
      times = new long[count];
      for (int i = 0; i < count; ++i) slots[i] = at + i * described.at("slow.stride");
    }

    void offer(long ns, long sequence, long intendedNs, long startNs, long endNs) {
      if (slots.length == 0 || ns <= times[0]) return;
      int slot = slots[0];
      LONGS.setRelease(buffer, slot + end, 0L);  // readers ignore the slot while it is written
      LONGS.setRelease(buffer, slot + start, startNs);
      LONGS.setOpaque(buffer, slot + intended, intendedNs);
      LONGS.setOpaque(buffer, slot + number, sequence);
      LONGS.setOpaque(buffer, slot + cpu, -1L);  // not known
      LONGS.setRelease(buffer, slot + end, endNs);
      replaceTop(ns, slot);
    }

    private void replaceTop(long ns, int slot) {
      int at = 0;
      for (int child = 1; child < times.length; child = 2 * at + 1) {
        if (child + 1 < times.length && times[child + 1] < times[child]) ++child;
        if (times[child] >= ns) break;
        times[at] = times[child];
        slots[at] = slots[child];
        at = child;
      }
      times[at] = ns;
      slots[at] = slot;
    }
  }

  /** The fields that one load thread writes: in the shared memory, or for the floor in another. */
  static final class Block {
    final ByteBuffer buffer;
    final int started;
    final int finished;
    final int lastStart;
    final int lastEnd;
    final int lastIntended;
    final int spun;
    final int unissued;
    final int refused;
    final int causes;

    Block(TailgateMemory described, ByteBuffer buffer, int shift) {
      this.buffer = buffer;
      causes = described.at("thread.refused_causes");
      started = described.at("thread.started") + shift;
      finished = described.at("thread.finished") + shift;
      lastStart = described.at("thread.last_start_ns") + shift;
      lastEnd = described.at("thread.last_end_ns") + shift;
      lastIntended = described.at("thread.last_intended_ns") + shift;
      spun = described.at("thread.spun_ns") + shift;
      unissued = described.at("thread.unissued") + shift;
      refused = described.at("thread.refused") + shift;
    }

    void set(int at, long value) {
      LONGS.setOpaque(buffer, at, value);
    }

    void add(int at, long value) {
      LONGS.setOpaque(buffer, at, (long) LONGS.getOpaque(buffer, at) + value);
    }
  }

  /** Records calls as a trial does: distributions and the slowest calls. */
  static final class Histograms implements Recorder {
    private final Block block;
    private final boolean closedLoop;
    private final int service;
    private final int response;
    private final int startLag;
    private final Longest slowest;
    private final Longest slowestResponses;
    private final long slots;
    private final long mask;
    private final long half;
    private final long perDoubling;
    private final long offset;

    Histograms(TailgateMemory described, Block block, int shift, boolean closedLoop) {
      this.block = block;
      slots = described.number("histogram.slots");
      mask = described.number("histogram.mask");
      half = described.number("histogram.half_magnitude");
      perDoubling = described.number("histogram.slots_per_doubling");
      offset = described.number("histogram.offset");
      this.closedLoop = closedLoop;
      service = described.at("thread.service") + shift;
      response = described.at("thread.response") + shift;
      startLag = described.at("thread.start_lag") + shift;
      slowest = new Longest(described, block.buffer, described.at("thread.slowest") + shift,
          described.at("thread.slowest_slots"));
      slowestResponses = new Longest(described, block.buffer,
          described.at("thread.slowest_responses") + shift,
          described.at("thread.slowest_responses_slots"));
    }

    private void count(int at, long value) {
      int top = 63 - Long.numberOfLeadingZeros(value | mask);
      long slot = (value >>> (top - half)) + top * perDoubling - offset;
      block.add(at + 8 * (int) Math.min(slot, slots), 1);
    }

    @Override
    public void record(long sequence, long intendedNs, long startNs, long endNs) {
      count(service, endNs - startNs);
      slowest.offer(endNs - startNs, sequence, intendedNs, startNs, endNs);
      if (closedLoop) return;
      count(response, endNs - intendedNs);
      count(startLag, startNs - intendedNs);
      slowestResponses.offer(endNs - intendedNs, sequence, intendedNs, startNs, endNs);
    }
  }

  /** Records calls as a duet does: all of them, within the turn's share of the log. */
  static final class CallLog implements Recorder {
    private final ByteBuffer memory;
    private final int begin;
    private final int stride;
    private final int intended;
    private final int start;
    private final int end;
    private final int turnField;
    private final int loggedAt;
    private final long room;
    private long logged;
    private long fullAt;
    private int turn;

    CallLog(TailgateMemory described) {
      memory = described.memory;
      begin = described.at("calls.at");
      stride = described.at("calls.stride");
      intended = described.at("calls.intended_ns");
      start = described.at("calls.start_ns");
      end = described.at("calls.end_ns");
      turnField = described.at("calls.turn");
      loggedAt = described.at("turn.logged");
      room = described.number("turns.max_calls")
          / (described.at("turns.count") - described.at("turns.warmup"));
    }

    void beginTurn(int number) {
      turn = number;
      fullAt = logged + room;
    }

    boolean full() {
      return logged == fullAt;
    }

    @Override
    public void record(long sequence, long intendedNs, long startNs, long endNs) {
      int at = begin + (int) logged * stride;
      LONGS.setOpaque(memory, at + intended, intendedNs);
      LONGS.setOpaque(memory, at + start, startNs);
      LONGS.setOpaque(memory, at + end, endNs);
      INTS.setOpaque(memory, at + turnField, turn);
      LONGS.setRelease(memory, loggedAt, ++logged);
    }
  }
}
