// A data race in a parallel loop, on purpose: see tests/CMakeLists.txt.
#include <palpate/base/parallel.h>

int main() {
  int counter = 0;
  palpate::Threads(4).run([&] { palpate::parallel_for(100'000, 10, [&](std::size_t) { ++counter; }); });
  return counter == 0;
}
