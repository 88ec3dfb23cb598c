// The figures of Leonard (2021), chapter 4, by table: i5-9400F, six cores, means of ten runs. Contact
// distances and stiffnesses are not told.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace palpate {

// Of table 4.7: region, grid, cells, sort, cones, pairs, tests, and what else there is [ms].
using PublishedStages = std::array<double, 8>;

struct PublishedGrid {
  std::string_view scene;  // ours of this name
  // 4.1 [ms]: with and without volumes around single features.
  double spheres_with, spheres_without, boxes_with, boxes_without;
  // 4.2: pairs of triangles.
  double sphere_pairs, box_pairs;
  // 4.3: pairs of features, and those that their volumes rule out.
  double sphere_features, sphere_culled, box_features, box_culled;
  // 4.6 [ms]; 0: none was given.
  double sofa, beside_sofa;
  // 4.7 [ms]; the knot with cones.
  PublishedStages one_core, six_cores;
  double total_one, total_six, simulation_one, simulation_six;
};

inline constexpr std::array<PublishedGrid, 4> published_grid = {{
    {"tori-3200",
     0.79,
     0.80,
     0.54,
     0.51,
     2506,
     965,
     7921,
     1848,
     3069,
     1748,
     0.69,
     0.53,
     {0.19, 0.00, 0.05, 0.06, 0, 0.11, 0.10, 0.01},
     {0.10, 0.00, 0.02, 0.06, 0, 0.04, 0.02, 0.01},
     0.51,
     0.25,
     15.32,
     9.79},
    {"tori",
     3.13,
     3.09,
     2.55,
     2.39,
     7302,
     3988,
     23990,
     5504,
     13107,
     6084,
     2.97,
     2.41,
     {0.81, 0.00, 0.18, 0.27, 0, 0.67, 0.45, 0.01},
     {0.38, 0.01, 0.06, 0.27, 0, 0.16, 0.10, 0.01},
     2.39,
     0.99,
     19.61,
     13.04},
    {"tori-51200",
     16.93,
     16.64,
     16.20,
     15.13,
     27759,
     25687,
     90517,
     18106,
     83558,
     25755,
     0,
     0,
     {4.18, 0.05, 0.75, 1.21, 0, 6.16, 2.73, 0.05},
     {1.79, 0.03, 0.29, 1.25, 0, 0.97, 0.79, 0.05},
     15.13,
     5.18,
     42.08,
     27.85},
    {"knot",
     19.56,
     20.75,
     11.96,
     12.06,
     161465,
     83756,
     507914,
     112862,
     264754,
     131924,
     35.51,
     12.21,
     {0.85, 0.04, 0.71, 0.95, 0.80, 2.81, 3.69, 0.04},
     {1.66, 0.02, 0.23, 0.97, 0.27, 0.75, 0.92, 0.04},
     9.90,
     4.87,
     56.99,
     27.84},
}};

// 4.4 and 4.5: the knot without cones and with them.
struct PublishedCones {
  // 4.4 [ms]: cones, pairs, tests, other stages, all.
  std::array<double, 5> without = {0, 3.66, 5.83, 2.57, 12.06}, with = {0.80, 2.81, 3.69, 2.59, 9.90};
  // 4.5.
  double dropped_cells = 1010, dropped_cells_share = 0.874;
  double dropped_entries = 19466, dropped_entries_share = 0.675;
  double tests_without = 264754, tests_with = 127479;
};
inline constexpr PublishedCones published_cones;

// Null for a scene that was not published.
inline const PublishedGrid* published_of(std::string_view scene) {
  for (const PublishedGrid& one : published_grid)
    if (one.scene == scene) return &one;
  return nullptr;
}

}  // namespace palpate
