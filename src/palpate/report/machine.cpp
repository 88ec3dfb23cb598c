#include <palpate/report/machine.h>

#include <unistd.h>

#include <fstream>
#include <thread>

namespace palpate {

namespace {

// What stands behind the colon of the first line that begins with `key`.
std::string value_in(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    const std::size_t begin = line.find_first_not_of(" \t", colon == std::string::npos ? colon : colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return "";
}

}  // namespace

MachineFacts machine_facts() {
  MachineFacts facts;
  facts.cpu = value_in("/proc/cpuinfo", "model name");
  if (facts.cpu.empty()) facts.cpu = "unknown";
  facts.cores = static_cast<int>(std::thread::hardware_concurrency());
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0)
    facts.memory = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
  return facts;
}

}  // namespace palpate
