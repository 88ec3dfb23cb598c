#include <palpate/collide/finder.h>

#include <string>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>
#include <palpate/collide/finder_list.h>

namespace palpate {

namespace {

constexpr FinderEntry table[] = {
    {"auto", "tree where triangles stay, grid where they are new or were changed", make_finder_auto},
    {"tree", "8-wide boxes over leaves of 8 triangles, with masks for neighbours", make_finder_tree},
    {"grid", "one sorted grid for the scene, made anew at every call", make_finder_grid},
    {"classic_grid", "a grid for each pair of surfaces (Leonard 2021), repaired: the reference",
     make_finder_classic_grid},
    {"classic_voxels", "one grid for the scene, dated lists (Meseure 1998)", make_finder_classic_voxels},
    {"classic_trees", "oriented and axis-aligned binary trees (Meseure 1998)", make_finder_classic_trees},
    {"brute", "every pair of features, one by one: the oracle", make_finder_brute},
};

}  // namespace

std::span<const FinderEntry> finders() { return table; }

std::unique_ptr<Finder> make_finder(std::string_view name, const FinderOptions& options) {
  std::vector<std::string> names;
  for (const FinderEntry& entry : table) {
    if (entry.name == name) return entry.make(options);
    names.emplace_back(entry.name);
  }
  throw Error(Place::named("finder", name), "there is none of this name", did_you_mean(name, names));
}

}  // namespace palpate
