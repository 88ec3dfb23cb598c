#include <palpate/collide/crossing.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/collide/crossing_stretch.h>
#include <palpate/geometry/intersect.h>

namespace palpate {

namespace {

using namespace detail;

// The two features over the whole step, in numbers of one kind.
template <class T>
class Pair {
 public:
  Pair(ContactKind kind, const FourPoints& start, const FourPoints& end, double separation) : kind_(kind) {
    const bool triangle = kind == ContactKind::vertex_triangle;
    const std::size_t origin = triangle ? 0 : 2, a = triangle ? 1 : 0, b = triangle ? 2 : 1;
    const auto seen = [&](std::size_t i) {
      const auto from = [&](const FourPoints& x) {
        return Point<T>{T(x[i].x()) - T(x[origin].x()), T(x[i].y()) - T(x[origin].y()),
                        T(x[i].z()) - T(x[origin].z())};
      };
      return Ends<T>{from(start), from(end)};
    };
    whole_ = {seen(a), seen(b), seen(3)};
    double farthest = 0, sum = separation;
    each([&](const T& number) {
      farthest = std::max(farthest, std::abs(static_cast<double>(number)));
      sum += static_cast<double>(number);
    });
    is_finite_ = std::isfinite(sum);
    // Powers of two change nothing but the range of products.
    double scale = 1;
    if (is_finite_ && farthest > 0 && (farthest < 1e-50 || farthest > 1e50)) {
      scale = std::ldexp(1.0, std::clamp(-std::ilogb(farthest), -1000, 1000));
      each([&](T& number) { number = scaled(number, scale); });
    }
    size_ = 2 * farthest * scale;
    separation_ = separation * scale;
    gap_ = separation_ + Numbers<T>::rounding * size_;
  }

  bool is_finite() const { return is_finite_; }
  // Whether they are nearer than the separation at a time, for sure.
  bool is_near(const T& time) const {
    if (!(separation_ > 0)) return false;
    const Point<T> a = at(whole_.a, time), b = at(whole_.b, time), c = at(whole_.c, time);
    const double distance = kind_ == ContactKind::vertex_triangle ? length(to_point_of_triangle(a, b, c))
                                                                  : length(to_edge(a, b, c));
    return distance + Numbers<T>::rounding * size_ < separation_;
  }

  Judgement judge(const T& from, const T& to) const {
    const Stretch<T> stretch = between(from, to);
    return kind_ == ContactKind::vertex_triangle ? judge_triangle(stretch, gap_, size_)
                                                 : judge_edges(stretch, gap_, size_);
  }
  static T not_negative(const T& x) { return x >= T(0) ? x : T(0); }  // nor nothing at all
  // From a time, how much of the rest the direction between the two at that time keeps them apart; more than
  // 1: to the end.
  T look_ahead(const T& from) const {
    const Stretch<T> s = between(from, T(1));
    const bool triangle = kind_ == ContactKind::vertex_triangle;
    const Point<T> n =
        triangle ? to_triangle(s.a.begin, s.b.begin, s.c.begin) : to_edge(s.a.begin, s.b.begin, s.c.begin);
    const T bound = T(length(n) * gap_ + nothing);
    T part = T(2);
    const auto take = [&](const T& begin, const T& end) {
      if (!(begin > bound))
        part = T(0);
      else if (!(end > bound))
        part = least(part, not_negative((begin - bound) / (begin - end)));
    };
    const T a[2] = {dot(n, s.a.begin), dot(n, s.a.end)}, b[2] = {dot(n, s.b.begin), dot(n, s.b.end)},
            c[2] = {dot(n, s.c.begin), dot(n, s.c.end)};
    take(a[0], a[1]);
    take(b[0], b[1]);
    if (triangle) {
      take(c[0], c[1]);
    } else {
      take(a[0] - c[0], a[1] - c[1]);
      take(b[0] - c[0], b[1] - c[1]);
    }
    return part;
  }

 private:
  template <class Do>
  void each(Do&& work) {
    for (Ends<T>* ends : {&whole_.a, &whole_.b, &whole_.c})
      for (Point<T>* p : {&ends->begin, &ends->end})
        for (T* number : {&p->x, &p->y, &p->z}) work(*number);
  }
  static Point<T> at(const Ends<T>& e, const T& t) {
    if (t <= T(0)) return e.begin;
    if (t >= T(1)) return e.end;
    return (T(1) - t) * e.begin + t * e.end;
  }
  Stretch<T> between(const T& from, const T& to) const {
    const auto part = [&](const Ends<T>& e) { return Ends<T>{at(e, from), at(e, to)}; };
    return {part(whole_.a), part(whole_.b), part(whole_.c)};
  }

  ContactKind kind_;
  Stretch<T> whole_;
  bool is_finite_;
  double size_, separation_, gap_;
};

// `brief`: what cannot be shown within the tolerance is left. `until`: the way there is the same, whenever it
// ends, and what is told of is never later.
template <class T>
CrossingTime search(const Pair<T>& pair, double tolerance, T time, bool look, bool brief, double until) {
  T length = T(1) - time;
  const auto told = [&] { return std::clamp(static_cast<double>(time) * (1 - 0x1p-52), 0.0, 1.0); };
  const auto safe = [&](bool sure, int count) {
    const double when = told();
    return when > until ? CrossingTime{false, false, until, count} : CrossingTime{true, sure, when, count};
  };
  for (int count = 1; count <= Numbers<T>::most_stretches; ++count) {
    if (told() > until) return {false, false, until, count};
    if (look) {
      const T part = pair.look_ahead(time);
      if (part > T(1)) return {false, false, 1, count};
      const T further = T(1 - 0x1p-40) * part * (T(1) - time);
      time = time + further;
      if (further > T(0.25) * length) continue;
    }
    look = true;
    length = least(length, T(1) - time);
    const auto [seen, root] = pair.judge(time, time + length);
    if (seen == Seen::apart) {
      time = time + length;
      if (time >= T(1)) return {false, false, 1, count};
      length = T(4) * length;
      continue;
    }
    if (length <= T(tolerance) &&
        (seen == Seen::crossed || pair.is_near(time) || pair.is_near(time + length)))
      return safe(true, count);
    if (seen == Seen::crossed) {
      // Up to just before they meet, if nothing is on the way.
      const T before = time + T(root) * length - T(0.5 * tolerance);
      if (before > time && pair.judge(time, before).seen == Seen::apart) time = before;
      if (before <= time) {
        length = T(tolerance);
        look = false;
        continue;
      }
    }
    if (brief && length <= T(tolerance)) return safe(false, count);
    length = T(Numbers<T>::shorter) * length;
    if (length < T(Numbers<T>::shortest)) return safe(false, count);
  }
  return safe(false, Numbers<T>::most_stretches);
}

bool touch(ContactKind kind, const FourPoints& x) {
  return kind == ContactKind::vertex_triangle ? intersects(Segment{x[0], x[0]}, Triangle{x[1], x[2], x[3]})
                                              : intersects(Segment{x[0], x[1]}, Triangle{x[2], x[3], x[3]});
}

}  // namespace

void require(const CrossingOptions& options) {
  if (!(options.separation >= 0) || !(options.separation < 1e75))
    throw Error(Place::named("parameter", "separation"), fmt::format("{} is no length", options.separation),
                "Give it in metres; 0: only what touches.");
  if (!(options.tolerance >= 1e-12) || !(options.tolerance < 1))
    throw Error(Place::named("parameter", "tolerance"),
                fmt::format("{} is no part of a step that can be told", options.tolerance),
                "Give a number from 1e-12 to 1; 1e-9 is usual.");
  for (const auto& [name, value] : {std::pair{"until", options.until}, {"window", options.window}})
    if (!(value >= 0) || !(value <= 1))
      throw Error(Place::named("parameter", name), fmt::format("{} is no part of a step", value),
                  "Give a number from 0 to 1; 1: all of it.");
}

CrossingTime find_crossing(ContactKind kind, const FourPoints& start, const FourPoints& end,
                           const CrossingOptions& options) {
  require(options);
  const Pair<double> pair(kind, start, end, options.separation);
  if (!pair.is_finite()) return {true, false, 0, 0};  // nobody can tell
  CrossingTime found =
      search<double>(pair, options.tolerance, 0.0, !options.likely, options.brief, options.until);
  if (!found.hit || found.sure) return found;
  if (options.brief && found.stretches < Numbers<double>::most_stretches) return found;
  // Within rounding: exactly there, or not at all.
  if ((found.time == 0 && touch(kind, start)) || (found.time >= 1 - options.tolerance && touch(kind, end))) {
    found.sure = true;
    return found;
  }
  if (options.separation > 0) return found;
  const Pair<Wide> wide(kind, start, end, options.separation);
  CrossingTime again =
      search<Wide>(wide, options.tolerance, Wide(found.time), true, options.brief, options.until);
  again.stretches += found.stretches;
  return again;
}

}  // namespace palpate
