// The tables of the study of the grid: for each published one, theirs beside ours.
#include <fmt/format.h>

#include <palpate/study/grid_published.h>
#include <palpate/study/study_grid.h>

namespace palpate {

namespace {

using Row = std::vector<std::string>;

std::string ms(double value) { return fmt::format("{:.2f}", value); }
std::string count(double value) { return fmt::format("{:.0f}", value); }
std::string share(double part, double of) { return of > 0 ? fmt::format("{:.1f} %", 100 * part / of) : "-"; }
std::string with_share(const std::string& text, double part, double of) {
  return fmt::format("{} ({})", text, share(part, of));
}

// The runs of a case that tables 4.1 to 4.3 have, in their order; null if one is missing.
struct Volumes {
  const GridRun *spheres_with, *spheres_without, *boxes_with, *boxes_without;
  explicit Volumes(const GridCase& c)
      : spheres_with(c.run(grid_method::spheres_features)),
        spheres_without(c.run(grid_method::spheres)),
        boxes_with(c.run(grid_method::boxes_features)),
        boxes_without(c.run(grid_method::boxes)) {}
  bool all() const {
    return spheres_with != nullptr && spheres_without != nullptr && boxes_with != nullptr &&
           boxes_without != nullptr;
  }
};

// Scenes that were simulated: those of the published tables.
std::vector<const GridCase*> simulated(const GridStudy& study) {
  std::vector<const GridCase*> cases;
  for (const GridCase& c : study.cases)
    if (c.steps > 0) cases.push_back(&c);
  return cases;
}

template <class Published, class Here>
void two_rows(Table& table, const GridStudy& study, Published&& published, Here&& here) {
  for (const GridCase* one : simulated(study)) {
    const GridCase& c = *one;
    const Volumes volumes(c);
    if (!volumes.all()) continue;
    if (const PublishedGrid* p = published_of(c.scene)) table.rows.push_back(published(*p));
    table.rows.push_back(here(c, volumes));
  }
}

Table times_table(const GridStudy& study) {
  Table table{
      "Table 4.1. Milliseconds of detection a step, by the volumes around triangles, with and without "
      "volumes around single features. One thread.",
      {"scene", "", "spheres: with", "without", "boxes: with", "without"},
      {}};
  two_rows(
      table, study,
      [](const PublishedGrid& p) -> Row {
        return {std::string(p.scene),  "published",      ms(p.spheres_with),
                ms(p.spheres_without), ms(p.boxes_with), ms(p.boxes_without)};
      },
      [](const GridCase& c, const Volumes& v) -> Row {
        return {c.scene,
                "here",
                ms(v.spheres_with->ms),
                ms(v.spheres_without->ms),
                ms(v.boxes_with->ms),
                ms(v.boxes_without->ms)};
      });
  return table;
}

Table pairs_table(const GridStudy& study) {
  Table table{"Table 4.2. Pairs of triangles to test, a step.",
              {"scene", "", "spheres", "boxes", "fewer with boxes"},
              {}};
  const auto row = [](std::string scene, const char* whose, double spheres, double boxes) -> Row {
    return {std::move(scene), whose, count(spheres), count(boxes), share(spheres - boxes, spheres)};
  };
  two_rows(
      table, study,
      [&](const PublishedGrid& p) {
        return row(std::string(p.scene), "published", p.sphere_pairs, p.box_pairs);
      },
      [&](const GridCase& c, const Volumes& v) {
        return row(c.scene, "here", c.per_frame(v.spheres_without->counts.triangle_pairs),
                   c.per_frame(v.boxes_without->counts.triangle_pairs));
      });
  return table;
}

Table features_table(const GridStudy& study) {
  Table table{"Table 4.3. Pairs of features, a step, and those that volumes of their own rule out.",
              {"scene", "", "spheres: pairs", "ruled out", "boxes: pairs", "ruled out"},
              {}};
  const auto row = [](std::string scene, const char* whose, double spheres, double out, double boxes,
                      double boxes_out) -> Row {
    return {std::move(scene), whose,
            count(spheres),   with_share(count(out), out, spheres),
            count(boxes),     with_share(count(boxes_out), boxes_out, boxes)};
  };
  two_rows(
      table, study,
      [&](const PublishedGrid& p) {
        return row(std::string(p.scene), "published", p.sphere_features, p.sphere_culled, p.box_features,
                   p.box_culled);
      },
      [&](const GridCase& c, const Volumes& v) {
        return row(c.scene, "here", c.per_frame(v.spheres_with->counts.feature_pairs),
                   c.per_frame(v.spheres_with->counts.culled_features),
                   c.per_frame(v.boxes_with->counts.feature_pairs),
                   c.per_frame(v.boxes_with->counts.culled_features));
      });
  return table;
}

// Cones, pairs, tests, other stages, all.
std::array<double, 5> cone_times(const GridRun* run) {
  if (run == nullptr) return {};
  const auto at = [&](GridStage stage) { return run->stage_ms[static_cast<std::size_t>(stage)]; };
  const double cones = at(GridStage::cones), pairs = at(GridStage::pairs), tests = at(GridStage::tests);
  return {cones, pairs, tests, run->ms - cones - pairs - tests, run->ms};
}

Table cone_times_table(const GridStudy& study) {
  Table table{
      "Table 4.4. Milliseconds of the stages that cones of normals change, inside one surface. One "
      "thread. Sound cones are ours: they lose nothing.",
      {"stage", "published: without", "with", "here: without", "published cones", "sound cones"},
      {}};
  for (const GridCase* one : simulated(study)) {
    const GridCase& c = *one;
    if (!c.self) continue;
    const std::array<double, 5> without = cone_times(c.run(grid_method::boxes)),
                                with = cone_times(c.run(grid_method::published_cones)),
                                sound = cone_times(c.run(grid_method::cones));
    constexpr std::array stages = {"cones", "pairs", "tests", "other stages", "all"};
    const PublishedCones& p = published_cones;
    for (std::size_t i = 0; i < stages.size(); ++i)
      table.rows.push_back({stages[i], with_share(ms(p.without[i]), p.without[i], p.without[4]),
                            with_share(ms(p.with[i]), p.with[i], p.with[4]),
                            with_share(ms(without[i]), without[i], without[4]),
                            with_share(ms(with[i]), with[i], with[4]),
                            with_share(ms(sound[i]), sound[i], sound[4])});
    table.rows.push_back({"saved", "", share(p.without[4] - p.with[4], p.without[4]), "",
                          share(without[4] - with[4], without[4]), share(without[4] - sound[4], without[4])});
  }
  return table;
}

Table cone_counts_table(const GridStudy& study) {
  Table table{"Table 4.5. What cones of normals leave out, a step, and what they lose by it.",
              {"", "published", "here, published cones", "here, sound cones"},
              {}};
  for (const GridCase* one : simulated(study)) {
    const GridCase& c = *one;
    const GridRun *none = c.run(grid_method::boxes), *with = c.run(grid_method::published_cones),
                  *sound = c.run(grid_method::cones);
    if (none == nullptr || with == nullptr || sound == nullptr) continue;
    const PublishedCones& p = published_cones;
    const auto part = [&](std::uint64_t some, std::uint64_t of) {
      return with_share(count(c.per_frame(some)), static_cast<double>(some), static_cast<double>(of));
    };
    const auto row = [&](const char* what, const std::string& published, auto&& of) {
      table.rows.push_back({what, published, of(*with), of(*sound)});
    };
    row("cells left alone", fmt::format("{:.0f} ({:.1f} %)", p.dropped_cells, 100 * p.dropped_cells_share),
        [&](const GridRun& r) { return part(r.counts.dropped_cells, r.counts.cells); });
    row("triangles in them",
        fmt::format("{:.0f} ({:.1f} %)", p.dropped_entries, 100 * p.dropped_entries_share),
        [&](const GridRun& r) { return part(r.counts.dropped_entries, r.counts.entries); });
    row("pairs of features, without cones", count(p.tests_without),
        [&](const GridRun&) { return count(c.per_frame(none->counts.feature_pairs)); });
    row("pairs of features, with cones", with_share(count(p.tests_with), p.tests_with, p.tests_without),
        [&](const GridRun& r) { return part(r.counts.feature_pairs, none->counts.feature_pairs); });
    row("contacts lost", "not told", [&](const GridRun& r) { return part(r.lost, c.contacts); });
  }
  return table;
}

Table sofa_table(const GridStudy& study) {
  Table table{
      "Table 4.6. Milliseconds of detection a step beside SOFA's tree, one thread. SOFA was not run "
      "here: its column is as published.",
      {"scene", "SOFA, published", "grid, published", "grid, here", "our default finder, here",
       "times faster than the grid"},
      {}};
  for (const GridCase* one : simulated(study)) {
    const GridCase& c = *one;
    const PublishedGrid* p = published_of(c.scene);
    const GridRun *grid = c.run(grid_method::boxes), *ours = c.run(grid_method::ours);
    if (grid == nullptr || ours == nullptr) continue;
    const bool given = p != nullptr && p->sofa > 0;
    table.rows.push_back({c.scene, given ? ms(p->sofa) : "-", given ? ms(p->beside_sofa) : "-", ms(grid->ms),
                          ms(ours->ms), fmt::format("{:.1f} x", grid->ms / ours->ms)});
  }
  return table;
}

void add_stages(Table& table, const GridCase& c) {
  const char* method = c.self ? grid_method::published_cones : grid_method::boxes;
  const GridRun *one = c.run(method), *all = c.run(method, true);
  const PublishedGrid* p = published_of(c.scene);
  if (one == nullptr || all == nullptr) return;
  const auto times = [](double a, double b) {
    return a >= 0.005 && b > 0 ? fmt::format("{:.2f}", a / b) : "";
  };
  const auto row = [&](std::string_view what, double p_one, double p_six, double h_one, double h_all) {
    table.rows.push_back({c.scene, std::string(what), p != nullptr ? ms(p_one) : "-",
                          p != nullptr ? ms(p_six) : "-", p != nullptr ? times(p_one, p_six) : "-", ms(h_one),
                          ms(h_all), times(h_one, h_all)});
  };
  const PublishedGrid none{};
  const PublishedGrid& q = p != nullptr ? *p : none;
  for (std::size_t k = 0; k < grid_stages; ++k) {
    if (static_cast<GridStage>(k) == GridStage::cones && !c.self) continue;
    row(name_of(static_cast<GridStage>(k)), q.one_core[k], q.six_cores[k], one->stage_ms[k],
        all->stage_ms[k]);
  }
  row("other", q.one_core[7], q.six_cores[7], one->other_ms(), all->other_ms());
  row("detection", q.total_one, q.total_six, one->ms, all->ms);
  table.rows.push_back({c.scene, "detection, by the clock", "", "", "", ms(one->wall_ms), ms(all->wall_ms),
                        times(one->wall_ms, all->wall_ms)});
  row("simulation", q.simulation_one, q.simulation_six, c.step_one.mean_ms, c.step_all.mean_ms);
}

Table stages_table(const GridStudy& study) {
  Table table{
      fmt::format(
          "Table 4.7. Milliseconds a step, stage by stage, on one thread and on all (six "
          "published, {} here). The knot with the published cones. The simulation here is "
          "ours, with our default finder. On one thread times are those of the thread, on all by the clock.",
          study.threads),
      {"scene", "stage", "published: one", "six", "times", "here: one", "all", "times"},
      {}};
  for (const GridCase* c : simulated(study)) add_stages(table, *c);
  return table;
}

Table losses_table(const GridStudy& study) {
  Table table{"What each variant finds, of all contacts of all frames. Extra ones would be an error.",
              {"scene", "variant", "contacts", "lost", "of all", "extra", "ms a step"},
              {}};
  for (const GridCase& c : study.cases)
    for (const GridRun& run : c.runs)
      if (!run.all_threads)
        table.rows.push_back({c.scene, run.method, fmt::format("{}", run.contacts),
                              fmt::format("{}", run.lost),
                              share(static_cast<double>(run.lost), static_cast<double>(c.contacts)),
                              fmt::format("{}", run.extra), ms(run.ms)});
  return table;
}

Table scenes_table(const GridStudy& study) {
  Table table{"The scenes, and the whole of our step, by our default methods.",
              {"scene", "triangles", "contact distance [mm]", "in edges", "steps", "of [ms]", "frames",
               "contacts a frame", "step, one thread [ms]", "all threads [ms]", "slowest, one thread [ms]",
               "search, one thread", "same states"},
              {}};
  for (const GridCase* one : simulated(study)) {
    const GridCase& c = *one;
    table.rows.push_back(
        {c.scene, fmt::format("{}", c.triangles), fmt::format("{:.2g}", 1e3 * c.contact_distance),
         fmt::format("{:.2f}", c.edge > 0 ? c.contact_distance / c.edge : 0), fmt::format("{}", c.steps),
         fmt::format("{:g}", 1e3 * c.step), fmt::format("{}", c.frames), count(c.per_frame(c.contacts)),
         ms(c.step_one.mean_ms), ms(c.step_all.mean_ms), ms(c.step_one.slowest_ms),
         share(c.step_one.search_share, 1), c.same_states ? "yes" : "no"});
  }
  return table;
}

}  // namespace

std::vector<Table> grid_tables(const GridStudy& study) {
  return {times_table(study),      pairs_table(study),       features_table(study),
          cone_times_table(study), cone_counts_table(study), sofa_table(study),
          stages_table(study),     losses_table(study),      scenes_table(study)};
}

}  // namespace palpate
