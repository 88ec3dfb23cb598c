// A progress bar on stderr: only on a terminal, only for what takes longer than a second, gone when done.
#pragma once

#include <chrono>
#include <string>

namespace palpate::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double fraction);  // 0 to 1
  void show_elapsed();         // where no fraction is known

 private:
  bool due();
  void print(const std::string& line);

  std::string what_;
  bool terminal_, shown_ = false;
  std::chrono::steady_clock::time_point begun_, last_;
};

}  // namespace palpate::cli
