#include <palpate/solve/reduced_gradients.h>

#include <algorithm>

#include <palpate/base/parallel.h>
#include <palpate/solve/vectors.h>

namespace palpate {

namespace {

constexpr std::size_t passes = 4;  // over all nodes, in which a gradient would add them up

// out = matrix * in, of so many rows.
template <std::size_t rows>
void multiply(const double* matrix, std::size_t count, const PaddedPoint* in, Vec3* out) {
  double sum[rows][4] = {};
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t k = 0; k < 4; ++k) sum[r][k] += matrix[r * count + j] * in[j].at[k];
  for (std::size_t r = 0; r < rows; ++r) out[r] = {sum[r][0], sum[r][1], sum[r][2]};
}

}  // namespace

bool ReducedGradients::prepare(std::span<const Part> parts, std::span<const std::uint32_t> pair_nodes,
                               const Couplings& couplings, std::size_t nodes) {
  if (parts.empty() || couplings.empty() || !find_nodes(parts, couplings, nodes)) return false;
  parallel_for(own_.size(), 1, [&](std::size_t p) {
    const Own& own = own_[p];
    const auto local = std::span<const std::uint32_t>(local_).subspan(own.begin, own.count);
    own.solver->gather_columns(own.size, local,
                               std::span(matrices_).subspan(own.matrix, own.count * own.count));
  });
  for (const std::uint32_t node : pair_nodes) {
    place_[node] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(node);
  }
  take_entries(couplings);
  for (auto* list : {&z0_, &s_, &gs_, &t_, &gt_, &u_, &at_, &law_}) list->resize(nodes_.size());
  padded_.resize(soft_);
  whole_.resize(nodes);
  return true;
}

// Those of systems that couplings follow and that nothing holds, part by part.
bool ReducedGradients::find_nodes(std::span<const Part> parts, const Couplings& couplings,
                                  std::size_t nodes) {
  own_.clear();
  nodes_.clear();
  local_.clear();
  place_.assign(nodes, none);
  std::size_t dense = 0, sparse = 0, numbers = 0;
  const std::span<const std::uint32_t> followed = couplings.followed();
  for (const Part& part : parts) {
    Own own{part.solver, part.first, part.held.size(), nodes_.size(), 0, numbers};
    for (auto at = std::lower_bound(followed.begin(), followed.end(), part.first);
         at != followed.end() && *at < part.first + part.held.size(); ++at) {
      const auto local = static_cast<std::uint32_t>(*at - part.first);
      if (part.held[local] != 0) continue;
      place_[*at] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(*at);
      local_.push_back(local);
    }
    own.count = nodes_.size() - own.begin;
    // With no more, to find all columns anew takes no longer than the gradients of a step would.
    if (own.count > MetricColumns::most(own.size)) return false;
    numbers += own.count * own.count;
    dense += own.count * own.count;
    sparse += part.solver->metric_entries() + passes * own.size;
    own_.push_back(own);
  }
  soft_ = nodes_.size();
  matrices_.resize(numbers);
  return dense <= sparse;
}

void ReducedGradients::take_entries(const Couplings& couplings) {
  begin_.clear();
  entries_.clear();
  arms_.clear();
  for (std::size_t c = 0; c < couplings.size(); ++c) {
    begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
    couplings.each_entry(c, [&](std::uint32_t node, double weight, const Mat3* arm) {
      if (place_[node] == none) return;
      entries_.push_back(
          {place_[node], arm != nullptr ? static_cast<std::uint32_t>(arms_.size()) : none, weight});
      if (arm != nullptr) arms_.push_back(*arm);
    });
  }
  begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
}

void ReducedGradients::by_metrics(std::span<Vec3> v) {
  parallel_for(own_.size(), 1,
               [&](std::size_t p) { own_[p].solver->solve_metric(v.subspan(own_[p].first, own_[p].size)); });
}

// gs = E^T A^-1 E s, of systems.
void ReducedGradients::by_matrices() {
  for (std::size_t i = 0; i < soft_; ++i) padded_[i] = PaddedPoint(s_[i]);
  for (const Own& own : own_) {
    const PaddedPoint* const in = padded_.data() + own.begin;
    std::size_t row = 0;
    for (; row + 4 <= own.count; row += 4)
      multiply<4>(matrices_.data() + own.matrix + row * own.count, own.count, in,
                  gs_.data() + own.begin + row);
    for (; row < own.count; ++row)
      multiply<1>(matrices_.data() + own.matrix + row * own.count, own.count, in,
                  gs_.data() + own.begin + row);
  }
}

// law = the law's second derivative times what is at the nodes.
void ReducedGradients::add_law(std::span<const Mat3> stiffness) {
  std::fill(law_.begin(), law_.end(), Vec3::Zero());
  for (const std::uint32_t c : active_) {
    const auto own = std::span<const Entry>(entries_).subspan(begin_[c], begin_[c + 1] - begin_[c]);
    Vec3 along = Vec3::Zero();
    for (const Entry& e : own)
      along += e.arm == none ? Vec3(e.weight * at_[e.node]) : arms_[e.arm] * at_[e.node];
    const Vec3 pull = stiffness[c] * along;
    for (const Entry& e : own)
      law_[e.node] += e.arm == none ? Vec3(e.weight * pull) : arms_[e.arm].transpose() * pull;
  }
}

// Of systems: residual c v + E s, gs = E^T A^-1 E s; direction a A^-1 v + A^-1 E t, gt likewise; sum so far
// y A^-1 v + A^-1 E u; z0 = E^T A^-1 v. Of pairs: residual s, after the metric gs; direction gt, before the
// metric t; sum so far u.
int ReducedGradients::solve(std::span<Vec3> v, std::span<const Mat3> stiffness, int most, double until,
                            const PairWork& pairs) {
  active_.clear();
  for (std::uint32_t c = 0; c + 1 < begin_.size(); ++c)
    if (!stiffness[c].isZero(0)) active_.push_back(c);
  const auto soft = [&](std::vector<Vec3>& of) { return std::span(of).first(soft_); };
  const auto rest = [&](std::vector<Vec3>& of) { return std::span(of).subspan(soft_); };
  std::copy(v.begin(), v.end(), whole_.begin());
  by_metrics(whole_);
  double vz = 0;
  for (const Own& own : own_)
    vz += dot(v.subspan(own.first, own.size), std::span(whole_).subspan(own.first, own.size));
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const bool is_soft = i < soft_;
    z0_[i] = is_soft ? whole_[nodes_[i]] : Vec3(Vec3::Zero());
    s_[i] = gs_[i] = is_soft ? Vec3(Vec3::Zero()) : v[nodes_[i]];
    u_[i].setZero();
  }
  pairs.solve(rest(gs_));
  t_ = s_;
  gt_ = gs_;
  double c = 1, a = 1, y = 0, along = vz + dot(rest(s_), rest(gs_));
  const double enough = until * until * along;
  int gradients = 0;
  while (gradients < most && along > enough) {
    ++gradients;
    const Share whole = {z0_.data(), a};
    add_up(1, gt_, {&whole, 1}, at_);
    add_law(stiffness);
    pairs.take(rest(at_), rest(law_));
    const Share pulled = {law_.data(), 1};
    add_up(1, t_, {&pulled, 1}, law_);
    const double curvature = a * a * vz + a * (dot(soft(z0_), soft(law_)) + dot(soft(z0_), soft(t_))) +
                             dot(soft(gt_), soft(law_)) + dot(rest(gt_), rest(law_));
    if (!(curvature > 0)) break;
    const double length = along / curvature;
    y += length * a;
    c -= length * a;
    const Share used = {law_.data(), -length};
    for (std::size_t i = 0; i < nodes_.size(); ++i) u_[i] += length * (i < soft_ ? t_[i] : gt_[i]);
    add_up(1, s_, {&used, 1}, s_);
    by_matrices();
    std::copy(rest(s_).begin(), rest(s_).end(), rest(gs_).begin());
    pairs.solve(rest(gs_));
    const double next = c * c * vz + 2 * c * dot(soft(z0_), soft(s_)) + dot(s_, gs_);
    if (!(next > 0)) break;  // it is rounding
    const double turn = next / along;
    a = c + turn * a;
    const Share last = {t_.data(), turn}, last_moved = {gt_.data(), turn};
    add_up(1, s_, {&last, 1}, t_);
    add_up(1, gs_, {&last_moved, 1}, gt_);
    along = next;
  }
  for (const Own& own : own_)
    for (Vec3& one : v.subspan(own.first, own.size)) one *= y;
  for (std::size_t i = 0; i < soft_; ++i) v[nodes_[i]] += u_[i];
  by_metrics(v);
  for (std::size_t i = soft_; i < nodes_.size(); ++i) v[nodes_[i]] = u_[i];
  return gradients;
}

}  // namespace palpate
