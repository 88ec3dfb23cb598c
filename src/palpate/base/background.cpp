#include <palpate/base/background.h>

#include <system_error>
#include <utility>

namespace palpate {

Background::~Background() {
  try {
    wait();
  } catch (...) {  // nobody is left to be told
  }
}

void Background::start(std::function<void()> work) {
  wait();
  work_ = std::move(work);
  begun_ = true;
  try {
    thread_ = std::thread([this] {
      try {
        work_();
      } catch (...) {
        failure_ = std::current_exception();
      }
    });
  } catch (const std::system_error&) {  // no thread is to be had: wait() does it
  }
}

void Background::wait() {
  if (!std::exchange(begun_, false)) return;
  if (thread_.joinable()) {
    thread_.join();
    work_ = nullptr;
    if (const auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
  } else {
    const std::function<void()> work = std::exchange(work_, nullptr);
    work();
  }
}

}  // namespace palpate
