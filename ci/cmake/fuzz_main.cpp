// The main function of a fuzz target in a build without libFuzzer: every file of the corpora, then
// changes of them, the same each time. It finds what lies near; ci/fuzz looks further.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr unsigned kChanges = 500;
constexpr std::size_t kMaxBytes = 1 << 18;  // a larger file runs as it is, and is not changed

using Input = std::vector<std::uint8_t>;

// What runs now, for the signal's handler.
char running[4200];

void say_what_ran(int signal_number) {
  std::fputs(running, stderr);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void run(const Input& input, const std::string& origin, unsigned change) {
  std::snprintf(running, sizeof running, "fuzz target failed: change %u of '%s'\n", change,
                origin.c_str());
  // A copy of the exact size, so that a sanitizer sees a read beyond its end.
  const std::vector<std::uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

// One to eight changes: a byte, a bit, a piece removed, doubled, or taken from another input.
Input changed(Input input, const Input& other, std::mt19937& random) {
  const auto below = [&](std::size_t end) { return end == 0 ? 0 : random() % end; };
  for (std::size_t left = 1 + below(8); left > 0; --left) {
    const auto at = static_cast<std::ptrdiff_t>(below(input.size() + 1));
    const auto length = static_cast<std::ptrdiff_t>(
        below(std::min<std::size_t>(64, input.size() - static_cast<std::size_t>(at)) + 1));
    const Input piece(input.begin() + at, input.begin() + at + length);
    switch (below(5)) {
      case 0:
        input.insert(input.begin() + at, static_cast<std::uint8_t>(random()));
        break;
      case 1:
        if (length > 0)
          input[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 2:
        input.erase(input.begin() + at, input.begin() + at + length);
        break;
      case 3:
        input.insert(input.begin() + at, piece.begin(), piece.end());
        break;
      default:
        input.insert(input.begin() + at, other.begin(),
                     other.begin() + static_cast<std::ptrdiff_t>(below(other.size() + 1)));
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(number, say_what_ran);
  std::vector<std::pair<std::string, Input>> corpus = {{"nothing", {}}};
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      corpus.emplace_back(entry.path().string(), Input{std::istreambuf_iterator<char>(file), {}});
    }
  }
  std::sort(corpus.begin(), corpus.end());
  for (const auto& [origin, input] : corpus) run(input, origin, 0);
  std::erase_if(corpus, [](const auto& entry) { return entry.second.size() > kMaxBytes; });
  std::mt19937 random(1);  // NOLINT: the same changes each time
  for (unsigned change = 1; change <= kChanges; ++change) {
    const auto& [origin, input] = corpus[random() % corpus.size()];
    run(changed(input, corpus[random() % corpus.size()].second, random), origin, change);
  }
  std::printf("%zu files and %u changes of them\n", corpus.size(), kChanges);
  return 0;
}
