package tailgate;

import static tailgate.TailgateMemory.INTS;
import static tailgate.TailgateMemory.LONGS;
import static tailgate.TailgateMemory.WORDS;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import tailgate.TailgateRecords.Block;
import tailgate.TailgateRecords.CallLog;
import tailgate.TailgateRecords.Histograms;
import tailgate.TailgateRecords.Recorder;

/**
 * Makes the calls of a tailgate trial from Java: the driver of a sink that is a Java program.
 *
 * <pre>
 *   public final class MyLog implements TailgateDriver.Logger {
 *     MyLog(TailgateDriver.Context context) { … open the log at context.logPath }
 *     public int emit(int thread, String event) { … log the event; return 0 }
 *     public void close() { … hand over all that is buffered }
 *     public static void main(String[] arguments) { TailgateDriver.run(MyLog::new); }
 *   }
 * </pre>
 *
 * A TOML file describes the sink, and tailgate starts the program: see README.md of tailgate's
 * providers/plugin. drivers/README.md describes the memory that this class reads and writes.
 */
public final class TailgateDriver {
  /** The measured path. */
  public interface Logger {
    /** Called by each load thread before its first event. */
    default void warmUp(int thread) throws Exception {}

    /** Logs one event of the text encoding. Returns 0, or a refusal's cause, from 1. */
    default int emit(int thread, String event) throws Exception {
      throw new UnsupportedOperationException("the sink has no ability text_events");
    }

    /** The same for the binary encoding: the first sizeBytes of event, valid during the call. */
    default int emit(int thread, byte[] event, int sizeBytes) throws Exception {
      throw new UnsupportedOperationException("the sink's events are bytes");
    }

    /** Called once, after the last event. */
    void close() throws Exception;

    /** What was lost after emit took it: causes and numbers of events; complete after close. */
    default Map<String, Long> losses() {
      return Map.of();
    }
  }

  /** Opens the logger. */
  public interface Factory {
    Logger open(Context context) throws Exception;
  }

  /** What a logger may know of the trial. */
  public static final class Context {
    public final String logPath;
    public final String directory;
    public final int threads;
    public final int maxEventBytes;
    public final long expectedBytes;
    public final boolean text;
    private final TailgateMemory described;

    private Context(TailgateMemory described) {
      this.described = described;
      logPath = described.text("log_path");
      directory = described.text("directory");
      threads = (int) described.number("threads");
      maxEventBytes = (int) described.number("max_event_bytes");
      expectedBytes = described.number("expected_bytes");
      text = described.text("encoding").equals("text");
    }

    /** The value of one of the sink's options. */
    public String option(String name) {
      return described.text("option." + name);
    }
  }

  /** Makes the calls of one trial, and ends the program. */
  public static void run(Factory factory) {
    String path = System.getenv("TAILGATE_DRIVER");
    if (path == null) {
      System.err.println("TAILGATE_DRIVER is not set: tailgate starts this program, by the sink's "
          + "TOML file (tailgate run steady --sink ./mylog.toml)");
      Runtime.getRuntime().halt(1);
    }
    int code = 0;
    try {
      new TailgateDriver(new TailgateMemory(Path.of(path))).makeCalls(factory);
    } catch (Throwable failure) {
      failure.printStackTrace();
      code = 1;
    }
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(code);  // the load threads still wait
  }

  private static final int WARM_EVENTS = 100_000;
  private static final int FLOOR_EVENTS = 50_000;
  private static final long WAKE_EARLY_NS = 200_000;  // by how much a sleep may be too long
  private static final long LONGEST_SLEEP_NS = 50_000_000;

  private final TailgateMemory described;
  private final ByteBuffer memory;
  private final ByteBuffer schedule;
  private final InputStream wake;
  private final OutputStream told;
  private final Context context;
  private final CountDownLatch bound = new CountDownLatch(1);
  private final CountDownLatch floorMeasured = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);
  private final CountDownLatch warm;
  private final CountDownLatch loaded;
  private final int stopAt;
  private volatile Logger logger;
  private volatile Throwable failure;

  private TailgateDriver(TailgateMemory described) throws IOException {
    this.described = described;
    memory = described.memory;
    schedule = described.schedule;
    wake = new FileInputStream(described.text("wake.path"));
    told = new FileOutputStream(described.text("told.path"));
    context = new Context(described);
    warm = new CountDownLatch(context.threads);
    loaded = new CountDownLatch(context.threads);
    stopAt = at("stop");
  }

  private int at(String name) {
    return described.at(name);
  }

  private boolean stopped() {
    return (int) INTS.getAcquire(memory, stopAt) != 0 || failure != null;
  }

  private void makeCalls(Factory factory) throws Throwable {
    try {
      runTrial(factory);
    } catch (Throwable thrown) {
      described.setText(at("provider.error"), at("provider.error_bytes"), thrown.toString());
      described.setPhase("failed");
      throw thrown;
    }
  }

  private void runTrial(Factory factory) throws Throwable {
    for (int i = 0; i < context.threads; ++i) {
      LoadThread thread = new LoadThread(i);
      thread.setDaemon(true);
      thread.start();
    }
    wake.read();  // the companion has bound the threads to their processors
    bound.countDown();
    floorMeasured.await();
    throwFailure();
    logger = factory.open(context);
    opened.countDown();
    warm.await();
    throwFailure();
    described.setPhase("ready");
    loaded.await();
    throwFailure();
    described.setPhase("closing");
    logger.close();
    publishLosses();
    described.setPhase("done");
    int sampledAt = at("sampled");
    long limit = System.nanoTime() + 5_000_000_000L;
    while ((int) INTS.getAcquire(memory, sampledAt) == 0 && System.nanoTime() < limit) {
      LockSupport.parkNanos(500_000);
    }
  }

  private void throwFailure() throws Throwable {
    if (failure != null) throw failure;
  }

  private void publishLosses() {
    int slot = 0;
    for (Map.Entry<String, Long> loss : logger.losses().entrySet()) {
      if (slot == at("losses.slots")) break;
      int begin = at("losses.at") + slot++ * at("losses.stride");
      described.setText(begin, at("losses.cause_bytes"), loss.getKey());
      LONGS.setOpaque(memory, begin + at("losses.events"), (long) loss.getValue());
    }
    INTS.setRelease(memory, at("losses.count"), slot);
  }

  /** Builds the events of one thread and makes its calls. */
  private final class Emitter {
    private static final long MAGIC = 0x31474C54L;
    private final long baseNs = described.number("clock.base_ns");
    private final long run = described.number("run");
    private final boolean text = context.text;
    private final int thread;
    private final Block block;
    private final Logger log;
    private final Recorder recorder;
    private final int[] sizes = new int[at("schedule.sizes_each")];
    private final byte[] event = new byte[context.maxEventBytes];
    private int size;
    private long hash;
    private long sequence;
    long recorded;

    Emitter(int thread, Block block, Logger log, Recorder recorder) {
      this.thread = thread;
      this.block = block;
      this.log = log;
      this.recorder = recorder;
      ByteBuffer source = schedule.duplicate().order(ByteOrder.LITTLE_ENDIAN);
      source.position(at("schedule.event"));
      source.get(event);
      int first = at("schedule.sizes") + 2 * sizes.length * thread;
      for (int i = 0; i < sizes.length; ++i) sizes[i] = source.getShort(first + 2 * i) & 0xFFFF;
    }

    /** Does the work for the next event that does not need its time. */
    void prepare() {
      size = sizes[(int) (sequence & (sizes.length - 1))];
      long word = MAGIC | (long) size << 32 | (long) thread << 48;
      putWord(0, word);
      putWord(1, sequence);
      long hashed = (word ^ run) * 0x9E3779B97F4A7C15L;
      hashed ^= (sequence + (hashed >>> 29)) * 0x6A09E667F3BCC909L;
      hash = hashed ^ hashed >>> 32;
    }

    private void putWord(int index, long word) {
      if (text) {
        WORDS.set(event, 16 * index, letters(word & 0xFFFFFFFFL));
        WORDS.set(event, 16 * index + 8, letters(word >>> 32));
      } else {
        WORDS.set(event, 8 * index, word);
      }
    }

    /** Encodes 4 bytes as 8 letters, low half byte first. */
    private static long letters(long value) {
      long spread = (value | value << 16) & 0x0000FFFF0000FFFFL;
      spread = (spread | spread << 8) & 0x00FF00FF00FF00FFL;
      spread = (spread | spread << 4) & 0x0F0F0F0F0F0F0F0FL;
      return spread + 0x6161616161616161L;
    }

    void emit(long intendedNs, long startNs, boolean record) throws Exception {
      putWord(2, startNs);
      putWord(3, run | ((hash ^ startNs ^ startNs >>> 32) & 0xFFFFFFFFL) << 32);
      block.set(block.lastStart, startNs);
      block.set(block.started, sequence + 1);
      int status = text
          ? log.emit(thread, new String(event, 0, size, StandardCharsets.ISO_8859_1))
          : log.emit(thread, event, size);
      long endNs = nowNs();
      if (status != 0) block.add(block.refused + 8 * (Math.min(status, block.causes) - 1), 1);
      block.set(block.finished, sequence + 1);
      block.set(block.lastEnd, endNs);
      if (record) {
        ++recorded;
        recorder.record(sequence, intendedNs, startNs, endNs);
      }
      ++sequence;
    }

    long nowNs() {
      return System.nanoTime() - baseNs;
    }
  }

  private final class Pacer {
    private final long earlyNs;
    private final Emitter emitter;
    long spunNs;

    Pacer(Emitter emitter) {
      this.emitter = emitter;
      String pacing = described.text("load.pacing");
      earlyNs = pacing.equals("spin") ? Long.MAX_VALUE
          : pacing.equals("hybrid") ? WAKE_EARLY_NS : 0;
    }

    /** Returns the last time read; early if the load is stopped. */
    long waitUntil(long intendedNs) {
      long now = emitter.nowNs();
      while (now < intendedNs && !stopped()) {
        long left = intendedNs - now;
        long before = now;
        if (left > earlyNs) {
          LockSupport.parkNanos(Math.min(left - earlyNs, LONGEST_SLEEP_NS));
          now = emitter.nowNs();
        } else {
          Thread.onSpinWait();
          now = emitter.nowNs();
          spunNs += now - before;
        }
      }
      return now;
    }
  }

  /** The intended times of a thread or a turn, relative to its start. */
  private final class Times {
    private final int begin;
    final int count;

    Times(int list) {
      int first = at("schedule.first") + 8 * list;
      begin = at("schedule.times") + 8 * (int) schedule.getLong(first);
      count = (int) (schedule.getLong(first + 8) - schedule.getLong(first));
    }

    long offsetNs(int index) {
      return schedule.getLong(begin + 8 * index);
    }
  }

  private final class LoadThread extends Thread {
    private final int number;
    private final int shift;

    LoadThread(int number) {
      super("tg-load-" + number);
      this.number = number;
      shift = number * at("thread.stride");
    }

    @Override
    public void run() {
      try {
        load();
      } catch (Throwable thrown) {
        failure = thrown;
      }
      floorMeasured.countDown();
      warm.countDown();
      loaded.countDown();
      while (true) LockSupport.park();  // the system forgets the counters of a thread that ended
    }

    private void load() throws Exception {
      String self = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
      INTS.setRelease(memory, at("thread.os_thread") + shift, Integer.parseInt(self));
      bound.await();
      if (number == 0) {
        measureFloor();
        floorMeasured.countDown();
      }
      opened.await();
      logger.warmUp(number);
      warm.countDown();
      long goNs = waitForGo();
      if (goNs == 0) return;
      Block block = new Block(described, memory, shift);
      boolean closedLoop = described.number("load.closed_loop") != 0;
      if (at("turns.count") > 0) {
        CallLog calls = new CallLog(described);
        driveTurns(new Emitter(number, block, logger, calls), block, calls, closedLoop);
        return;
      }
      Histograms histograms = new Histograms(described, block, shift, closedLoop);
      Emitter emitter = new Emitter(number, block, logger, histograms);
      if (closedLoop) {
        closedLoop(emitter, block, goNs);
      } else {
        openLoop(emitter, block, goNs);
      }
    }

    private long waitForGo() {
      int goAt = at("go_ns");
      long goNs = 0;
      while ((goNs = (long) LONGS.getAcquire(memory, goAt)) == 0) {
        if (stopped()) return 0;
        LockSupport.parkNanos(200_000);
      }
      described.setPhase("loading");
      return goNs;
    }

    /** The emit loop around a call that does nothing, and two clock reads. */
    private void measureFloor() throws Exception {
      int first = at("thread.started");
      ByteBuffer own =
          ByteBuffer.allocateDirect(at("thread.stride")).order(ByteOrder.LITTLE_ENDIAN);
      Logger nothing = new Nothing();
      emitMany(nothing, own, -first, WARM_EVENTS);
      int words = at("histogram.slots") + 1;
      int service = at("thread.service") - first;
      for (int i = 0; i < words; ++i) own.putLong(service + 8 * i, 0);
      double loopNs = emitMany(nothing, own, -first, FLOOR_EVENTS);
      for (int i = 0; i < words; ++i) {
        memory.putLong(at("floor.service") + 8 * i, own.getLong(service + 8 * i));
      }
      memory.putDouble(at("floor.loop_ns"), loopNs);
      memory.putDouble(at("floor.two_clock_reads_ns"), twoClockReadsNs());
    }

    private double emitMany(Logger log, ByteBuffer buffer, int shift, int events)
        throws Exception {
      Block block = new Block(described, buffer, shift);
      Emitter emitter = new Emitter(0, block, log, new Histograms(described, block, shift, true));
      long startNs = emitter.nowNs();
      for (int i = 0; i < events; ++i) {
        emitter.prepare();
        long nowNs = emitter.nowNs();
        emitter.emit(nowNs, nowNs, true);
      }
      return (double) (emitter.nowNs() - startNs) / events;
    }

    private double twoClockReadsNs() {
      double[] means = new double[101];
      long sum = 0;
      for (int batch = 0; batch < means.length; ++batch) {
        long startNs = System.nanoTime();
        for (int i = 0; i < 100; ++i) sum += System.nanoTime() ^ System.nanoTime();
        means[batch] = (System.nanoTime() - startNs) / 100.0;
      }
      if (sum == 0) System.out.print("");  // keeps the reads
      Arrays.sort(means);
      return means[means.length / 2];
    }

    private void openLoop(Emitter emitter, Block block, long goNs) throws Exception {
      long giveUpNs = described.number("load.give_up_ns");
      long giveUpAtNs = giveUpNs < 0 ? Long.MAX_VALUE : goNs + giveUpNs;
      long recordFromNs = described.number("load.record_start_ns");
      callOnTime(emitter, block, new Pacer(emitter), new Times(number), goNs, giveUpAtNs,
          recordFromNs, null);
    }

    /** Makes the calls of a list of times. calls: of a duet, else null. */
    private void callOnTime(Emitter emitter, Block block, Pacer pacer, Times times, long beginNs,
        long giveUpAtNs, long recordFromNs, CallLog calls) throws Exception {
      for (int i = 0; i < times.count; ++i) {
        long offsetNs = times.offsetNs(i);
        long intendedNs = beginNs + offsetNs;
        block.set(block.lastIntended, intendedNs);
        emitter.prepare();
        long startNs = pacer.waitUntil(intendedNs);
        block.set(block.spun, pacer.spunNs);
        if (stopped()) return;
        if (startNs > giveUpAtNs || (calls != null && calls.full())) {
          block.add(block.unissued, times.count - i);
          return;
        }
        emitter.emit(intendedNs, startNs, offsetNs >= recordFromNs);
      }
    }

    private void closedLoop(Emitter emitter, Block block, long goNs) throws Exception {
      long events = described.number("load.events");
      long share = events / context.threads + (number < events % context.threads ? 1 : 0);
      long wanted = events > 0 ? share : Long.MAX_VALUE;
      long endNs = described.number("load.end_ns");
      long endAtNs = endNs < 0 ? Long.MAX_VALUE : goNs + endNs;
      long recordAtNs = goNs + described.number("load.record_start_ns");
      long batchCalls = described.number("load.batch_calls");
      long pauseNs = described.number("load.pause_ns");
      long untilPause = batchCalls;  // from 0 it counts down for ever
      Pacer pacer = new Pacer(emitter);
      pacer.waitUntil(goNs);
      while (emitter.recorded < wanted && !stopped()) {
        emitter.prepare();
        long startNs = emitter.nowNs();
        if (startNs >= endAtNs) return;
        emitter.emit(startNs, startNs, startNs >= recordAtNs);
        if (--untilPause == 0) {
          pacer.waitUntil(emitter.nowNs() + pauseNs);
          block.set(block.spun, pacer.spunNs);
          untilPause = batchCalls;
        }
      }
    }

    /** Returns whether the turn is granted; no if the load is stopped. */
    private boolean waitForTurn(int turn) throws IOException {
      int grantedAt = at("turn.granted");
      while (!stopped()) {
        if ((int) INTS.getAcquire(memory, grantedAt) > turn) return true;
        if (wake.read() < 0) return false;
      }
      return false;
    }

    private void driveTurns(Emitter emitter, Block block, CallLog calls, boolean closedLoop)
        throws Exception {
      int count = at("turns.count");
      int warmup = at("turns.warmup");
      Pacer pacer = new Pacer(emitter);
      for (int turn = 0; turn < count; ++turn) {
        if (!waitForTurn(turn)) return;
        long startNs = emitter.nowNs() + described.number("turns.lead_ns");
        calls.beginTurn(turn - warmup);
        if (closedLoop) {
          closedTurn(emitter, pacer, calls, startNs, turn >= warmup);
        } else {
          callOnTime(emitter, block, pacer, new Times(turn), startNs,
              startNs + described.number("turns.give_up_ns"), turn < warmup ? Long.MAX_VALUE : 0,
              calls);
        }
        block.set(block.spun, pacer.spunNs);
        INTS.setRelease(memory, at("turn.done"), turn + 1);
        told.write('d');
      }
      waitForTurn(count);  // closing must not disturb the other side's turns
    }

    private void closedTurn(Emitter emitter, Pacer pacer, CallLog calls, long turnStartNs,
        boolean record) throws Exception {
      long endNs = turnStartNs + described.number("turns.length_ns");
      pacer.waitUntil(turnStartNs);
      while (!stopped() && !calls.full()) {
        emitter.prepare();
        long startNs = emitter.nowNs();
        if (startNs >= endNs) return;
        emitter.emit(startNs, startNs, record);
      }
    }
  }

  /** For the floor. It keeps the event, so that the compiler cannot leave its string out. */
  private static final class Nothing implements Logger {
    private String kept;

    @Override
    public int emit(int thread, String event) {
      kept = event;
      return 0;
    }

    @Override
    public int emit(int thread, byte[] event, int sizeBytes) {
      return 0;
    }

    @Override
    public void close() {}
  }
}
