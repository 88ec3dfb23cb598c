// The machine that a run was made on: figures of time mean nothing without it.
#pragma once

#include <cstdint>
#include <string>

namespace palpate {

struct MachineFacts {
  std::string cpu;           // as the system names it; "unknown" where it does not
  int cores = 0;             // that the system shows
  std::uint64_t memory = 0;  // [bytes]; 0: unknown
};

MachineFacts machine_facts();

}  // namespace palpate
