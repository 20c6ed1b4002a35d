import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import org.slf4j.LoggerFactory;
import tailgate.TailgateDriver;

/** logback as a sink: in the caller, or behind its AsyncAppender. */
public final class Logback implements TailgateDriver.Logger {
  private final LoggerContext library = (LoggerContext) LoggerFactory.getILoggerFactory();
  private final Logger log = library.getLogger("app");

  Logback(TailgateDriver.Context context) {
    library.reset();
    PatternLayoutEncoder line = new PatternLayoutEncoder();
    line.setContext(library);
    line.setPattern("%d{ISO8601} %-5level %msg%n");
    line.start();
    FileAppender<ILoggingEvent> file = new FileAppender<>();
    file.setContext(library);
    file.setFile(context.option("destination").equals("null") ? "/dev/null" : context.logPath);
    file.setEncoder(line);
    file.start();
    String mode = context.option("mode");
    if (mode.equals("sync")) {
      log.addAppender(file);
    } else {
      AsyncAppender queue = new AsyncAppender();
      queue.setContext(library);
      queue.setQueueSize(Integer.parseInt(context.option("queue_events")));
      // By default it discards what is INFO or less when a fifth of the queue is left.
      if (mode.equals("async_block")) queue.setDiscardingThreshold(0);
      queue.setMaxFlushTime(60_000);  // when it stops; ms
      queue.addAppender(file);
      queue.start();
      log.addAppender(queue);
    }
    log.setAdditive(false);
    log.setLevel(Level.INFO);
  }

  @Override
  public int emit(int thread, String event) {
    log.info(event);
    return 0;
  }

  @Override
  public void close() {
    library.stop();  // writes what is queued
  }

  public static void main(String[] arguments) {
    TailgateDriver.run(Logback::new);
  }
}
