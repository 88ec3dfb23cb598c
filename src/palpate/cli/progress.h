// A progress bar on stderr: only on a terminal, only for what takes longer than a second, gone when done.
//
// A thread of its own shows it, so that it moves even where the work never says how far it is: then the
// seconds are counted instead. Nothing else may be said while one lives; end it first.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace palpate::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // 0 to 1, from any thread; what was told last is what is shown.
  void show(double fraction) { fraction_ = fraction; }
  // For options of the library that take a callback.
  std::function<void(double)> callback() {
    return [this](double fraction) { show(fraction); };
  }

 private:
  void run();
  std::string line() const;

  std::string what_;
  std::chrono::steady_clock::time_point begun_;
  std::atomic<double> fraction_ = -1;  // negative: not known
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace palpate::cli
