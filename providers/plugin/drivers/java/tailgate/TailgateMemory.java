package tailgate;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The shared memory of a trial, and the names by which tailgate describes it. */
final class TailgateMemory {
  static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle INTS =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final String FORMAT = "1";

  final ByteBuffer memory;
  final ByteBuffer schedule;
  private final Map<String, String> values = new HashMap<>();

  TailgateMemory(Path description) throws IOException {
    for (String line : Files.readString(description).split("\n")) {
      int space = line.indexOf(' ');
      if (space > 0) values.put(line.substring(0, space), line.substring(space + 1));
    }
    if (!FORMAT.equals(values.get("format"))) {
      throw new IOException(description + " has format " + values.get("format") + ", and this "
          + "driver reads format " + FORMAT + ": use the driver that came with tailgate");
    }
    memory = map("memory");
    schedule = map("schedule");
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) throw new IllegalArgumentException("tailgate named no '" + name + "'");
    return value;
  }

  /** A number without sign; those above 2^63 - 1, which mean no limit, are negative. */
  long number(String name) {
    return Long.parseUnsignedLong(text(name));
  }

  /** A place in the memory. */
  int at(String name) {
    return (int) number(name);
  }

  void setPhase(String name) {
    INTS.setRelease(memory, at("provider.phase"), at("phase." + name));
  }

  void setText(int at, int room, String text) {
    byte[] bytes = text.replace('\0', ' ').getBytes(StandardCharsets.UTF_8);
    if (bytes.length >= room) {
      bytes = Arrays.copyOf(bytes, room - 1);
      Arrays.fill(bytes, room - 4, room - 1, (byte) '.');
    }
    ByteBuffer field = memory.duplicate();
    field.position(at);
    field.put(bytes);
    field.put((byte) 0);
  }

  private ByteBuffer map(String name) throws IOException {
    long size = number(name + ".bytes");
    if (size > Integer.MAX_VALUE) {
      throw new IOException(size + " bytes of shared memory are more than Java maps: use fewer "
          + "threads, digits or events");
    }
    try (RandomAccessFile file = new RandomAccessFile(text(name + ".path"), "rw")) {
      return file.getChannel()
          .map(FileChannel.MapMode.READ_WRITE, 0, size)
          .order(ByteOrder.LITTLE_ENDIAN);
    }
  }
}
