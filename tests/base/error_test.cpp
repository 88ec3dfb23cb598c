#include <palpate/base/error.h>

#include <gtest/gtest.h>

namespace palpate {
namespace {

TEST(Error, SaysWhereWhatAndWhatToDo) {
  const Error error(Place::file("liver.obj", 12, 7), "coordinate 'nan' is not a number",
                    "Export the mesh again.");
  EXPECT_STREQ(error.what(), "liver.obj:12:7: coordinate 'nan' is not a number. Export the mesh again.");
  EXPECT_EQ(error.where(), "liver.obj:12:7");
  EXPECT_EQ(error.problem(), "coordinate 'nan' is not a number");
  EXPECT_EQ(error.remedy(), "Export the mesh again.");
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  EXPECT_STREQ(Error({}, "no contact distance", "Set one.").what(), "no contact distance. Set one.");
  EXPECT_STREQ(Error(Place::file("a.ply"), "is empty", "").what(), "a.ply: is empty");
  EXPECT_EQ(Place::file("a.ply", 3).text(), "a.ply:3");
  EXPECT_EQ(Place::file("a.ply", 0, 5).text(), "a.ply");  // a column without a line says nothing
}

TEST(Error, NamesElements) {
  const Place place = Place::named("surface", "cloth").element("vertex", 17);
  EXPECT_EQ(place.text(), "surface 'cloth', vertex 17");
  EXPECT_EQ(Place().element("vertex", 3).text(), "vertex 3");
}

TEST(Error, KeepsQuestionsAndSentencesAsTheyAre) {
  EXPECT_STREQ(Error({}, "unknown key 'densty', 'density'?", "See docs.").what(),
               "unknown key 'densty', 'density'? See docs.");
  EXPECT_STREQ(Error({}, "Nothing to do.", "Add a body.").what(), "Nothing to do. Add a body.");
}

}  // namespace
}  // namespace palpate
