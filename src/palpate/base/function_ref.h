// A reference to something callable: what std::function is without owning and without allocating. The
// callable must outlive the call it is passed to, as a lambda written in the argument list does.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace palpate {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
           std::is_object_v<std::remove_reference_t<F>> && std::is_invocable_r_v<Result, F&, Arguments...>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint keeps copies out
      FunctionRef(F&& f)  // implicit, so that a lambda can be passed directly
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace palpate
