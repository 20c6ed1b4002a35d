// What HdrHistogram's Java implementation makes of known value sets: the truth against which
// tailgate's histogram is tested. The sets are those of hdr_reference.cpp, number by number.
//
//   java -cp hdrhistogram.jar HdrReference.java figures        one line a set: figures and encodings
//   java -cp hdrhistogram.jar HdrReference.java percentiles    the distribution of set "exponential"
//   java -cp hdrhistogram.jar HdrReference.java write FILE     an .hlog file, one set an interval
//   java -cp hdrhistogram.jar HdrReference.java read FILE      figures of an .hlog file's intervals
import java.io.FileNotFoundException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

public class HdrReference {
  static final double[] QUANTILES = {
    0.0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0
  };
  static final long HOUR_NS = 3_600_000_000_000L;
  static final long START_MS = 1_700_000_000_250L;

  static long state;

  // SplitMix64.
  static long random() {
    state += 0x9E3779B97F4A7C15L;
    long z = state;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  static Histogram histogram(String name, long lowest, long highest, int digits) {
    Histogram histogram = new Histogram(lowest, highest, digits);
    histogram.setTag(name);
    state = 1;
    return histogram;
  }

  static Histogram uniform(String name, long highest, int digits, int count) {
    Histogram histogram = histogram(name, 1, highest, digits);
    for (int i = 0; i < count; i++) {
      histogram.recordValue(Long.remainderUnsigned(random(), highest) + 1);
    }
    return histogram;
  }

  // -log2 of a uniform number, linear between powers of two, times 2000.
  static Histogram exponential(String name, int digits, int count) {
    Histogram histogram = histogram(name, 1, HOUR_NS, digits);
    for (int i = 0; i < count; i++) {
      long u = random() | 1;
      int zeros = Long.numberOfLeadingZeros(u);
      long fraction = ((u << zeros) << 1) >>> 44;
      histogram.recordValue(((((long) zeros) << 20) + ((1 << 20) - 1 - fraction)) * 2000 >>> 20);
    }
    return histogram;
  }

  // Every power of two equally likely, from one to 2^40.
  static Histogram heavyTail(String name, long lowest, int digits, int count) {
    Histogram histogram = histogram(name, lowest, HOUR_NS, digits);
    for (int i = 0; i < count; i++) {
      long value = random() >>> 24;
      histogram.recordValue(value >>> (random() & 31));
    }
    return histogram;
  }

  static Histogram edges(String name, long lowest, long highest, int digits) {
    Histogram histogram = histogram(name, lowest, highest, digits);
    for (int bit = 0; bit < 63; bit++) {
      for (long offset = -1; offset <= 1; offset++) {
        long value = (1L << bit) + offset;
        if (value <= highest) histogram.recordValue(value);
      }
    }
    histogram.recordValue(highest);
    return histogram;
  }

  static Histogram counts(String name) {
    Histogram histogram = histogram(name, 1, HOUR_NS, 3);
    for (int bit = 0; bit < 50; bit++) histogram.recordValueWithCount(bit * 777L, 1L << bit);
    return histogram;
  }

  static Histogram constant(String name, long value, int count) {
    Histogram histogram = histogram(name, 1, HOUR_NS, 3);
    for (int i = 0; i < count; i++) histogram.recordValue(value);
    return histogram;
  }

  static List<Histogram> sets() {
    List<Histogram> sets = new ArrayList<>();
    sets.add(uniform("uniform", 1_000_000, 3, 3000));
    sets.add(uniform("uniform-0-digits", 1000, 0, 3000));
    sets.add(uniform("uniform-1-digit", 100_000, 1, 3000));
    sets.add(uniform("uniform-5-digits", 100_000_000, 5, 1000));
    sets.add(exponential("exponential", 3, 5000));
    sets.add(exponential("exponential-4-digits", 4, 1000));
    sets.add(heavyTail("heavy-tail", 1, 2, 5000));
    sets.add(heavyTail("heavy-tail-3-digits", 1, 3, 2000));
    sets.add(heavyTail("heavy-tail-unit-1000", 1000, 3, 2000));
    sets.add(edges("edges", 1, Long.MAX_VALUE, 3));
    sets.add(edges("edges-2-digits", 1, 1_000_000, 2));
    sets.add(edges("edges-unit-1024", 1024, HOUR_NS, 3));
    sets.add(counts("counts"));
    sets.add(constant("constant", 123_456, 1000));
    sets.add(constant("zero", 0, 3));
    sets.add(constant("one-value", HOUR_NS, 1));
    sets.add(constant("empty", 0, 0));
    return sets;
  }

  static String figures(Histogram histogram) {
    StringBuilder line = new StringBuilder("set=" + histogram.getTag());
    line.append(" lowest=" + histogram.getLowestDiscernibleValue());
    line.append(" highest=" + histogram.getHighestTrackableValue());
    line.append(" digits=" + histogram.getNumberOfSignificantValueDigits());
    line.append(" total=" + histogram.getTotalCount());
    line.append(" min=" + histogram.getMinValue());
    line.append(" max=" + histogram.getMaxValue());
    line.append(" mean=" + histogram.getMean());
    line.append(" stddev=" + histogram.getStdDeviation());
    for (double q : QUANTILES) {
      line.append(" q" + q + "=" + histogram.getValueAtPercentile(q * 100.0));
    }
    return line.toString();
  }

  static String encodings(Histogram histogram) {
    ByteBuffer plain = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    CRC32 crc = new CRC32();
    int plainLength = histogram.encodeIntoByteBuffer(plain);
    crc.update(plain.array(), 0, plainLength);
    ByteBuffer compressed = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity() + 1000);
    int compressedLength = histogram.encodeIntoCompressedByteBuffer(compressed);
    return " v2_bytes=" + plainLength + " v2_crc32=" + crc.getValue() + " v2_base64="
        + Base64.getEncoder().encodeToString(Arrays.copyOf(compressed.array(), compressedLength));
  }

  static void write(String file) throws FileNotFoundException {
    HistogramLogWriter log = new HistogramLogWriter(file);
    log.outputComment("[Written by HdrHistogram]");
    log.outputLogFormatVersion();
    log.outputBaseTime(START_MS);
    log.outputStartTime(START_MS);
    log.outputLegend();
    double start = 0.0;
    for (Histogram histogram : sets()) {
      log.outputIntervalHistogram(start, start + 0.5, histogram);
      start += 1.0;
    }
    log.close();
  }

  static void read(String file) throws FileNotFoundException {
    HistogramLogReader log = new HistogramLogReader(file);
    Histogram histogram;
    while ((histogram = (Histogram) log.nextIntervalHistogram()) != null) {
      System.out.println(figures(histogram) + " start_ms=" + histogram.getStartTimeStamp()
          + " end_ms=" + histogram.getEndTimeStamp());
    }
    log.close();
  }

  public static void main(String[] arguments) throws FileNotFoundException {
    switch (arguments[0]) {
      case "figures":
        for (Histogram histogram : sets()) {
          System.out.println(figures(histogram) + encodings(histogram));
        }
        break;
      case "percentiles":
        exponential("exponential", 3, 5000).outputPercentileDistribution(System.out, 5, 1000.0);
        break;
      case "write":
        write(arguments[1]);
        break;
      case "read":
        read(arguments[1]);
        break;
      default:
        throw new IllegalArgumentException("figures, percentiles, write FILE or read FILE");
    }
  }
}
