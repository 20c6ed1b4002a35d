#include "harness/etl/container.h"

#include <zlib.h>
#include <catch2/catch.hpp>

#include <fstream>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/etl/testing/trace_writer.h"

using namespace tailgate::etl;

namespace {

std::vector<std::uint8_t> small_trace() {
  WriterOptions options;
  TraceWriter writer(options);
  writer.add(0, context_switch_record(options.start_raw + 1, 8, 0));
  return writer.file();
}

std::vector<std::uint8_t> gzipped(const std::vector<std::uint8_t>& bytes) {
  z_stream stream{};
  constexpr int kGzip = 16;
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::vector<std::uint8_t> packed(bytes.size() + 1000);
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// A ZIP archive with members that are stored as they are: APPNOTE.TXT 4.3.7, 4.3.12 and 4.3.16.
class ZipWriter {
 public:
  void add(std::string_view name, const std::vector<std::uint8_t>& bytes) {
    const auto crc =
        static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
    ByteBuilder sizes;
    sizes.u32(crc).u32(bytes.size()).u32(bytes.size()).u16(static_cast<unsigned>(name.size()));
    const Bytes text(reinterpret_cast<const std::uint8_t*>(name.data()), name.size());
    directory_.u32(0x02014B50).u16(20).u16(20).u16(0).u16(0).u32(0x21).raw(sizes.bytes());
    directory_.u16(0).u16(0).u16(0).u16(0).u32(0).u32(members_.bytes().size()).raw(text);
    members_.u32(0x04034B50).u16(20).u16(0).u16(0).u32(0x21).raw(sizes.bytes()).u16(0).raw(text);
    members_.raw(bytes);
    ++count_;
  }

  std::vector<std::uint8_t> bytes() const {
    ByteBuilder out;
    out.raw(members_.bytes()).raw(directory_.bytes());
    out.u32(0x06054B50).u16(0).u16(0).u16(count_).u16(count_).u32(directory_.bytes().size());
    out.u32(members_.bytes().size()).u16(0);
    return out.bytes();
  }

 private:
  ByteBuilder members_;
  ByteBuilder directory_;
  unsigned count_ = 0;
};

std::filesystem::path written(const tailgate::TestDirectory& folder, const std::string& name,
                              const std::vector<std::uint8_t>& bytes) {
  const std::filesystem::path path = folder.path() / name;
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  return path;
}

// The traces' names and record counts.
std::vector<std::string> names_in(const std::filesystem::path& container) {
  UnpackedTraces traces(container);
  std::vector<std::string> names;
  for (const auto& file : traces.files()) {
    CHECK(file->buffers().size() == 2);
    names.push_back(file->name().substr(container.string().size()));
  }
  return names;
}

// Whether this build can unpack.
bool can_unpack(const std::filesystem::path& container) {
  try {
    names_in(container);
    return true;
  } catch (const tailgate::Error& error) {
    // Without the library, the error says what to do.
    CHECK(std::string(error.what()).find("this build of tailgate") != std::string::npos);
    return false;
  }
}

}  // namespace

TEST_CASE("a trace is no container, and a missing file is none either") {
  const tailgate::TestDirectory folder;
  CHECK_FALSE(is_container(written(folder, "a.etl", small_trace())));
  CHECK_FALSE(is_container(written(folder, "empty", {})));
  CHECK_FALSE(is_container(folder.path() / "none"));
  CHECK(is_container(written(folder, "a.etl.gz", gzipped(small_trace()))));
}

TEST_CASE("a container's traces are opened by their names, and nothing is left behind") {
  const tailgate::TestDirectory folder;
  const auto packed = written(folder, "a.etl.gz", gzipped(small_trace()));
  if (!can_unpack(packed)) return;
  CHECK(names_in(packed) == std::vector<std::string>{"/a.etl"});
  ZipWriter zip;
  zip.add("trace.etl", small_trace());
  zip.add("notes.txt", {1, 2, 3});
  zip.add("../../sub/kernel.ETL", small_trace());
  CHECK(names_in(written(folder, "a.etl.zip", zip.bytes())) ==
        std::vector<std::string>{"/trace.etl", "/../../sub/kernel.ETL"});
}

TEST_CASE("a container says what it and its traces take, and of what else it has") {
  const tailgate::TestDirectory folder;
  const auto packed = written(folder, "a.etl.gz", gzipped(small_trace()));
  if (!can_unpack(packed)) return;
  const UnpackedTraces stream(packed);
  CHECK(stream.bytes().packed == std::filesystem::file_size(packed));
  CHECK(stream.bytes().unpacked == small_trace().size());
  CHECK(stream.bytes().other_members == 0);
  ZipWriter zip;
  zip.add("trace.etl", small_trace());
  zip.add("notes.txt", {1, 2, 3});
  zip.add("kernel.etl", small_trace());
  const UnpackedTraces archive(written(folder, "a.zip", zip.bytes()));
  CHECK(archive.bytes().packed == zip.bytes().size());
  CHECK(archive.bytes().unpacked == 2 * small_trace().size());
  CHECK(archive.bytes().other_members == 1);
}

TEST_CASE("a container without traces, a damaged one, and one that grows too much are refused") {
  const tailgate::TestDirectory folder;
  if (!can_unpack(written(folder, "a.etl.gz", gzipped(small_trace())))) return;
  ZipWriter none;
  none.add("notes.txt", {1, 2, 3});
  CHECK_THROWS_AS(UnpackedTraces(written(folder, "b.zip", none.bytes())), tailgate::Error);
  ZipWriter no_trace;
  no_trace.add("a.etl", {1, 2, 3});
  CHECK_THROWS_AS(UnpackedTraces(written(folder, "c.zip", no_trace.bytes())), tailgate::Error);
  std::vector<std::uint8_t> cut = gzipped(small_trace());
  cut.resize(cut.size() / 2);
  CHECK_THROWS_AS(UnpackedTraces(written(folder, "d.gz", cut)), tailgate::Error);
  const auto sound = written(folder, "e.gz", gzipped(small_trace()));
  CHECK(unpack_container(sound, folder.path(), small_trace().size()).traces.size() == 1);
  CHECK_THROWS_AS(unpack_container(sound, folder.path(), small_trace().size() - 1),
                  tailgate::Error);
}
