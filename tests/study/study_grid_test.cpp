// The study of the grid on scenes that are small: what its numbers must be like, on any machine.
#include <palpate/study/study_grid.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <palpate/base/error.h>
#include <palpate/scene/read_scene.h>

namespace palpate {
namespace {

Scene scene(const std::string& name, const std::vector<std::string>& overrides) {
  return read_scene(std::string(PALPATE_SOURCE_DIR) + "/scenes/" + name + ".toml", overrides);
}

// Tori that touch from the start, and a knot, both coarse.
const GridCase& tori() {
  static const GridCase made = [] {
    std::vector<std::string> overrides = {"body.upper.position=[0.03, 0.01, 0.16]"};
    for (const std::string body : {"lower", "upper"}) {
      overrides.push_back("body." + body + ".mesh.around=12");
      overrides.push_back("body." + body + ".mesh.rings=1");
    }
    return measure_grid(
        record_frames("tori-3200", scene("tori-3200", overrides), {.steps = 20, .every = 5, .threads = 2}),
        {.rounds = 2, .threads = 2});
  }();
  return made;
}
const GridCase& knot() {
  static const GridCase made = measure_grid(record_frames("knot", scene("knot", {"body.knot.mesh.along=44"}),
                                                          {.steps = 40, .every = 10, .threads = 2}),
                                            {.rounds = 1, .threads = 2, .self = true});
  return made;
}

TEST(StudyGrid, AllVariantsFindTheSameOrSayWhatTheyLose) {
  for (const GridCase* c : {&tori(), &knot()}) {
    EXPECT_TRUE(c->complete);
    EXPECT_TRUE(c->same_states);
    EXPECT_EQ(c->frames, 4u);
    EXPECT_GT(c->contacts, 50u) << c->scene;
    for (const GridRun& run : c->runs) {
      SCOPED_TRACE(c->scene + ", " + run.method);
      EXPECT_EQ(run.extra, 0u);
      EXPECT_EQ(run.contacts + run.lost, c->contacts);
      if (run.method.find("published") == std::string::npos) {
        EXPECT_EQ(run.lost, 0u);
      }
      EXPECT_GT(run.ms, 0);
      EXPECT_EQ(run.frame_ms.size(), c->frames);
      EXPECT_EQ(run.frame_lost.size(), c->frames);
      EXPECT_GE(run.other_ms(), -1e-9);
    }
  }
}

TEST(StudyGrid, BoxesLeaveFewerPairsThanSpheres) {
  for (const GridCase* c : {&tori(), &knot()}) {
    const GridRun *box = c->run(grid_method::boxes), *ball = c->run(grid_method::spheres),
                  *tight = c->run(grid_method::boxes_features), *all = c->run(grid_method::boxes, true);
    EXPECT_LT(box->counts.triangle_pairs, ball->counts.triangle_pairs);
    EXPECT_EQ(box->counts.feature_pairs, tight->counts.feature_pairs);
    EXPECT_GT(tight->counts.culled_features, 0u);
    EXPECT_EQ(box->counts.feature_pairs, all->counts.feature_pairs);
  }
}

TEST(StudyGrid, ConesAreForOneSurface) {
  EXPECT_EQ(tori().run(grid_method::published_cones), nullptr);
  const GridRun *none = knot().run(grid_method::boxes), *with = knot().run(grid_method::published_cones);
  ASSERT_NE(with, nullptr);
  EXPECT_EQ(none->counts.dropped_cells, 0u);
  EXPECT_GT(with->counts.dropped_cells, 0u);
  EXPECT_LT(with->counts.feature_pairs, none->counts.feature_pairs);
}

TEST(StudyGrid, PublishedConesLoseWhatIsRolledUp) {
  const GridCase c = measure_grid(rolled_sheet(), {.rounds = 1, .threads = 1, .self = true});
  EXPECT_GT(c.contacts, 1000u);
  EXPECT_GT(c.run(grid_method::published_cones)->lost, c.contacts / 100);
  EXPECT_EQ(c.run(grid_method::cones)->lost, 0u);
  EXPECT_EQ(c.run(grid_method::boxes)->lost, 0u);
}

void expect_page(const GridStudy& study, std::size_t tables) {
  pugi::xml_document document;
  const std::string html = grid_page(study);
  const auto result = document.load_string(html.c_str());
  EXPECT_TRUE(result) << result.description();
  EXPECT_EQ(document.select_nodes("//table").size(), tables);
  for (const char* number : {"4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7"})
    EXPECT_NE(html.find(std::string("Table ") + number), std::string::npos) << number;
  EXPECT_EQ(document.select_nodes("//svg[not(ancestor::svg)]").size(), grid_plots(study).size());
}

TEST(StudyGrid, HasAllTablesWithThePublishedFigures) {
  GridStudy study;
  study.cases = {tori(), knot()};
  study.claims = judge_grid_claims(study.cases);
  expect_page(study, 10);
  const std::string html = grid_page(study);
  // One of each published table.
  for (const char* figure : {"19.56", "161465", "112862", "5.83", "19466", "35.51", "56.99"})
    EXPECT_NE(html.find(figure), std::string::npos) << figure;
  EXPECT_EQ(html.find("51200"), std::string::npos);  // was not run
  const auto json = nlohmann::json::parse(grid_json(study));
  EXPECT_EQ(json["cases"].size(), 2u);
  EXPECT_EQ(json["cases"][1]["runs"].size(), knot().runs.size());
  EXPECT_EQ(json["claims"][0]["verdict"], name_of(study.claims[0].verdict));
  for (const Table& table : grid_tables(study))
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.caption;
}

TEST(StudyGrid, EndsEarlyWithWhatThereIs) {
  const GridStudy study = study_grid({.scenes = std::string(PALPATE_SOURCE_DIR) + "/scenes",
                                      .quick = true,
                                      .progress = [](double part) { return part < 0.001; }});
  EXPECT_TRUE(study.interrupted);
  EXPECT_TRUE(study.cases.empty());
  EXPECT_TRUE(nlohmann::json::parse(grid_json(study))["interrupted"]);
  expect_page(study, 10);
  EXPECT_THROW(study_grid({.scenes = "nowhere"}), Error);
}

}  // namespace
}  // namespace palpate
