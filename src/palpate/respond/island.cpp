#include <palpate/respond/island.h>

#include <algorithm>
#include <cmath>

namespace palpate {

namespace {

constexpr double gliding = 0.01;  // [m/s]
// Of what friction may be, how far it is off at most: where not much more than so many times its weight is
// pushed with, and in hits.
constexpr double agreed = 0.1, carried = 2, agreed_in_hits = 0.5;
constexpr int more_passes = 8;                       // of friction, at most, until it agrees
constexpr double enough = 1e-8, enough_bent = 1e-3;  // of the contact distance: what is no more to be gained

}  // namespace

void Island::clear() {
  bodies_.clear();
  movers_.clear();
  touches_.clear();
  harder_.clear();
}

void Island::add_touch(const Touch& touch, double harder) {
  touches_.push_back(touch);
  harder_.push_back(harder);
}

SolveReport Island::solve(TouchingView& view) {
  view_ = &view;
  build_unknowns();
  build_couplings();
  law_.springs.clear();
  glides_.clear();
  for (std::size_t c = 0; c < touches_.size(); ++c) {
    law_.springs.push_back(spring_of(touches_[c], starts_[c], harder_[c]));
    glides_.push_back(glide_of(touches_[c]));
  }
  choose_start();
  couplings_.at(coupled_.positions(), vectors_);
  SolveOptions options;
  options.least_gain = least_gain();
  SolveReport report;
  const int passes = glances() ? 1 : view.options.passes;
  for (int pass = first_pass(); pass < passes; ++pass) {
    options.iterations = iterations_of(pass);
    if (pass > 0) update_friction();
    solve_pass(options, report);
  }
  options.iterations = std::max(1, 2 * options.iterations / 3);
  for (int more = 0; more < more_passes && bends() && !glances() && !friction_agrees(); ++more) {
    update_friction();
    solve_pass(options, report);
  }
  note_ends();
  return report;
}

void Island::solve_pass(const SolveOptions& options, SolveReport& report) {
  const SolveReport one = coupled_.solve(couplings_, law_, options);
  couplings_.at(coupled_.positions(), vectors_);
  report.iterations += one.iterations;
  report.evaluations += one.evaluations;
  report.failed = report.failed || one.failed;
  report.residual = one.residual;
}

// How hard things are pressed is known about after a few iterations; then friction is, too. What goes on from
// an earlier round is nearly there. Newton's method needs few anyway.
int Island::iterations_of(int pass) const {
  const int most = view_->options.iterations;
  if (!bends()) return most;
  const int all = again() ? (most + 1) / 2 : most;
  return pass + 1 == view_->options.passes && !glances() ? all : std::max(1, all / 3);
}

// A glance was the first one, unless something came of it.
int Island::first_pass() const {
  const bool went_on = std::all_of(bodies_.begin(), bodies_.end(), [&](std::uint32_t slot) {
    const TouchingView::Slot& state = view_->slots[slot];
    return state.glanced && !state.solved && !state.hits;
  });
  return went_on ? std::min(1, view_->options.passes - 1) : 0;
}

bool Island::glances() const { return view_->glancing && bends() && view_->slots[bodies_[0]].far; }

bool Island::again() const {
  return std::all_of(bodies_.begin(), bodies_.end(),
                     [&](std::uint32_t slot) { return view_->slots[slot].solved; });
}

void Island::note_ends() {
  const std::span<const Vec3> x = coupled_.positions();
  for (const std::uint32_t slot : bodies_) {
    TouchingView::Slot& state = view_->slots[slot];
    (glances() ? state.glanced : state.solved) = true;
    if (view_->participants[slot].kind != Participant::Kind::rigid) continue;
    const std::uint32_t first = movers_[state.place].first;
    state.end = {x[first], x[first + 1]};
  }
}

void Island::correct(RigidBodies& rigid) const {
  const std::span<const Vec3> x = coupled_.positions();
  for (const Mover& one : movers_)
    rigid.correct(one.id, x[one.first], x[one.first + 1].cwiseQuotient(one.free.radii));
}

double Island::mass() const {
  double sum = 0;
  for (const Mover& one : movers_) sum += one.free.mass;
  for (const std::uint32_t slot : bodies_)
    if (view_->participants[slot].kind == Participant::Kind::soft) sum += view_->participants[slot].mass;
  return sum;
}

// A step of a descent gains at least as much as it moves masses: when no more is in reach than what moves all
// of them by a small part of the contact distance, it is done. Newton's method is done at once when it is.
double Island::least_gain() const {
  const double by = (bends() ? enough_bent : enough) * view_->detector->contact_distance() / view_->seconds;
  return 0.5 * mass() * by * by;
}

// Where the last round ended, where the bodies were, or where they would be if they moved on as before:
// whichever is the better place.
void Island::choose_start() {
  double best = HUGE_VAL;
  try_start(Start::last, Start::last, best);
  if (again() || !movers_.empty()) try_start(Start::stay, Start::stay, best);
  if (bends()) try_start(Start::go, Start::go, best);
  if (!again() && bends() && !movers_.empty()) try_start(Start::go, Start::stay, best);
  std::copy(start_.begin(), start_.end(), coupled_.positions().begin());
}

// Of what no round has solved, the last is where it begins: soft bodies where they were, rigid ones where
// they go.
void Island::try_start(Start soft, Start rigid, double& best) {
  const std::span<Vec3> x = coupled_.positions();
  for (const Mover& one : movers_) {
    x[one.first] = rigid == Start::stay ? one.free.start : one.free.centre;
    x[one.first + 1] =
        rigid == Start::stay ? Vec3(one.free.turn_back.cwiseProduct(one.free.radii)) : Vec3(Vec3::Zero());
  }
  for (const std::uint32_t slot : bodies_) {
    const Participant& p = view_->participants[slot];
    const TouchingView::Slot& state = view_->slots[slot];
    if (p.kind == Participant::Kind::rigid && rigid == Start::last && (state.solved || state.glanced))
      std::copy(state.end.begin(), state.end.end(), x.begin() + movers_[state.place].first);
    if (p.kind != Participant::Kind::soft) continue;
    const Equations& equations = p.soft->equations();
    const std::span<const Vec3> from = p.soft->positions_before(), v = p.soft->velocities(),
                                now = p.soft->unknowns();
    for (std::size_t i = 0; i < equations.size(); ++i)
      x[state.place + i] = equations.held[i] != 0 || soft == Start::last ? now[i]
                           : soft == Start::stay                         ? from[i]
                                                 : Vec3(from[i] + view_->seconds * v[i]);
  }
  const double value = coupled_.potential(couplings_, law_);
  if (!(value < best) && best < HUGE_VAL) return;
  best = value;
  start_.assign(x.begin(), x.end());
}

// What is new may be so only because it has slid there from the next triangle: it does what most of what was
// between the two did. Where nothing was, things that meet fast enough slide.
double Island::friction_at(std::size_t c) const {
  const auto [sticking, sliding] = view_->friction_of(touches_[c]);
  const RememberedContact* const before = view_->memory.find(touches_[c].key);
  const bool slides =
      before != nullptr ? before->slides() : view_->slid_before(touches_[c]).value_or(glides_[c] > gliding);
  return slides ? sliding : sticking;
}

// By what is pushed with where things are now.
void Island::update_friction() {
  for (std::size_t c = 0; c < touches_.size(); ++c)
    law_.springs[c].slip = friction_at(c) * law_.springs[c].push(vectors_[c]);
}

// Whether friction is, by and large, what belongs to how hard things are pressed in the end. Of contacts that
// are all new, as those of what slides over small triangles, little is known after a pass or two, and what
// slides would be stopped at once, or not at all. Hits are over soon, and there are better things to do then.
bool Island::friction_agrees() const {
  double off = 0, all = 0, pushes = 0;
  for (std::size_t c = 0; c < touches_.size(); ++c) {
    const ContactSpring& spring = law_.springs[c];
    const double push = spring.push(vectors_[c]), may = friction_at(c) * push;
    const double would = std::min(may, spring.tangent_stiffness * spring.across(vectors_[c]).norm());
    off += std::abs(spring.drag(vectors_[c]).norm() - would);
    all += may;
    pushes += push;
  }
  const double load = carried * mass() * view_->rigid->options().gravity.norm();
  const double enough_of =
      load > 0 ? std::clamp(agreed * pushes / load, agreed, agreed_in_hits) : agreed_in_hits;
  return !(off > enough_of * all);
}

Vec3 Island::velocity_of(std::uint32_t vertex) const {
  const Surfaces& surfaces = view_->detector->surfaces();
  const std::uint32_t slot = surfaces.surface_of_vertex(vertex), own = vertex - surfaces[slot].first_vertex;
  const Participant& p = view_->participants[slot];
  const Vec3& start = surfaces.positions()[vertex];
  if (p.kind == Participant::Kind::soft) return view_->vertex_velocity(slot, own);
  if (p.kind != Participant::Kind::rigid) return (view_->vertex_end(slot, own) - start) / view_->seconds;
  const RigidBodies::FreeMotion& free = movers_[view_->slots[slot].place].free;
  return free.velocity + free.spin.cross(start - free.start);
}

// Of a new contact, how fast things go across it [m/s].
double Island::glide_of(const Touch& touch) const {
  if (view_->memory.find(touch.key) != nullptr) return 0;
  Vec3 velocity = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k)
    if (touch.weights[k] != 0) velocity += touch.weights[k] * velocity_of(touch.vertices[k]);
  return (velocity - touch.normal.dot(velocity) * touch.normal).norm();
}

}  // namespace palpate
