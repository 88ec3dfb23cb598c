// What a detector found, beside what the oracle expects.
#include <algorithm>
#include <cmath>
#include <sstream>

#include <support/contact_oracle.h>

namespace palpate::testing {

namespace {

using Point = Eigen::Matrix<long double, 3, 1>;

// The vertices of a feature in the order in which its weights are given; side 3t + k of a mesh runs from
// corner k of triangle t to the next.
std::vector<std::uint32_t> weighted(const TriangleMesh& mesh, ContactKind kind, bool second,
                                    std::uint32_t number) {
  if (kind == ContactKind::edge_edge)
    return {mesh.triangles[number / 3][number % 3], mesh.triangles[number / 3][(number % 3 + 1) % 3]};
  if (!second) return {number};
  return {mesh.triangles[number].begin(), mesh.triangles[number].end()};
}

}  // namespace

PairName ContactOracle::name_of(const Detector& detector, const Contact& contact) const {
  PairName name{contact.kind(), contact.first_surface, contact.second_surface, {}, {}};
  const std::uint32_t first = detector.first_feature(contact), second = detector.second_feature(contact);
  if (contact.kind() == ContactKind::vertex_triangle) {
    name.first = {first, 0};
    name.second = {second, 0};
    return name;
  }
  const auto edge = [&](std::uint32_t surface, std::uint32_t side) {
    const auto v = weighted(surfaces_[surface].mesh, ContactKind::edge_edge, false, side);
    return EdgeEnds{std::min(v[0], v[1]), std::max(v[0], v[1])};
  };
  name.first = edge(name.first_surface, first);
  name.second = edge(name.second_surface, second);
  if (std::pair(name.second_surface, name.second) < std::pair(name.first_surface, name.first)) {
    std::swap(name.first, name.second);
    std::swap(name.first_surface, name.second_surface);
  }
  return name;
}

std::string ContactOracle::wrong_values(const Detector& detector, const Contact& contact,
                                        const ExpectedContact& e) const {
  std::ostringstream out;
  out.precision(17);
  const auto& one = surfaces_[contact.first_surface].mesh;
  const auto& two = surfaces_[contact.second_surface].mesh;
  const auto first = weighted(one, contact.kind(), false, detector.first_feature(contact));
  const auto second = weighted(two, contact.kind(), true, detector.second_feature(contact));
  // From a corner, so that nothing is lost far from the origin.
  const Vec3 origin = one.positions[first[0]];
  long double size = contact.distance;
  const auto point = [&](const TriangleMesh& mesh, const auto& vertices,
                         const std::array<double, 3>& weights) {
    Point sum = Point::Zero();
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const Point p = mesh.positions[vertices[i]].template cast<long double>() - origin.cast<long double>();
      sum += weights[i] * p;
      size = std::max(size, p.norm());
      if (!(weights[i] >= 0 && weights[i] <= 1)) out << "weight " << i << " is " << weights[i] << "; ";
    }
    return sum;
  };
  const Point p = point(one, first, contact.first_weights());
  const Point q = point(two, second, contact.second_weights());
  const Point across = contact.distance * contact.normal.cast<long double>();
  if (!(std::abs(contact.normal.norm() - 1) < 1e-12))
    out << "the normal is " << contact.normal.norm() << " long; ";
  if (!(std::abs(contact.distance - e.distance) <= 1e-9 * e.distance + 1e-13 * size))
    out << "the distance is " << contact.distance << " and not " << e.distance << "; ";
  if (!((q - p - across).norm() <= 1e-9 * size))
    out << "the points are " << (q - p).norm() << " apart, " << (q - p - across).norm()
        << " off the normal; ";
  if (contact.in_margin != 0 ? !e.may_be_in_margin : !e.may_be_near)
    out << "in_margin is " << contact.in_margin << " at " << e.distance << " with threshold " << e.threshold;
  return out.str();
}

std::string ContactOracle::disagreement(const Detector& detector, std::span<const Contact> found) {
  return disagreement(detector, found, all());
}

std::string ContactOracle::disagreement(const Detector& detector, std::span<const Contact> found,
                                        std::span<const ExpectedContact> some) const {
  std::vector<std::pair<PairName, const Contact*>> named;
  for (const Contact& contact : found) named.emplace_back(name_of(detector, contact), &contact);
  std::sort(named.begin(), named.end());
  std::ostringstream out;
  out.precision(17);
  const auto describe = [&](const ExpectedContact& e) {
    out << to_string(e.name) << ", " << e.distance << " apart with threshold " << e.threshold;
    return out.str();
  };
  auto at = named.begin();
  for (const ExpectedContact& e : some) {
    if (at != named.end() && at->first < e.name) break;
    if (at == named.end() || at->first != e.name) {
      if (!e.certain) continue;
      out << "missing: ";
      return describe(e);
    }
    if (const std::string wrong = wrong_values(detector, *at->second, e); !wrong.empty()) {
      out << wrong << ": ";
      return describe(e);
    }
    ++at;
  }
  if (at == named.end()) return {};
  out << "too many (or twice): " << to_string(at->first) << ", " << at->second->distance << " apart";
  return out.str();
}

}  // namespace palpate::testing
