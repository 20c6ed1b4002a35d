import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.async.DiscardingAsyncQueueFullPolicy;
import tailgate.TailgateDriver;

/** log4j2 as a sink: in the caller, or by its disruptor, whose full ring blocks or discards. */
public final class Log4j2 implements TailgateDriver.Logger {
  /** The policy that discards, and counts, where its count can be read. */
  public static final class Counted extends DiscardingAsyncQueueFullPolicy {
    private static Counted policy;

    public Counted() {
      super(Level.INFO);
      policy = this;
    }
  }

  private static final String CONFIGURATION = "<Configuration><Appenders>%s"
      + "<PatternLayout pattern=\"%%d{ISO8601} %%-5level %%msg%%n\"/>%s</Appenders>"
      + "<Loggers><Root level=\"info\"><AppenderRef ref=\"log\"/></Root></Loggers></Configuration>";

  private final Logger log;

  Log4j2(TailgateDriver.Context context) throws IOException {
    String mode = context.option("mode");
    boolean sync = mode.equals("sync");
    String file = context.option("destination").equals("null") ? "/dev/null" : context.logPath;
    // As its manual advises: with the disruptor a batch is flushed at its end.
    String appender = sync
        ? "<File name=\"log\" fileName=\"" + file + "\">"
        : "<RandomAccessFile name=\"log\" fileName=\"" + file + "\" immediateFlush=\"false\">";
    Path settings = Path.of(context.directory, "log4j2.xml");
    Files.writeString(settings, String.format(CONFIGURATION, appender,
        sync ? "</File>" : "</RandomAccessFile>"));
    System.setProperty("log4j2.configurationFile", settings.toString());
    if (!sync) {
      System.setProperty("log4j2.contextSelector",
          "org.apache.logging.log4j.core.async.AsyncLoggerContextSelector");
      System.setProperty("log4j2.asyncLoggerRingBufferSize", context.option("queue_events"));
    }
    if (mode.equals("async_discard")) {
      System.setProperty("log4j2.asyncQueueFullPolicy", Counted.class.getName());
    }
    log = LogManager.getLogger("app");
  }

  @Override
  public int emit(int thread, String event) {
    log.info(event);
    return 0;
  }

  @Override
  public void close() {
    LogManager.shutdown();  // writes what is queued
  }

  @Override
  public Map<String, Long> losses() {
    return Counted.policy == null
        ? Map.of() : Map.of("ring full", DiscardingAsyncQueueFullPolicy.getDiscardCount(Counted.policy));
  }

  public static void main(String[] arguments) {
    TailgateDriver.run(Log4j2::new);
  }
}
