// Joints in a step: impulses along the gradients at its start that make them hold at its end, and impulses at
// its end that make velocities agree with them (RATTLE: Andersen 1983).
//
// Both are one symmetric linear system over all joints, J M^-1 J^T, solved by conjugate gradients without
// ever being written down: any net of joints, also with more of them than are needed. The first is solved a
// few times, as places depend on impulses in a curved way.
#include <algorithm>
#include <cmath>

#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

namespace {

constexpr double tolerance = 1e-12;  // of places, relative to how far from the origin things are, or to 1 m
constexpr double easing_speed = 1;   // at which joints that are off come together [m/s]
constexpr double solve_to = 1e-12, solve_round_to = 1e-3;  // of the first residual

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

// Those with something that moves.
void RigidBodies::list_joints() {
  active_.clear();
  sides_.clear();
  first_row_.clear();
  std::uint32_t rows = 0;
  for (std::uint32_t j = 0; j < joints_.size(); ++j) {
    if (!joints_[j]) continue;
    const auto& ids = joints_[j]->bodies();
    const std::array<std::uint32_t, 2> side = {place_of(ids[0]), place_of(ids[1])};
    const bool moves = std::any_of(side.begin(), side.end(), [&](std::uint32_t place) {
      return place != none && bodies_[place].kind == RigidKind::dynamic && !bodies_[place].asleep;
    });
    if (!moves) continue;
    active_.push_back(j);
    sides_.push_back(side);
    first_row_.push_back(rows);
    rows += static_cast<std::uint32_t>(joints_[j]->rows());
  }
  first_row_.push_back(rows);
  rows_.resize(active_.size());
  later_rows_.resize(active_.size());
  for (auto* list : {&value_, &first_value_, &found_, &multipliers_, &change_, &residual_, &direction_,
                     &product_, &scaled_, &diagonal_})
    list->assign(rows, 0);
  joined_.resize(bodies_.size());
  pushes_.resize(bodies_.size());
  twists_.resize(bodies_.size());
}

void RigidBodies::evaluate_joints(std::vector<ConstraintRows>& rows) {
  const auto side = [&](std::uint32_t place) {
    return place == none ? ConstraintSide{{}, Vec3::Zero()}
                         : ConstraintSide{pose_of(place), now_[place].centre};
  };
  for (std::size_t j = 0; j < active_.size(); ++j) {
    joints_[active_[j]]->at(side(sides_[j][0]), side(sides_[j][1]), rows[j]);
    for (std::uint32_t r = first_row_[j]; r < first_row_[j + 1]; ++r)
      value_[r] = rows[j].row[r - first_row_[j]].value;
  }
}

// What the multipliers push and twist each body with, at `rows`.
void RigidBodies::gather(const std::vector<ConstraintRows>& rows, std::span<const double> multipliers) {
  for (const auto& side : sides_)
    for (const std::uint32_t place : side)
      if (place != none) pushes_[place] = twists_[place] = Vec3::Zero();
  for (std::size_t j = 0; j < active_.size(); ++j)
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uint32_t place = sides_[j][k];
      if (place == none) continue;
      for (std::uint32_t r = first_row_[j]; r < first_row_[j + 1]; ++r) {
        const auto& row = rows[j].row[r - first_row_[j]];
        pushes_[place] += multipliers[r] * row.move[k];
        twists_[place] += multipliers[r] * row.turn[k];
      }
    }
}

// out = (seconds J M^-1 J^T + 2 compliance / seconds) multipliers; of velocities (seconds 0), J M^-1 J^T, and
// the multipliers themselves where a joint gives way.
void RigidBodies::multiply(const std::vector<ConstraintRows>& rows, std::span<const double> multipliers,
                           double seconds, std::span<double> out) {
  gather(rows, multipliers);
  for (std::size_t j = 0; j < active_.size(); ++j) {
    const double compliance = joints_[active_[j]]->compliance();
    for (std::uint32_t r = first_row_[j]; r < first_row_[j + 1]; ++r) {
      const auto& row = rows[j].row[r - first_row_[j]];
      double sum = 0;
      for (std::size_t k = 0; k < 2; ++k) {
        const std::uint32_t place = sides_[j][k];
        if (place == none || !(bodies_[place].inverse_mass > 0)) continue;
        const Body& body = bodies_[place];
        const Quat& turn = solving_at_[place].turn;
        sum += body.inverse_mass * row.move[k].dot(pushes_[place]);
        sum += (turn.conjugate() * row.turn[k])
                   .dot(body.inverse_moments.cwiseProduct(turn.conjugate() * twists_[place]));
      }
      if (seconds > 0)
        out[r] = seconds * sum + 2 * compliance / seconds * multipliers[r];
      else
        out[r] = compliance > 0 ? multipliers[r] : sum;
    }
  }
}

// To velocities and momenta of `to`, with turns as there.
void RigidBodies::add_impulses(const std::vector<ConstraintRows>& rows, std::span<const double> multipliers,
                               std::vector<Moving>& to) {
  gather(rows, multipliers);
  for (std::size_t i = 0; i < bodies_.size(); ++i) joined_[i] = 0;
  for (const auto& side : sides_)
    for (const std::uint32_t place : side)
      if (place != none && bodies_[place].inverse_mass > 0) joined_[place] = 1;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (joined_[i] == 0) continue;
    to[i].velocity += bodies_[i].inverse_mass * pushes_[i];
    to[i].momentum += to[i].turn.conjugate() * twists_[i];
  }
}

// Conjugate gradients, scaled by the diagonal.
void RigidBodies::solve(const std::vector<ConstraintRows>& rows, std::span<const double> right,
                        double seconds, std::span<double> out) {
  const std::size_t n = right.size();
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) residual_[i] = right[i];
  const auto scale = [&] {
    for (std::size_t i = 0; i < n; ++i) scaled_[i] = residual_[i] / diagonal_[i];
  };
  scale();
  std::copy(scaled_.begin(), scaled_.end(), direction_.begin());
  double along = dot(residual_, scaled_);
  // Places are found in rounds, each of which gains two digits or so: more would be lost on them.
  const double to = seconds > 0 ? solve_round_to : solve_to, enough = to * to * along;
  for (std::size_t i = 0; i < 4 * n + 20 && along > enough && along > 0; ++i) {
    multiply(rows, direction_, seconds, product_);
    const double curvature = dot(direction_, product_);
    if (!(curvature > 0)) return;
    const double length = along / curvature;
    for (std::size_t k = 0; k < n; ++k) {
      out[k] += length * direction_[k];
      residual_[k] -= length * product_[k];
    }
    scale();
    const double next = dot(residual_, scaled_);
    for (std::size_t k = 0; k < n; ++k) direction_[k] = scaled_[k] + next / along * direction_[k];
    along = next;
  }
}

void RigidBodies::find_diagonal(const std::vector<ConstraintRows>& rows, double seconds) {
  for (std::size_t j = 0; j < active_.size(); ++j) {
    const double compliance = joints_[active_[j]]->compliance();
    for (std::uint32_t r = first_row_[j]; r < first_row_[j + 1]; ++r) {
      const auto& row = rows[j].row[r - first_row_[j]];
      double sum = 0;
      for (std::size_t k = 0; k < 2; ++k) {
        const std::uint32_t place = sides_[j][k];
        if (place == none) continue;
        const Vec3 turn = solving_at_[place].turn.conjugate() * row.turn[k];
        sum += bodies_[place].inverse_mass * row.move[k].squaredNorm() +
               turn.dot(bodies_[place].inverse_moments.cwiseProduct(turn));
      }
      const double value = seconds > 0 ? seconds * sum + 2 * compliance / seconds : compliance > 0 ? 1 : sum;
      diagonal_[r] = value > 0 ? value : 1;
    }
  }
}

void RigidBodies::hold_positions(double seconds, RigidReport& report) {
  // Where things were: `before_` has those places, with the velocities after the first push.
  now_.swap(before_);
  evaluate_joints(rows_);
  first_value_ = value_;
  now_.swap(before_);
  solving_at_ = before_;
  find_diagonal(rows_, seconds);
  double farthest = 1;
  for (const auto& side : sides_)
    for (const std::uint32_t place : side)
      if (place != none) farthest = std::max(farthest, before_[place].centre.cwiseAbs().maxCoeff());
  const auto add = [&](double times) {
    for (std::size_t r = 0; r < found_.size(); ++r) {
      value_[r] = times * found_[r];
      multipliers_[r] += value_[r];
    }
    add_impulses(rows_, value_, before_);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
      if (joined_[i] != 0) drift(i, seconds);
  };
  double last = HUGE_VAL;
  for (report.rounds = 1;; ++report.rounds) {
    report.violation = find_violation(seconds);
    if (!(report.violation > tolerance * farthest) || report.rounds > options_.most_rounds) return;
    if (!(report.violation < 0.9 * last)) {  // joints that contradict each other, or are stretched out
      if (!(report.violation <= last)) add(-1);
      report.violation = std::min(last, find_violation(seconds));
      return;
    }
    last = report.violation;
    solve(rows_, change_, seconds, found_);
    add(1);
  }
}

// What joints want to be changed, as things are: to `change_`. Returns the most of it.
double RigidBodies::find_violation(double seconds) {
  evaluate_joints(later_rows_);
  double most_off = 0;
  for (std::size_t j = 0; j < active_.size(); ++j) {
    const double compliance = joints_[active_[j]]->compliance();
    for (std::uint32_t r = first_row_[j]; r < first_row_[j + 1]; ++r) {
      // What is far off comes nearer, a bit each step.
      const double off = std::abs(first_value_[r]), most = easing_speed * seconds;
      const double wanted = off > most && compliance == 0 ? first_value_[r] * (1 - most / off) : 0;
      change_[r] = -(value_[r] - wanted + 2 * compliance / seconds * multipliers_[r]);
      if (!(std::abs(change_[r]) <= most_off)) most_off = std::abs(change_[r]);  // what is not a number stays
    }
  }
  return std::isnan(most_off) ? HUGE_VAL : most_off;
}

// A joint that gives way pushes with value / compliance: half of it was there when places were found, with
// the value at the end of the step, which is what makes it stable; this is the other half.
void RigidBodies::push_by_compliance() {
  for (std::size_t j = 0; j < active_.size(); ++j)
    for (std::uint32_t r = first_row_[j]; r < first_row_[j + 1]; ++r)
      value_[r] = joints_[active_[j]]->compliance() > 0 ? multipliers_[r] : 0;
  add_impulses(later_rows_, value_, now_);
}

void RigidBodies::hold_velocities() {
  solving_at_ = now_;
  find_diagonal(later_rows_, 0);
  for (std::size_t j = 0; j < active_.size(); ++j)
    for (std::uint32_t r = first_row_[j]; r < first_row_[j + 1]; ++r) {
      const auto& row = later_rows_[j].row[r - first_row_[j]];
      double rate = 0;
      for (std::size_t k = 0; k < 2; ++k) {
        const std::uint32_t place = sides_[j][k];
        if (place != none)
          rate += row.move[k].dot(now_[place].velocity) + row.turn[k].dot(angular_velocity_of(place));
      }
      change_[r] = joints_[active_[j]]->compliance() > 0 ? 0 : -rate;
    }
  solve(later_rows_, change_, 0, found_);
  add_impulses(later_rows_, found_, now_);
}

}  // namespace palpate
