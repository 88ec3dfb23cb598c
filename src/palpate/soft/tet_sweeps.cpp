// Projections of tetrahedra: one after the other in double, or eight at once in float.
#include <palpate/soft/tet_constraints.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/soft/tet_sweeps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <palpate/soft/tet_projection-inl.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

// --- one at a time --------------------------------------------------------------------------------

HWY_INLINE Three<double> point(const PaddedPoint& p) { return {p.at[0], p.at[1], p.at[2]}; }
HWY_INLINE void add(PaddedPoint& p, double scale, const Three<double>& by) {
  p.at[0] += scale * by.x;
  p.at[1] += scale * by.y;
  p.at[2] += scale * by.z;
}
HWY_INLINE TetNumbers<double> numbers(const TetElement& e) {
  const double* s = e.slope;
  return {{{s[0], s[1], s[2]}, {s[3], s[4], s[5]}, {s[6], s[7], s[8]}},
          e.root_volume,
          {e.mass[0], e.mass[1], e.mass[2], e.mass[3], e.mass[4], e.mass[5]},
          {e.soft[0], e.soft[1], e.soft[2]},
          {e.weight[0], e.weight[1], e.weight[2], e.weight[3]}};
}

// Calls work(element, numbers, state, multipliers of the element) for one element after the other.
template <class Rule, class Work>
HWY_INLINE void each_element(const TetElement* elements, const TetCorners* corners, std::size_t count,
                             const PaddedPoint* x, const double* multipliers, Work&& work) {
  constexpr std::size_t rows = Rule::rows;
  for (std::size_t i = 0; i < count; ++i) {
    const TetNumbers<double> t = numbers(elements[i]);
    const TetCorners& c = corners[i];
    const Three<double> origin = point(x[c[0]]);
    const Three<double> edge[3] = {point(x[c[1]]) - origin, point(x[c[2]]) - origin, point(x[c[3]]) - origin};
    const typename Rule::template State<double> state(t, edge);
    const double* from = multipliers + i / tet_pack_size * tet_pack_size * rows + i % tet_pack_size;
    double own[rows];
    for (std::size_t r = 0; r < rows; ++r) own[r] = from[r * tet_pack_size];
    work(i, t, state, own);
  }
}
template <std::size_t rows>
HWY_INLINE double* place(double* multipliers, std::size_t i) {
  return multipliers + i / tet_pack_size * tet_pack_size * rows + i % tet_pack_size;
}

void project_singly(Model model, const TetElement* elements, const TetCorners* corners, std::size_t count,
                    PaddedPoint* x, double* multipliers) {
  with_rule(model, [&](auto rule) {
    using Rule = decltype(rule);
    each_element<Rule>(elements, corners, count, x, multipliers,
                       [&](std::size_t i, const auto& t, const auto& state, const double* own) {
                         double change[Rule::rows];
                         state.change(t, own, change);
                         Three<double> move[4];
                         moves_of(t, state.pull(t, change), move);
                         double* to = place<Rule::rows>(multipliers, i);
                         for (std::size_t r = 0; r < Rule::rows; ++r)
                           to[r * tet_pack_size] = own[r] + change[r];
                         for (std::size_t k = 0; k < 4; ++k) add(x[corners[i][k]], 1, move[k]);
                       });
  });
}

void changes_singly(Model model, const TetElement* elements, const TetCorners* corners, std::size_t count,
                    const PaddedPoint* x, const double* multipliers, double* out) {
  with_rule(model, [&](auto rule) {
    using Rule = decltype(rule);
    each_element<Rule>(elements, corners, count, x, multipliers,
                       [&](std::size_t i, const auto& t, const auto& state, const double* own) {
                         double change[Rule::rows];
                         state.change(t, own, change);
                         double* to = place<Rule::rows>(out, i);
                         for (std::size_t r = 0; r < Rule::rows; ++r) to[r * tet_pack_size] = change[r];
                       });
  });
}

void apply_singly(Model model, const TetElement* elements, const TetCorners* corners, std::size_t count,
                  const PaddedPoint* x, const double* changes, const double* share, PaddedPoint* to) {
  with_rule(model, [&](auto rule) {
    using Rule = decltype(rule);
    each_element<Rule>(elements, corners, count, x, changes,
                       [&](std::size_t i, const auto& t, const auto& state, const double* change) {
                         Three<double> move[4];
                         moves_of(t, state.pull(t, change), move);
                         for (std::size_t k = 0; k < 4; ++k)
                           add(to[corners[i][k]], share[corners[i][k]], move[k]);
                       });
  });
}

double residual_singly(Model model, const TetElement* elements, const TetCorners* corners, std::size_t count,
                       const PaddedPoint* x, const double* multipliers) {
  double sum = 0;
  with_rule(model, [&](auto rule) {
    using Rule = decltype(rule);
    each_element<Rule>(elements, corners, count, x, multipliers,
                       [&](std::size_t, const auto& t, const auto& state, const double* own) {
                         if (t.root_volume == 0) return;  // fills up a pack
                         double left[Rule::rows];
                         state.residual(t, own, left);
                         for (const double number : left) sum += number * number;
                       });
  });
  return sum;
}

// --- eight at a time ------------------------------------------------------------------------------

using Floats = hn::CappedTag<float, tet_pack_size>;
using F = Lanes<Floats>;
constexpr std::size_t float_lanes = hn::MaxLanes(Floats());

// The edges from the first corner: found in double, then made short.
HWY_INLINE void edges_of(const PaddedPoint* x, const std::uint32_t (*corner)[tet_pack_size], std::size_t at,
                         Three<F>* edge) {
  HWY_ALIGN float buffer[3][4 * float_lanes];
  for (std::size_t lane = 0; lane < float_lanes; ++lane) {
    const double* origin = x[corner[0][at + lane]].at;
    for (std::size_t k = 0; k < 3; ++k) {
      const double* end = x[corner[k + 1][at + lane]].at;
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
      constexpr Doubles d;
      constexpr hn::Rebind<float, Doubles> f;
      hn::Store(hn::DemoteTo(f, hn::Sub(hn::Load(d, end), hn::Load(d, origin))), f, buffer[k] + 4 * lane);
#else
      for (std::size_t c = 0; c < 3; ++c) buffer[k][4 * lane + c] = static_cast<float>(end[c] - origin[c]);
      buffer[k][4 * lane + 3] = 0;
#endif
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    hn::Vec<Floats> unused;
    hn::LoadInterleaved4(Floats(), buffer[k], edge[k].x.v, edge[k].y.v, edge[k].z.v, unused);
  }
}

HWY_INLINE void add_moves(const Three<F>& move, const std::uint32_t* corner, PaddedPoint* x) {
  HWY_ALIGN float buffer[4 * float_lanes];
  hn::StoreInterleaved4(move.x.v, move.y.v, move.z.v, hn::Zero(Floats()), Floats(), buffer);
  for (std::size_t lane = 0; lane < float_lanes; ++lane) {
    double* to = x[corner[lane]].at;
#if HWY_MAX_BYTES >= 32 && HWY_TARGET != HWY_SCALAR
    constexpr Doubles d;
    constexpr hn::Rebind<float, Doubles> f;
    hn::Store(hn::Add(hn::Load(d, to), hn::PromoteTo(d, hn::Load(f, buffer + 4 * lane))), d, to);
#else
    for (std::size_t c = 0; c < 3; ++c) to[c] += static_cast<double>(buffer[4 * lane + c]);
#endif
  }
}

template <class Rule>
HWY_INLINE void project_pack(const TetFloatPack& pack, std::size_t at, PaddedPoint* x, double* multipliers) {
  constexpr std::size_t rows = Rule::rows;
  const auto number = [&](std::size_t i) { return F::load(pack.numbers[i] + at); };
  const TetNumbers<F> t{{{number(0), number(1), number(2)},
                         {number(3), number(4), number(5)},
                         {number(6), number(7), number(8)}},
                        number(9),
                        {number(10), number(11), number(12), number(13), number(14), number(15)},
                        {number(16), number(17), number(18)},
                        {number(19), number(20), number(21), number(22)}};
  Three<F> edge[3];
  edges_of(x, pack.corner, at, edge);
  const typename Rule::template State<F> state(t, edge);
  F own[rows], change[rows];
  float buffer[float_lanes];
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < float_lanes; ++i)
      buffer[i] = static_cast<float>(multipliers[r * tet_pack_size + at + i]);
    own[r] = F::load(buffer);
  }
  state.change(t, own, change);
  for (std::size_t r = 0; r < rows; ++r) {
    change[r].store(buffer);
    for (std::size_t i = 0; i < float_lanes; ++i)
      multipliers[r * tet_pack_size + at + i] += static_cast<double>(buffer[i]);
  }
  Three<F> move[4];
  moves_of(t, state.pull(t, change), move);
  for (std::size_t k = 0; k < 4; ++k) add_moves(move[k], pack.corner[k] + at, x);
}

void project_together(Model model, const TetFloatPack* packs, std::size_t count, PaddedPoint* x,
                      double* multipliers) {
  with_rule(model, [&](auto rule) {
    using Rule = decltype(rule);
    for (std::size_t i = 0; i < count; ++i) {
      if (packs[i].corner[0][0] == no_index) continue;
      for (std::size_t at = 0; at < tet_pack_size; at += float_lanes)
        project_pack<Rule>(packs[i], at, x, multipliers + i * tet_pack_size * Rule::rows);
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(project_singly);
HWY_EXPORT(project_together);
HWY_EXPORT(changes_singly);
HWY_EXPORT(apply_singly);
HWY_EXPORT(residual_singly);

void project_elements(Model model, std::span<const TetElement> elements, const TetCorners* corners,
                      PaddedPoint* x, double* multipliers) {
  HWY_DYNAMIC_DISPATCH(project_singly)(model, elements.data(), corners, elements.size(), x, multipliers);
}
void project_packs(Model model, std::span<const TetFloatPack> packs, PaddedPoint* x, double* multipliers) {
  HWY_DYNAMIC_DISPATCH(project_together)(model, packs.data(), packs.size(), x, multipliers);
}
void changes_of_elements(Model model, std::span<const TetElement> elements, const TetCorners* corners,
                         const PaddedPoint* x, const double* multipliers, double* out) {
  HWY_DYNAMIC_DISPATCH(changes_singly)(model, elements.data(), corners, elements.size(), x, multipliers, out);
}
void apply_to_elements(Model model, std::span<const TetElement> elements, const TetCorners* corners,
                       const PaddedPoint* x, const double* changes, const double* share, PaddedPoint* to) {
  HWY_DYNAMIC_DISPATCH(apply_singly)
  (model, elements.data(), corners, elements.size(), x, changes, share, to);
}
double squared_residual_of_elements(Model model, std::span<const TetElement> elements,
                                    const TetCorners* corners, const PaddedPoint* x,
                                    const double* multipliers) {
  return HWY_DYNAMIC_DISPATCH(residual_singly)(model, elements.data(), corners, elements.size(), x,
                                               multipliers);
}

}  // namespace palpate
#endif
