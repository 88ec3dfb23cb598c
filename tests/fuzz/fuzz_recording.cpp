// A libFuzzer target for recordings: whatever the bytes are, they are refused with an Error, or all that the
// recording says it has can be read or is refused.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <palpate/base/error.h>
#include <palpate/report/recording.h>

namespace {

using namespace palpate;

template <class Work>
void refused_or_done(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.problem().empty() || error.remedy().empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("fuzz", 0);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  refused_or_done([&] {
    const Recording recording("/proc/self/fd/" + std::to_string(file));
    constexpr std::size_t some = 100;  // an index may name one message a million times
    refused_or_done([&] { recording.hello(); });
    refused_or_done([&] { recording.scene(); });
    refused_or_done([&] { recording.snapshot(); });
    for (std::size_t i = 0; i < std::min(some, recording.frames()); ++i) {
      refused_or_done([&] { recording.frame(i); });
      refused_or_done([&] { recording.topology(i); });
    }
    for (std::size_t i = 0; i < std::min(some, recording.commands()); ++i)
      refused_or_done([&] { recording.command(i); });
  });
  ::close(file);
  return 0;
}
