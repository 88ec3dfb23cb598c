#include <palpate/collide/collector.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <palpate/base/parallel.h>
#include <palpate/base/timing.h>
#include <palpate/collide/moving_pair.h>

namespace palpate {

SearchCounters& SearchCounters::operator+=(const SearchCounters& other) {
  cells += other.cells;
  candidates += other.candidates;
  culled += other.culled;
  tested += other.tested;
  filtered += other.filtered;
  kept += other.kept;
  rebuilt += other.rebuilt;
  return *this;
}

const SurfacePair* Search::find(std::uint32_t first, std::uint32_t second) const {
  const auto key = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; };
  const std::uint64_t wanted = key(std::min(first, second), std::max(first, second));
  const auto at = std::lower_bound(
      pairs.begin(), pairs.end(), wanted,
      [&](const SurfacePair& pair, std::uint64_t k) { return key(pair.first, pair.second) < k; });
  return at != pairs.end() && key(at->first, at->second) == wanted ? &*at : nullptr;
}

struct Batch::Buffers {
  std::array<Pairs, 2> of_kind;
  std::array<double, Batch::size> squared_distances;
  std::uint64_t* block = nullptr;
  Collector::When* when = nullptr;  // of the block, in a step
  std::size_t block_number = 0, in_block = Batch::block_size;
  const SurfacePair* last_pair = nullptr;  // of the last contact: the next is probably the same
  std::int64_t test_nanoseconds = 0;
};

Batch::Batch(Collector& collector, bool filtered) : collector_(collector), filtered_(filtered) {
  const std::lock_guard lock(collector_.mutex_);
  if (collector_.idle_.empty()) {
    buffers_ = std::make_unique<Buffers>();
  } else {
    buffers_ = std::move(collector_.idle_.back());
    collector_.idle_.pop_back();
  }
  pairs_ = buffers_->of_kind.data();
  block_ = buffers_->block;
  in_block_ = buffers_->in_block;
}

Batch::~Batch() {
  test(ContactKind::vertex_triangle);
  test(ContactKind::edge_edge);
  Buffers& b = *buffers_;
  b.block = block_;
  b.in_block = in_block_;
  const std::lock_guard lock(collector_.mutex_);
  if (block_ != nullptr) collector_.used_[b.block_number] = in_block_;
  collector_.counters_ += counters;
  collector_.test_nanoseconds_ += b.test_nanoseconds;
  b.test_nanoseconds = 0;
  // The block stays with the buffers: the next batch goes on filling it.
  collector_.idle_.push_back(std::move(buffers_));
}

void Batch::test(ContactKind kind) {
  Buffers& b = *buffers_;
  auto& [pairs, count] = b.of_kind[static_cast<std::size_t>(kind)];
  if (count == 0) return;
  const auto start = Clock::now();
  const Search& search = *collector_.search_;
  counters.tested += count;
  if (search.surfaces.moving()) {
    test_crossings(kind);
    count = 0;
    b.test_nanoseconds += (Clock::now() - start).count();
    return;
  }
  squared_distances(kind, search.surfaces.positions(), search.surfaces.triangles(),
                    std::span(pairs).first(count), b.squared_distances.data());
  const double limit = search.reach * search.reach;
  for (std::size_t i = 0; i < count; ++i)
    if (b.squared_distances[i] < limit && counts(kind, pairs[i], b.squared_distances[i]))
      keep(contact_key(kind, pairs[i].first, pairs[i].second));
  count = 0;
  b.test_nanoseconds += (Clock::now() - start).count();
}

namespace {

struct Slots {
  std::uint32_t first, second;
};
Slots slots_of(const Surfaces& all, ContactKind kind, const FeaturePair& pair) {
  if (kind == ContactKind::vertex_triangle)
    return {all.surface_of_vertex(pair.first), all.surface_of_triangle(pair.second)};
  return {all.surface_of_vertex(all.side_begin(pair.first)),
          all.surface_of_vertex(all.side_begin(pair.second))};
}

// Keeps a pair of surfaces until another is asked for.
const SurfacePair* look_up(const Search& search, const Slots& slots, const SurfacePair*& last) {
  const auto [first, second] = std::minmax(slots.first, slots.second);
  if (last == nullptr || last->first != first || last->second != second) last = search.find(first, second);
  return last;
}

double limit_of(const Surfaces& all, ContactKind kind, const FeaturePair& pair, const SurfacePair& surfaces) {
  return surfaces.first == surfaces.second && all[surfaces.first].has_rest
             ? threshold(all, kind, pair.first, pair.second, surfaces.distance)
             : surfaces.distance;
}

}  // namespace

bool Batch::counts(ContactKind kind, const FeaturePair& pair, double squared_distance) {
  const Search& search = *collector_.search_;
  const Surfaces& all = search.surfaces;
  const SurfacePair* surfaces = look_up(search, slots_of(all, kind, pair), buffers_->last_pair);
  if (surfaces == nullptr) return false;
  if (surfaces->first == surfaces->second && !filtered_ &&
      are_neighbours(all, kind, pair.first, pair.second)) {
    ++counters.filtered;
    return false;
  }
  const double limit = limit_of(all, kind, pair, *surfaces) + search.margin;
  return squared_distance < limit * limit;
}

void Batch::test_crossings(ContactKind kind) {
  const Search& search = *collector_.search_;
  const Surfaces& all = search.surfaces;
  const auto& [pairs, count] = buffers_->of_kind[static_cast<std::size_t>(kind)];
  for (std::size_t i = 0; i < count; ++i) {
    // Also where boxes were looked at: this proof is the sharper one within rounding, and all finders are to
    // give the same answers.
    if ((!filtered_ && share_a_vertex(all, kind, pairs[i])) ||
        stay_apart(all, kind, pairs[i], search.crossing))
      continue;
    const SurfacePair* surfaces = look_up(search, slots_of(all, kind, pairs[i]), buffers_->last_pair);
    if (surfaces == nullptr) continue;
    if (surfaces->first == surfaces->second && search.crossing.skips_neighbours(surfaces->first) &&
        are_neighbours(all, kind, pairs[i].first, pairs[i].second)) {
      ++counters.filtered;
      continue;
    }
    CrossingOptions options = search.crossing;
    const bool all_count = options.window >= 1;
    if (!all_count) options.until = std::min(options.until, collector_.last_of(surfaces));
    const CrossingTime found = find_crossing(all, kind, pairs[i], options);
    if (!found.hit) continue;
    if (!all_count && found.time > 0) collector_.note(surfaces, found.time);
    keep(contact_key(kind, pairs[i].first, pairs[i].second));
    buffers_->when[in_block_ - 1] = {found.time, found.sure};
  }
}

void Batch::take_block() {
  Buffers& b = *buffers_;
  const std::lock_guard lock(collector_.mutex_);
  if (block_ != nullptr) collector_.used_[b.block_number] = in_block_;
  b.block_number = collector_.take_block();
  block_ = collector_.blocks_[b.block_number].get();
  b.when = collector_.when_[b.block_number].get();
  in_block_ = 0;
}

Collector::Packing::Packing(const Surfaces& all)
    : second_bits(static_cast<int>(std::bit_width(3 * all.triangles().size()))),
      kind_bit(second_bits + static_cast<int>(std::bit_width(
                                 std::max(all.positions().size(), 3 * all.triangles().size())))) {}

Collector::Collector() = default;
Collector::~Collector() = default;

std::size_t Collector::take_block() {
  if (blocks_used_ == blocks_.size()) {
    blocks_.push_back(std::make_unique<std::uint64_t[]>(Batch::block_size));
    when_.emplace_back();
    used_.push_back(0);
  }
  if (search_->surfaces.moving() && !when_[blocks_used_])
    when_[blocks_used_] = std::make_unique<When[]>(Batch::block_size);
  return blocks_used_++;
}

void Collector::note(const SurfacePair* pair, double time) {
  std::atomic<double>& first = first_of(pair);
  double then = first.load(std::memory_order_relaxed);
  while (time < then && !first.compare_exchange_weak(then, time, std::memory_order_relaxed)) {
  }
}

void Collector::begin(const Search& search) {
  search_ = &search;
  blocks_used_ = 0;
  counters_ = {};
  test_nanoseconds_ = 0;
  if (search.crossing.window < 1) {
    // Atomic numbers cannot be moved: there is room for some more.
    if (firsts_.size() < search.pairs.size())
      firsts_ = std::vector<std::atomic<double>>(search.pairs.size() + search.pairs.size() / 4);
    for (std::size_t i = 0; i < search.pairs.size(); ++i) firsts_[i].store(1, std::memory_order_relaxed);
  }
  for (const auto& buffers : idle_) {
    buffers->block = nullptr;
    buffers->in_block = Batch::block_size;
    buffers->last_pair = nullptr;
  }
}

// The keys, as they came.
std::span<std::uint64_t> Collector::packed() {
  std::size_t n = 0;
  for (std::size_t i = 0; i < blocks_used_; ++i) n += used_[i];
  // Never shrunk: what is there already need not be cleared.
  if (keys_.size() < n) keys_.resize(n + n / 4);
  // Sorted without the zeros between the numbers: fewer bits, fewer passes.
  pack_ = Packing(search_->surfaces);
  std::uint64_t* to = keys_.data();
  for (std::size_t i = 0; i < blocks_used_; ++i)
    to = std::transform(blocks_[i].get(), blocks_[i].get() + used_[i], to,
                        [&](std::uint64_t key) { return pack_.pack(key); });
  return std::span(keys_).first(n);
}

// The keys, packed; each once.
std::span<std::uint64_t> Collector::sorted() {
  std::span keys = packed();
  if (!std::is_sorted(keys.begin(), keys.end())) sort_.sort(keys, true);
  // Whoever brought a pair twice left it twice, side by side.
  return keys.first(static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin()));
}

void Collector::order_keys(std::vector<std::uint64_t>& out) {
  for (const std::uint64_t packed : sorted()) out.push_back(pack_.unpack(packed));
}

double Collector::whole_until() const {
  double least = 1;
  if (search_->crossing.window < 1)
    for (std::size_t i = 0; i < search_->pairs.size(); ++i)
      least = std::min(least, firsts_[i].load(std::memory_order_relaxed) + search_->crossing.window);
  return least;
}

std::span<const Crossing> Collector::order_crossings() {
  const std::span<std::uint64_t> keys = packed();
  const std::size_t n = keys.size();
  if (times_.size() < n) {
    times_.resize(n + n / 4);
    places_.resize(n + n / 4);
    crossings_.resize(n + n / 4);
  }
  When* to = times_.data();
  for (std::size_t i = 0; i < blocks_used_; ++i)
    to = std::copy(when_[i].get(), when_[i].get() + used_[i], to);
  const std::span places = std::span(places_).first(n);
  std::iota(places.begin(), places.end(), 0u);
  sort_.sort(keys, places);
  std::size_t count = 0;
  const SurfacePair* last = nullptr;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) continue;  // brought twice
    const Slots slots = slots_of(search_->surfaces, pack_.kind(keys[i]), pack_.pair(keys[i]));
    const When& when = times_[places[i]];
    if (search_->crossing.window < 1 && when.time > last_of(look_up(*search_, slots, last))) continue;
    crossings_[count++] = {pack_.unpack(keys[i]), when.time, slots.first, slots.second, when.sure};
  }
  return std::span<const Crossing>(crossings_).first(count);
}

std::span<const Contact> Collector::order() {
  const std::span<std::uint64_t> keys = sorted();
  if (contacts_.size() < keys.size()) contacts_.resize(keys.size() + keys.size() / 4);
  parallel_chunks(keys.size(), 1024, [&](Chunk chunk) {
    fill(std::span<const std::uint64_t>(keys).subspan(chunk.begin, chunk.end - chunk.begin),
         contacts_.data() + chunk.begin);
  });
  return std::span<const Contact>(contacts_).first(keys.size());
}

// The contacts of these keys: computed a few at a time, which stay near.
void Collector::fill(std::span<const std::uint64_t> keys, Contact* out) const {
  constexpr std::size_t some = 64;
  std::array<FeaturePair, some> pairs;
  std::array<double, some> squared;
  const Surfaces& all = search_->surfaces;
  const SurfacePair* last = nullptr;
  // Usually there is one surface, searched with itself.
  const bool alone = search_->pairs.size() == 1 && search_->pairs[0].first == search_->pairs[0].second;
  const Slots one{search_->pairs[0].first, search_->pairs[0].first};
  while (!keys.empty()) {
    const ContactKind kind = pack_.kind(keys[0]);
    std::size_t n = 0;
    for (; n < std::min(some, keys.size()) && pack_.kind(keys[n]) == kind; ++n)
      pairs[n] = pack_.pair(keys[n]);
    make_contacts(kind, all.positions(), all.triangles(), std::span(pairs).first(n), out, squared.data());
    for (std::size_t i = 0; i < n; ++i) {
      const Slots slots = alone ? one : slots_of(all, kind, pairs[i]);
      out[i].first_surface = slots.first;
      out[i].second_surface = slots.second & 0x7fffffffu;
      if (search_->margin > 0) {
        const double limit = limit_of(all, kind, pairs[i], *look_up(*search_, slots, last));
        out[i].in_margin = !(squared[i] < limit * limit);
      }
    }
    out += n;
    keys = keys.subspan(n);
  }
}

std::size_t Collector::memory() const {
  return blocks_.size() * Batch::block_size * sizeof(std::uint64_t) + contacts_.capacity() * sizeof(Contact) +
         2 * keys_.capacity() * sizeof(std::uint64_t) + idle_.size() * sizeof(Batch::Buffers);
}

}  // namespace palpate
