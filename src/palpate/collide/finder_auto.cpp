// The default: `tree` for surfaces whose triangles stay, `grid` for those that are new or were changed
// lately; and what the tree found is kept for surfaces that move little (kept_pairs.h).
//
// A tree answers in a fraction of the grid's time, but it has to be made first, and made again after a cut;
// the grid keeps nothing. So a surface is searched by the grid until that has been as much work as making its
// tree, measured in pairs of triangles looked at; whatever comes then, both together never cost more than
// about twice what the better one would have. With neighbours to be masked, a tree is about fifty times as
// much work. A tree that was thrown away before it was of use makes the next one wait longer. Each pair of
// surfaces goes to one of the two; both give the same contacts, so which one it was cannot be seen in the
// result.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include <palpate/collide/finder_list.h>
#include <palpate/collide/kept_pairs.h>

namespace palpate {

namespace {

// What making a tree is worth, in pairs of triangles that the grid looks at, for each triangle.
constexpr double plain_tree = 1.5, masked_tree = 64;
constexpr unsigned of_use = 16;  // searches
constexpr double looking = 0.1;  // what it takes to see that a triangle is near nothing

// Pairs are kept where a skin of a part of the reach lasts for some calls: a wider one makes a longer list.
constexpr double most_skin = 0.3;
constexpr double least_calls = 6, enough_calls = 16;
// And where testing them is less work than searching [ns]; if it was not, it is tried again much later.
constexpr double test_kept = 20, compare_vertex = 2;
constexpr double search_candidate = 100, search_tested = 8, refit_triangle = 4;
constexpr double worth = 0.6;
constexpr unsigned least_wait = 32, most_wait = 1024;  // calls

// How fast a surface moves: some of its vertices, beside where they were at the last call.
class Pace {
 public:
  double now() const { return pace_; }  // how far it moves from call to call, as it looks [m]
  void look(const Surfaces& all, const Surface& surface) {
    constexpr std::uint32_t some = 64;
    const bool same = changes_ == surface.changes;
    if (same && moves_ == surface.moves) {
      pace_ = pace_ < unknown ? pace_ / 2 : 0;
      return;
    }
    const std::uint32_t step = surface.vertices / some + 1;
    double squared = 0;
    last_.resize(some);
    for (std::uint32_t i = 0, v = 0; v < surface.vertices; v += step, ++i) {
      const Vec3& at = all.positions()[surface.first_vertex + v];
      squared = std::max(squared, (at - last_[i]).squaredNorm());
      last_[i] = at;
    }
    pace_ = same ? std::max(std::sqrt(squared), pace_ < unknown ? pace_ / 2 : 0) : unknown;
    changes_ = surface.changes;
    moves_ = surface.moves;
  }

 private:
  std::uint64_t changes_ = 0, moves_ = 0;
  std::vector<Vec3> last_;
  static constexpr double unknown = std::numeric_limits<double>::infinity();
  double pace_ = unknown;
};

class FinderAuto : public Finder {
 public:
  explicit FinderAuto(const FinderOptions& options)
      : lasting_(options.lasting), tree_(make_finder_tree(options)), grid_(make_finder_grid(options)) {}

  void update(const Search& search) override {
    // The tree of a step has no masks: it is soon made.
    if (search.surfaces.moving()) {
      tree_->update(search);
      return;
    }
    if (seen_.size() < search.surfaces.slots().size()) seen_.resize(search.surfaces.slots().size());
    share(search);
    choose_kept(search);
    describe();
    // A tree for all of its pairs at once: it has one frame for them.
    const std::span<const SurfacePair> searched = rebuild_ ? std::span<const SurfacePair>(paid_) : with_tree_;
    if (!searched.empty()) tree_->update(part(search, searched));
    if (!with_grid_.empty()) grid_->update(part(search, with_grid_));
  }

  void find(const Search& search, Collector& out) override {
    if (search.surfaces.moving()) {
      tree_->find(search, out);
      return;
    }
    if (rebuild_) rebuild(search, out);
    if (!with_list_.empty()) list_.bring(out);
    ++calls_kept_;
    if (!with_tree_.empty()) tree_->find(part(search, with_tree_), out);
    if (with_grid_.empty()) return;
    const std::uint64_t before = out.counters().candidates;
    grid_->find(part(search, with_grid_), out);
    account(search.surfaces, static_cast<double>(out.counters().candidates - before));
  }

  std::size_t memory() const override {
    return tree_->memory() + grid_->memory() + list_.memory() + found_.memory();
  }
  std::string_view remark() const override { return remark_; }
  void show(std::size_t depth, std::vector<Box>& out) const override {
    if (!paid_.empty()) tree_->show(depth, out);
    if (!with_grid_.empty()) grid_->show(depth, out);
  }

 private:
  struct Seen {
    std::uint64_t changes = 0;
    double spent = 0;       // on a triangle by the grid, since the last change
    double patience = 1;    // times what a tree is worth
    unsigned answered = 0;  // pairs of surfaces searched by the tree, since the last change
    bool counted = false;
    Pace pace;
  };

  static Search part(const Search& search, std::span<const SurfacePair> pairs) {
    Search result = search;
    result.pairs = pairs;
    return result;
  }

  bool has_paid(const Search& search, std::uint32_t slot) {
    Seen& seen = seen_[slot];
    if (seen.changes != search.surfaces[slot].changes) {
      const bool is_new = seen.changes == 0;
      seen.changes = search.surfaces[slot].changes;
      if (seen.answered > 0) seen.patience = seen.answered < of_use ? std::min(2 * seen.patience, 64.0) : 1;
      seen.spent = is_new && lasting_ ? std::numeric_limits<double>::infinity() : 0;
      seen.answered = 0;
    }
    return seen.spent >= seen.patience * (search.find(slot, slot) != nullptr ? masked_tree : plain_tree);
  }

  void share(const Search& search) {
    for (auto* list : {&paid_, &with_tree_, &with_list_, &with_grid_}) {
      list->clear();
      list->reserve(search.pairs.size());
    }
    for (const SurfacePair& pair : search.pairs) {
      const bool paid = has_paid(search, pair.first) && has_paid(search, pair.second);
      (paid ? paid_ : with_grid_).push_back(pair);
      seen_[pair.first].answered += paid;
      seen_[pair.second].answered += paid;
    }
  }

  // Of the pairs of surfaces that have trees, those that move little.
  void choose_kept(const Search& search) {
    for (const SurfacePair& pair : paid_)
      for (const std::uint32_t slot : {pair.first, pair.second})
        seen_[slot].pace.look(search.surfaces, search.surfaces[slot]);
    const auto pace = [&](const SurfacePair& pair) {
      return seen_[pair.first].pace.now() + seen_[pair.second].pace.now();
    };
    constexpr double none = std::numeric_limits<double>::infinity();
    double most = none, fastest = 0;
    const bool wait = wait_ > 0;
    wait_ -= wait;
    for (const SurfacePair& pair : paid_)
      if (const double skin = most_skin * (pair.distance + search.margin);
          !wait && least_calls * pace(pair) <= skin)
        most = std::min(most, skin);
    for (const SurfacePair& pair : paid_) {
      const bool slow = most < none && least_calls * pace(pair) <= most;
      (slow ? with_list_ : with_tree_).push_back(pair);
      if (slow) fastest = std::max(fastest, pace(pair));
    }
    skin_ = std::clamp(enough_calls * fastest, 0.1 * most, most);
    // Pairs of surfaces that have come near since go to the tree, while they are few.
    rebuild_ = false;
    if (with_list_.empty()) return;
    const auto known = std::partition(with_list_.begin(), with_list_.end(),
                                      [&](const SurfacePair& pair) { return list_.knows(search, pair); });
    const auto few = static_cast<std::ptrdiff_t>(with_list_.size() / 4);
    if (with_list_.end() - known <= few && list_.hold(search, std::span(with_list_.begin(), known))) {
      with_tree_.insert(with_tree_.end(), known, with_list_.end());
      with_list_.erase(known, with_list_.end());
      std::sort(with_tree_.begin(), with_tree_.end(), in_order);
    } else {
      rebuild_ = true;
    }
    std::sort(with_list_.begin(), with_list_.end(), in_order);
  }
  static bool in_order(const SurfacePair& a, const SurfacePair& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  }

  void rebuild(const Search& search, Collector& out) {
    const Search wider = KeptPairs::widened(search, with_list_, skin_);
    found_.begin(wider);
    tree_->find(wider, found_);
    list_.fill(search, with_list_, skin_, found_);
    Batch batch(out);
    batch.counters += found_.counters();
    ++batch.counters.rebuilt;
    judge(search.surfaces);
    calls_kept_ = 0;
  }

  // Whether the list was worth its while: what it is to be used, and how long the last one was.
  void judge(const Surfaces& all) {
    double vertices = 0, triangles = 0;
    for (const SurfacePair& pair : with_list_) {
      vertices += all[pair.first].vertices + all[pair.second].vertices;
      triangles += all[pair.first].triangles + all[pair.second].triangles;
    }
    const auto times = [](double ns, std::uint64_t count) { return ns * static_cast<double>(count); };
    const double search = times(search_candidate, found_.counters().candidates) +
                          times(search_tested, found_.counters().tested) + refit_triangle * triangles;
    const double test = times(test_kept, list_.size()) + compare_vertex * vertices;
    if (test < worth * search && calls_kept_ >= least_calls / 2) {
      next_wait_ = least_wait;
    } else {
      wait_ = next_wait_;
      next_wait_ = std::min(2 * next_wait_, most_wait);
    }
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
    const auto to = std::back_inserter(remark_);
    if (paid_.empty()) {
      fmt::format_to(to, "grid: {}", why);
      return;
    }
    if (with_grid_.empty()) {
      remark_ += "tree: no triangles have changed lately";
    } else {
      fmt::format_to(to, "tree for {} of {} pairs of surfaces; grid for {}", paid_.size(),
                     paid_.size() + with_grid_.size(), why);
    }
    if (!with_list_.empty())
      fmt::format_to(to, "; {} pairs of surfaces move little: what was found {}", with_list_.size(),
                     rebuild_ ? "is kept from this call on" : "before was kept");
  }

  bool lasting_;
  std::unique_ptr<Finder> tree_, grid_;
  std::vector<Seen> seen_;                                             // by slot
  std::vector<SurfacePair> with_grid_, paid_, with_tree_, with_list_;  // the last two make up `paid_`
  KeptPairs list_;
  Collector found_;  // for the list
  double skin_ = 0;
  bool rebuild_ = false;
  unsigned wait_ = 0, next_wait_ = least_wait;  // calls, until a list is tried again
  unsigned calls_kept_ = least_wait;            // since the list was made
  std::string remark_;
};

}  // namespace

std::unique_ptr<Finder> make_finder_auto(const FinderOptions& options) {
  return std::make_unique<FinderAuto>(options);
}

}  // namespace palpate
