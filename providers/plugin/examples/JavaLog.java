import java.io.IOException;
import java.util.logging.FileHandler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import tailgate.TailgateDriver;

/** java.util.logging with a FileHandler, as a sink. */
public final class JavaLog implements TailgateDriver.Logger {
  private final Logger log = Logger.getLogger("java_log");
  private final FileHandler handler;
  private final long sleepUs;

  JavaLog(TailgateDriver.Context context) throws IOException {
    sleepUs = Long.parseLong(context.option("sleep_us"));
    System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT %4$s %5$s%n");
    handler = new FileHandler(context.logPath, true);
    handler.setFormatter(new SimpleFormatter());
    log.setUseParentHandlers(false);
    log.addHandler(handler);
  }

  @Override
  public int emit(int thread, String event) throws InterruptedException {
    if (sleepUs > 0) Thread.sleep(sleepUs / 1000, (int) (sleepUs % 1000) * 1000);
    log.log(Level.INFO, event);
    return 0;
  }

  @Override
  public void close() {
    handler.close();
  }

  public static void main(String[] arguments) {
    TailgateDriver.run(JavaLog::new);
  }
}
