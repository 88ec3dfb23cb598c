// Messages on their way to viewers: made once, shared by all, never changed.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace palpate {

using Message = std::shared_ptr<const std::vector<std::byte>>;

// What a viewer should have, in the order in which it is sent. Whatever of it is another message than the one
// that was sent last is sent again; null: nothing to send.
struct Picture {
  Message status, gallery, hello, parameters, topology, frame;
};

}  // namespace palpate
