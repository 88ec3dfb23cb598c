#include "support/allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace {

// Constant-initialised: malloc is called before any constructor runs.
constinit std::atomic<std::uint64_t> count = 0;

}  // namespace

namespace palpate::testing {

std::uint64_t allocations() { return count.load(std::memory_order_relaxed); }

#ifdef PALPATE_SANITIZED
bool counts_allocations() { return false; }
#else
bool counts_allocations() { return true; }
#endif

}  // namespace palpate::testing

#ifndef PALPATE_SANITIZED
// glibc keeps its own functions reachable under these names, for programs that replace them.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

void* malloc(std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(n, size);
}
void* realloc(void* old, std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) { return aligned_alloc(alignment, size); }
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  *result = aligned_alloc(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}
void free(void* memory) { __libc_free(memory); }
}
#endif
