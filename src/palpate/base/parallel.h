// Parallel loops whose results do not depend on the number of threads.
//
// The range is cut into chunks of a fixed grain, whatever the machine: [0, g), [g, 2g), ... A body sees a
// chunk and its number. Whatever is kept per chunk (a sum, a list) is put together in chunk order afterwards,
// so floating point sums and output orders are the same for 1, 2 or 64 threads. Rules for bodies: write only
// to places that belong to your chunk; keep scratch per chunk, never per thread (a thread that waits may
// start another chunk). If bodies throw, all chunks still run and the exception of the lowest chunk is passed
// on.
//
// TBB does the work; no TBB header is needed to use this one.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include <palpate/base/function_ref.h>

namespace palpate {

struct Chunk {
  std::size_t begin, end;  // elements
  std::size_t index;       // number of the chunk
};

// Chunks that a range of n makes; at least 1 element a chunk.
inline std::size_t chunk_count(std::size_t n, std::size_t grain) {
  return grain == 0 ? n : n / grain + (n % grain != 0);
}

// Calls body once for each chunk, in any order, on any thread.
void parallel_chunks(std::size_t n, std::size_t grain, FunctionRef<void(Chunk)> body);

// Calls body(i) for each i in [0, n).
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, Body&& body) {
  parallel_chunks(n, grain, [&](Chunk chunk) {
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) body(i);
  });
}

// combine(... combine(combine(first, map(chunk 0)), map(chunk 1)) ...): the same grouping for any thread
// count. The partial results live in `partial`, which keeps its memory from call to call.
template <class T, class Map, class Combine>
T parallel_reduce(std::size_t n, std::size_t grain, T first, std::vector<T>& partial, Map&& map,
                  Combine&& combine) {
  static_assert(!std::is_same_v<T, bool>, "chunks would write neighbouring bits of one word; use char");
  partial.assign(chunk_count(n, grain), first);
  parallel_chunks(n, grain, [&](Chunk chunk) { partial[chunk.index] = map(chunk); });
  for (const T& part : partial) first = combine(first, part);
  return first;
}
template <class T, class Map, class Combine>
T parallel_reduce(std::size_t n, std::size_t grain, T first, Map&& map, Combine&& combine) {
  std::vector<T> partial;
  return parallel_reduce(n, grain, first, partial, map, combine);
}

// How many threads a parallel loop called from here may use.
int available_threads();

// Runs work with at most this many threads (0 = all the machine has); the parallel loops inside use no more.
// Palpate starts no thread of its own (but for background.h): without this, loops run in whatever TBB arena
// the caller is in.
class Threads {
 public:
  explicit Threads(int count = 0);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return count_; }
  void run(FunctionRef<void()> work) const;

 private:
  struct Arena;
  int count_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace palpate
