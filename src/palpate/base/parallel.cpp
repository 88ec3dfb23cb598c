#include <palpate/base/parallel.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#ifdef PALPATE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace palpate {

namespace {

// Keeps the exception of the lowest chunk, so that which error is reported does not depend on timing.
class FirstError {
 public:
  void keep(std::size_t chunk) {
    const std::scoped_lock lock(mutex_);
    if (chunk < chunk_) {
      chunk_ = chunk;
      error_ = std::current_exception();
    }
  }
  void pass_on() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::size_t chunk_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
};

// Tells ThreadSanitizer what TBB guarantees and what it cannot see, TBB being built without it: what was
// written before the loop is seen by every chunk, and what chunks wrote is seen after it. This file itself is
// not instrumented.
class SeenBySanitizer {
 public:
#ifdef PALPATE_THREAD_SANITIZER
  void acquire() { __tsan_acquire(this); }
  void release() { __tsan_release(this); }
#else
  void acquire() {}
  void release() {}
#endif
};

// TBB takes the least of all limits that are alive, so there is one, at the most threads that anyone has
// asked for.
void allow_threads(int count) {
  static std::mutex mutex;
  static int most = static_cast<int>(std::thread::hardware_concurrency());
  static std::optional<tbb::global_control> limit;
  const std::scoped_lock lock(mutex);
  if (count <= most) return;
  most = count;
  limit.reset();
  limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
}

}  // namespace

void parallel_chunks(std::size_t n, std::size_t grain, FunctionRef<void(Chunk)> body) {
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t chunks = chunk_count(n, grain);
  FirstError first_error;
  SeenBySanitizer order;
  const auto run = [&](std::size_t index) {
    order.acquire();
    try {
      body({index * grain, index + 1 == chunks ? n : (index + 1) * grain, index});
    } catch (...) {
      first_error.keep(index);
    }
    order.release();
  };
  order.release();
  if (chunks <= 1 || available_threads() == 1) {
    for (std::size_t i = 0; i < chunks; ++i) run(i);
  } else {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t i = range.begin(); i < range.end(); ++i) run(i);
                      });
  }
  order.acquire();
  first_error.pass_on();
}

int available_threads() {
  return static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()),
                            tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism)));
}

struct Threads::Arena {
  tbb::task_arena arena;
};

Threads::Threads(int count)
    : count_(count > 0 ? count : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
      arena_(std::make_unique<Arena>()) {
  allow_threads(count_);  // more than cores: a test of determinism wants them
  arena_->arena.initialize(count_);
}

Threads::~Threads() = default;

void Threads::run(FunctionRef<void()> work) const {
  arena_->arena.execute([&] { work(); });
}

}  // namespace palpate
