// Writes hdrhistogram.json: histograms as HdrHistogram's own library encodes them, with the values
// that went in and the quantiles that it reads off them. The tests of hdr.py compare with it.
//
//   java -cp /usr/share/java/hdrhistogram.jar Encode.java > hdrhistogram.json
//
// with Debian's libhdrhistogram-java 2.1.11.
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.HdrHistogram.Histogram;

public class Encode {
  static final double[] PERCENTILES = {0, 25, 50, 75, 90, 99, 99.9, 99.99, 100};

  static String encoded(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity() + 64);
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    byte[] bytes = new byte[length];
    System.arraycopy(buffer.array(), 0, bytes, 0, length);
    return Base64.getEncoder().encodeToString(bytes);
  }

  static String entry(String name, long lowest, long highest, int digits, long[][] recorded) {
    Histogram histogram = new Histogram(lowest, highest, digits);
    List<String> values = new ArrayList<>();
    for (long[] pair : recorded) {
      histogram.recordValueWithCount(pair[0], pair[1]);
      values.add("[" + pair[0] + ", " + pair[1] + "]");
    }
    List<String> buckets = new ArrayList<>();
    histogram.recordedValues().forEach(v -> buckets.add(
        "[" + histogram.lowestEquivalentValue(v.getValueIteratedTo()) + ", "
            + histogram.highestEquivalentValue(v.getValueIteratedTo()) + ", "
            + v.getCountAtValueIteratedTo() + "]"));
    List<String> quantiles = new ArrayList<>();
    for (double percentile : PERCENTILES) {
      quantiles.add("[" + percentile + ", " + histogram.getValueAtPercentile(percentile) + "]");
    }
    return "  {\"name\": \"" + name + "\", \"lowest\": " + lowest + ", \"highest\": " + highest
        + ", \"digits\": " + digits + ",\n   \"recorded\": [" + String.join(", ", values)
        + "],\n   \"buckets\": [" + String.join(", ", buckets) + "],\n   \"percentiles\": ["
        + String.join(", ", quantiles) + "],\n   \"encoded\": \"" + encoded(histogram) + "\"}";
  }

  // Powers of `ratio` from `first` on, the k-th recorded `counts - k` times.
  static long[][] geometric(long first, double ratio, int counts) {
    long[][] recorded = new long[counts][];
    double value = first;
    for (int k = 0; k < counts; ++k) {
      recorded[k] = new long[] {(long) value, counts - k};
      value *= ratio;
    }
    return recorded;
  }

  public static void main(String[] arguments) {
    long hour = 3_600_000_000_000L;
    List<String> entries = new ArrayList<>();
    entries.add(entry("empty", 1, hour, 3, new long[][] {}));
    entries.add(entry("one event", 1, hour, 3, new long[][] {{1234567, 1}}));
    entries.add(entry("zero", 1, hour, 3, new long[][] {{0, 3}, {1, 2}}));
    entries.add(entry("bucket edges", 1, hour, 3,
        new long[][] {{2047, 1}, {2048, 1}, {2049, 1}, {4095, 1}, {4096, 1}, {4097, 1}}));
    entries.add(entry("long counts", 1, hour, 3,
        new long[][] {{100, 1L << 33}, {200, 1L << 40}, {300, (1L << 61) + 12345}}));
    entries.add(entry("coarse", 1, hour, 1, geometric(10, 1.7, 40)));
    entries.add(entry("two digits", 1, hour, 2, geometric(10, 1.7, 40)));
    entries.add(entry("three digits", 1, hour, 3, geometric(10, 1.7, 40)));
    entries.add(entry("five digits", 1, 1_000_000_000L, 5, geometric(10, 1.5, 40)));
    entries.add(entry("lowest 1000", 1000, hour, 3, geometric(2000, 1.3, 60)));
    System.out.println("[\n" + String.join(",\n", entries) + "\n]");
  }
}
