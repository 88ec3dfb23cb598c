// The rotation nearest to a deformation, for one number type: plain numbers, or lanes.
#if defined(PALPATE_ROTATION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALPATE_ROTATION_INL
#undef PALPATE_ROTATION_INL
#else
#define PALPATE_ROTATION_INL
#endif

#include <cstddef>

#include <hwy/highway.h>

#include <palpate/geometry/lanes-inl.h>
#include <palpate/geometry/turned.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {

HWY_INLINE Columns<double> rotation(const Columns<double>& f) {
  Mat3 m;
  for (int c = 0; c < 3; ++c) m.col(c) = Vec3(f.c[c].x, f.c[c].y, f.c[c].z);
  m = rotation_of(m);
  Columns<double> r;
  for (int c = 0; c < 3; ++c) r.c[c] = {m(0, c), m(1, c), m(2, c)};
  return r;
}
// One lane after the other.
template <class D>
HWY_INLINE Columns<Lanes<D>> rotation(const Columns<Lanes<D>>& f) {
  using T = Lanes<D>;
  constexpr std::size_t count = hn::MaxLanes(D());
  typename T::Scalar turn[9][count];
  for (std::size_t c = 0; c < 3; ++c) {
    f.c[c].x.store(turn[3 * c]);
    f.c[c].y.store(turn[3 * c + 1]);
    f.c[c].z.store(turn[3 * c + 2]);
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    Mat3 one;
    for (std::size_t i = 0; i < 9; ++i) one.data()[i] = static_cast<double>(turn[i][lane]);
    one = rotation_of(one);
    for (std::size_t i = 0; i < 9; ++i) turn[i][lane] = static_cast<typename T::Scalar>(one.data()[i]);
  }
  Columns<T> r;
  for (std::size_t c = 0; c < 3; ++c)
    r.c[c] = {T::load(turn[3 * c]), T::load(turn[3 * c + 1]), T::load(turn[3 * c + 2])};
  return r;
}

}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#endif
