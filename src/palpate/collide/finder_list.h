// The functions that make finders, for the table in finder.cpp.
#pragma once

#include <memory>

#include <palpate/collide/finder.h>

namespace palpate {

std::unique_ptr<Finder> make_finder_auto(const FinderOptions& options);
std::unique_ptr<Finder> make_finder_brute(const FinderOptions& options);
std::unique_ptr<Finder> make_finder_classic_grid(const FinderOptions& options);
std::unique_ptr<Finder> make_finder_classic_trees(const FinderOptions& options);
std::unique_ptr<Finder> make_finder_classic_voxels(const FinderOptions& options);
std::unique_ptr<Finder> make_finder_grid(const FinderOptions& options);
std::unique_ptr<Finder> make_finder_tree(const FinderOptions& options);

}  // namespace palpate
