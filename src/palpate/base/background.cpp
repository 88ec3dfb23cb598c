#include <palpate/base/background.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include <tbb/task_arena.h>

namespace palpate {

namespace {

// One for all tasks: they are held for moments only, and outlive every task.
std::mutex mutex;
std::condition_variable changed;

}  // namespace

struct Background::Task {
  std::function<void()> work;
  bool taken = false, done = false;
  std::exception_ptr failure;

  // Does it, unless someone else does already.
  void run() {
    {
      const std::lock_guard lock(mutex);
      if (std::exchange(taken, true)) return;
    }
    std::exception_ptr thrown;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    failure = thrown;
    done = true;
    changed.notify_all();
  }
};

Background& Background::operator=(Background&& other) noexcept {
  std::swap(task_, other.task_);
  return *this;
}

Background::~Background() {
  try {
    wait();
  } catch (...) {  // nobody is left to be told
  }
}

void Background::start(std::function<void()> work) {
  wait();
  task_ = std::make_shared<Task>();
  {
    const std::lock_guard lock(mutex);
    task_->work = std::move(work);
  }
  tbb::task_arena arena(1, 0);
  arena.enqueue([task = task_] { task->run(); });
}

void Background::wait() {
  if (!task_) return;
  const std::shared_ptr<Task> task = std::exchange(task_, nullptr);
  task->run();
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return task->done; });
  if (task->failure) std::rethrow_exception(task->failure);
}

}  // namespace palpate
