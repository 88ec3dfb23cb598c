// The default: `tree` for surfaces whose triangles stay, `grid` for those that are new or were changed
// lately.
//
// A tree answers in a fraction of the grid's time, but it has to be made first, and made again after a cut;
// the grid keeps nothing. So a surface is searched by the grid until that has been as much work as making its
// tree, measured in pairs of triangles looked at; whatever comes then, both together never cost more than
// about twice what the better one would have. With neighbours to be masked, a tree is about fifty times as
// much work. A tree that was thrown away before it was of use makes the next one wait longer. Each pair of
// surfaces goes to one of the two; both give the same contacts, so which one it was cannot be seen in the
// result.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <palpate/collide/finder_list.h>

namespace palpate {

namespace {

// What making a tree is worth, in pairs of triangles that the grid looks at, for each triangle.
constexpr double plain_tree = 1.5, masked_tree = 64;
constexpr unsigned of_use = 16;  // searches
constexpr double looking = 0.1;  // what it takes to see that a triangle is near nothing

class FinderAuto : public Finder {
 public:
  explicit FinderAuto(const FinderOptions& options)
      : tree_(make_finder_tree(options)), grid_(make_finder_grid(options)) {}

  void update(const Search& search) override {
    if (seen_.size() < search.surfaces.slots().size()) seen_.resize(search.surfaces.slots().size());
    share(search);
    if (!with_tree_.empty()) tree_->update(part(search, with_tree_));
    if (!with_grid_.empty()) grid_->update(part(search, with_grid_));
  }

  void find(const Search& search, Collector& out) override {
    if (!with_tree_.empty()) tree_->find(part(search, with_tree_), out);
    if (with_grid_.empty()) return;
    const std::uint64_t before = out.counters().candidates;
    grid_->find(part(search, with_grid_), out);
    account(search.surfaces, static_cast<double>(out.counters().candidates - before));
  }

  std::size_t memory() const override { return tree_->memory() + grid_->memory(); }
  std::string_view remark() const override { return remark_; }

 private:
  struct Seen {
    std::uint64_t changes = 0;
    double spent = 0;       // on a triangle by the grid, since the last change
    double patience = 1;    // times what a tree is worth
    unsigned answered = 0;  // pairs of surfaces searched by the tree, since the last change
    bool counted = false;
  };

  static Search part(const Search& search, std::span<const SurfacePair> pairs) {
    Search result = search;
    result.pairs = pairs;
    return result;
  }

  bool has_paid(const Search& search, std::uint32_t slot) {
    Seen& seen = seen_[slot];
    if (seen.changes != search.surfaces[slot].changes) {
      seen.changes = search.surfaces[slot].changes;
      if (seen.answered > 0) seen.patience = seen.answered < of_use ? std::min(2 * seen.patience, 64.0) : 1;
      seen.spent = 0;
      seen.answered = 0;
    }
    return seen.spent >= seen.patience * (search.find(slot, slot) != nullptr ? masked_tree : plain_tree);
  }

  void share(const Search& search) {
    with_tree_.clear();
    with_grid_.clear();
    with_tree_.reserve(search.pairs.size());
    with_grid_.reserve(search.pairs.size());
    for (const SurfacePair& pair : search.pairs) {
      const bool paid = has_paid(search, pair.first) && has_paid(search, pair.second);
      (paid ? with_tree_ : with_grid_).push_back(pair);
      seen_[pair.first].answered += paid;
      seen_[pair.second].answered += paid;
    }
    describe();
  }

  // The work of the grid, shared out by triangles.
  void account(const Surfaces& surfaces, double work) {
    double triangles = 0;
    const auto each = [&](auto&& body) {
      for (const SurfacePair& pair : with_grid_)
        for (const std::uint32_t slot : {pair.first, pair.second}) body(seen_[slot], surfaces[slot]);
    };
    each([&](Seen& seen, const Surface& surface) {
      if (!seen.counted) triangles += surface.triangles;
      seen.counted = true;
    });
    each([&](Seen& seen, const Surface&) {
      if (seen.counted && triangles > 0) seen.spent += work / triangles + looking;
      seen.counted = false;
    });
  }

  // Into the same memory every time: a warm call allocates nothing.
  void describe() {
    constexpr std::string_view why = "triangles that are new or changed: a tree has not paid for itself yet";
    remark_.clear();
    if (with_grid_.empty()) {
      remark_ += "tree: no triangles have changed lately";
    } else if (with_tree_.empty()) {
      fmt::format_to(std::back_inserter(remark_), "grid: {}", why);
    } else {
      fmt::format_to(std::back_inserter(remark_), "tree for {} of {} pairs of surfaces; grid for {}",
                     with_tree_.size(), with_tree_.size() + with_grid_.size(), why);
    }
  }

  std::unique_ptr<Finder> tree_, grid_;
  std::vector<Seen> seen_;  // by slot
  std::vector<SurfacePair> with_tree_, with_grid_;
  std::string remark_;
};

}  // namespace

std::unique_ptr<Finder> make_finder_auto(const FinderOptions& options) {
  return std::make_unique<FinderAuto>(options);
}

}  // namespace palpate
