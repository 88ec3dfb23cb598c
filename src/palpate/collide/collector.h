// Takes the candidates that finders bring, tests them and keeps the contacts.
//
//   finder ── pairs of features ──> Batch ── distance, filter, threshold ──> keys ── sort ──> keys ── fill
//   ──> contacts
//
// A finder brings every pair that might be near, at least once; what is too far, filtered or excluded is
// dropped here, and so is what comes twice. So a finder can be slow or clumsy, but it can be wrong in one way
// only: by leaving a pair out. What travels is the key alone; points and normals are computed when the keys
// are in order, once, where they stay. Keys are unique: which thread found what, and when, leaves no trace.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <palpate/base/radix_sort.h>
#include <palpate/collide/contact.h>
#include <palpate/collide/crossing.h>
#include <palpate/collide/kernel.h>
#include <palpate/collide/surfaces.h>

namespace palpate {

struct SearchCounters {
  std::uint64_t cells = 0;       // cells or nodes looked at
  std::uint64_t candidates = 0;  // pairs of triangles (or of leaves) that came near
  std::uint64_t culled = 0;      // of those, dropped without a test of features
  std::uint64_t tested = 0;      // pairs of features whose distance was computed
  std::uint64_t filtered = 0;    // of the near ones, dropped as neighbours along the surface
  std::uint64_t kept = 0;        // pairs of features that an earlier call had found
  std::uint64_t rebuilt = 0;     // lists of such pairs, made anew

  SearchCounters& operator+=(const SearchCounters& other);
};

// What is asked for: pairs of surfaces, how near, and what is special about some pairs.
struct Search {
  const Surfaces& surfaces;
  std::span<const SurfacePair> pairs;  // whose boxes overlap, ascending; self pairs among them
  double margin = 0;                   // [m]
  double reach = 0;                    // the largest contact distance of a pair, and the margin [m]
  bool same_distance = true;           // of all pairs
  CrossingOptions crossing = {};       // where a step is looked at: surfaces.moving()
  Box scene = {};                      // of a step: what holds these pairs, and those that were not asked for

  const SurfacePair* find(std::uint32_t first, std::uint32_t second) const;
};

class Collector;

// Where one chunk of a finder's work puts its pairs. Taken from the collector, and given back by its end.
class Batch {
 public:
  // `filtered`: neighbours along a surface are not among the pairs that will come, so none need be looked
  // for. In a step: what shares a vertex is not among them, and boxes were looked at.
  explicit Batch(Collector& collector, bool filtered = false);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void vertex_triangle(std::uint32_t vertex, std::uint32_t triangle) {
    put(ContactKind::vertex_triangle, {vertex, triangle});
  }
  void edge_edge(std::uint32_t one, std::uint32_t other) {
    put(ContactKind::edge_edge, one < other ? FeaturePair{one, other} : FeaturePair{other, one});
  }

  // A pair that is known to be a contact.
  void keep(std::uint64_t key) {
    if (in_block_ == block_size) take_block();
    block_[in_block_++] = key;
  }

  SearchCounters counters;

 private:
  friend class Collector;
  static constexpr std::size_t size = 1024;        // pairs tested together
  static constexpr std::size_t block_size = 4096;  // keys
  struct Pairs {
    std::array<FeaturePair, size> pairs;
    std::size_t count = 0;
  };
  struct Buffers;

  void put(ContactKind kind, FeaturePair pair) {
    Pairs& to = pairs_[static_cast<std::size_t>(kind)];
    to.pairs[to.count++] = pair;
    if (to.count == size) test(kind);
  }
  void test(ContactKind kind);
  void test_crossings(ContactKind kind);
  bool counts(ContactKind kind, const FeaturePair& pair, double squared_distance);
  void take_block();

  Collector& collector_;
  bool filtered_;
  std::unique_ptr<Buffers> buffers_;
  Pairs* pairs_;  // the buffers', of each kind
  std::uint64_t* block_;
  std::size_t in_block_;
};

class Collector {
 public:
  Collector();
  ~Collector();

  void begin(const Search& search);
  const Search& search() const { return *search_; }
  // What was found, in order. Valid until the next begin().
  std::span<const Contact> order();
  // Of a step: what touches in it, in order. Valid until the next begin().
  std::span<const Crossing> order_crossings();
  double whole_until() const;  // of the step: what touches later may have been left, as was asked for
  // The same, but for what there is to know of the contacts: their keys alone, appended.
  void order_keys(std::vector<std::uint64_t>& out);
  const SearchCounters& counters() const { return counters_; }
  std::int64_t test_nanoseconds() const { return test_nanoseconds_; }
  std::size_t memory() const;  // bytes held

 private:
  friend class Batch;
  // Keys for sorting: in the same order, with as few bits as the numbers need.
  struct Packing {
    int second_bits = 32, kind_bit = 63;
    Packing() = default;
    explicit Packing(const Surfaces& all);
    std::uint64_t pack(std::uint64_t key) const {
      return key >> 63 << kind_bit | (key >> 32 & 0x7fffffff) << second_bits | (key & 0xffffffff);
    }
    ContactKind kind(std::uint64_t packed) const { return static_cast<ContactKind>(packed >> kind_bit); }
    std::uint64_t unpack(std::uint64_t packed) const {
      const FeaturePair numbers = pair(packed);
      return contact_key(kind(packed), numbers.first, numbers.second);
    }
    FeaturePair pair(std::uint64_t packed) const {
      const std::uint64_t first = (std::uint64_t{1} << (kind_bit - second_bits)) - 1,
                          second = (std::uint64_t{1} << second_bits) - 1;
      return {static_cast<std::uint32_t>(packed >> second_bits & first),
              static_cast<std::uint32_t>(packed & second)};
    }
  };
  // Of two surfaces, in a step: when the first of what was found so far touches, but for what does so from
  // the start. Which of the others are looked at further depends on that, and so on threads; which are left
  // in the end does not.
  std::atomic<double>& first_of(const SurfacePair* pair) {
    return firsts_[static_cast<std::size_t>(pair - search_->pairs.data())];
  }
  double last_of(const SurfacePair* pair) {
    return first_of(pair).load(std::memory_order_relaxed) + search_->crossing.window;
  }
  void note(const SurfacePair* pair, double time);
  std::size_t take_block();
  std::span<std::uint64_t> packed();
  std::span<std::uint64_t> sorted();
  void fill(std::span<const std::uint64_t> keys, Contact* out) const;

  const Search* search_ = nullptr;
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::vector<std::size_t> used_;  // keys in each block
  std::size_t blocks_used_ = 0;
  std::vector<std::unique_ptr<Batch::Buffers>> idle_;
  Packing pack_;
  struct When {
    double time;
    bool sure;
  };
  std::vector<std::unique_ptr<When[]>> when_;  // of a step: of each key in the block of the same number
  std::vector<When> times_;                    // the same, one after the other
  std::vector<std::atomic<double>> firsts_;    // by pairs of surfaces
  std::vector<std::uint32_t> places_;
  std::vector<std::uint64_t> keys_;  // packed
  std::vector<Contact> contacts_;
  std::vector<Crossing> crossings_;
  RadixSort sort_;
  SearchCounters counters_;
  std::int64_t test_nanoseconds_ = 0;
};

}  // namespace palpate
