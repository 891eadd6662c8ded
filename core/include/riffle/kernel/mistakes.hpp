#pragma once

// A public function is constrained: a call that breaks a constraint matches nothing, and a compiler fills a screen with
// what it tried. Beside each stands a function that matches such a call alone, and says in one line what is wrong with
// its first mistaken argument:
//
//     RIFFLE_EXPLAIN_MISTAKES(sort_copy, Array, MovedArray)
//
// names the roles of the arguments behind the instance. Later ones are not looked at. A room may have a role of its own,
// which then says itself what belongs there: riffle/mpi/detail/mistakes.hpp.

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

#include <riffle/kernel/call.hpp>
#include <riffle/kernel/stored_indices.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail {

enum class Mistake {
  none,
  other_call,  // not one that the roles describe
  of_role,     // one that the role says itself
  no_instance,
  label_first,
  workspace_first,
  no_view,
  a_view,
  other_memory,
  const_values,
  not_rank_1,
  not_rank_2,
  not_rank_1_or_2,
  not_integers,
  not_trivially_copyable,
};

template <class T>
inline constexpr bool is_workspace = false;
template <class Exec>
inline constexpr bool is_workspace<Workspace<Exec>> = true;

/// Of what is passed in the place of an instance. An execution space that Riffle has no kernels for is refused elsewhere.
template <class T>
constexpr Mistake mistake_of_instance() {
  if constexpr (Kokkos::is_execution_space_v<SpaceOf<T>>) {
    return Mistake::none;
  } else if constexpr (is_workspace<T>) {
    return Mistake::workspace_first;
  } else if constexpr (std::is_convertible_v<T const&, std::string>) {
    return Mistake::label_first;
  } else {
    return Mistake::no_instance;
  }
}

enum class ViewRank { one, two, one_or_two };

constexpr Mistake mistake_of_rank(ViewRank ranks, int rank) {
  switch (ranks) {
    case ViewRank::one: return rank == 1 ? Mistake::none : Mistake::not_rank_1;
    case ViewRank::two: return rank == 2 ? Mistake::none : Mistake::not_rank_2;
    default: return rank == 1 || rank == 2 ? Mistake::none : Mistake::not_rank_1_or_2;
  }
}

template <class View, class Exec>
constexpr Mistake mistake_of_memory() {
  if constexpr (!Kokkos::is_view_v<View>) {
    return Mistake::no_view;
  } else if constexpr (!Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible) {
    return Mistake::other_memory;
  } else {
    return Mistake::none;
  }
}

constexpr Mistake first_of(Mistake first, Mistake second) {
  return first == Mistake::none ? second : first;
}

/// What an argument is to be: `mistake<Argument, Exec>` says what it is instead. Where that is Mistake::of_role, the role
/// has a class template `Mistaken<number of the argument, Argument>`, as MistakenArgument is.
namespace role {

template <ViewRank ranks>
struct Read {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    constexpr Mistake of_memory = mistake_of_memory<T, Exec>();
    if constexpr (of_memory == Mistake::none) return mistake_of_rank(ranks, T::rank());
    return of_memory;
  }
};

template <ViewRank ranks>
struct Written {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    constexpr Mistake of_memory = mistake_of_memory<T, Exec>();
    if constexpr (of_memory == Mistake::none) {
      if (std::is_const_v<typename T::value_type>) return Mistake::const_values;
    }
    return Read<ranks>::template mistake<T, Exec>();
  }
};

using Array = Read<ViewRank::one>;
using WrittenArray = Written<ViewRank::one>;
using Matrix = Read<ViewRank::two>;
using WrittenMatrix = Written<ViewRank::two>;
using View = Read<ViewRank::one_or_two>;
using WrittenView = Written<ViewRank::one_or_two>;

/// A View, or a pack of Views.
template <class OfView>
struct Packed {
  template <class T, class Exec>
  struct Each {
    static constexpr Mistake mistake = OfView::template mistake<T, Exec>();
  };
  template <class... Views, class Exec>
  struct Each<ViewPack<Views...>, Exec> {
    static constexpr Mistake mistake = [] {
      Mistake first = sizeof...(Views) == 0 ? Mistake::no_view : Mistake::none;
      ((first = first_of(first, OfView::template mistake<Views, Exec>())), ...);
      return first;
    }();
  };

  template <class T, class Exec>
  static constexpr Mistake mistake() {
    return Each<T, Exec>::mistake;
  }
};

using Rows = Packed<View>;
using WrittenRows = Packed<WrittenView>;

/// An array that is moved by copies of its values' bytes.
struct MovedArray {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    constexpr Mistake of_array = WrittenArray::mistake<T, Exec>();
    if constexpr (of_array == Mistake::none) {
      if (!std::is_trivially_copyable_v<typename T::value_type>) {
        return Mistake::not_trivially_copyable;
      }
    }
    return of_array;
  }
};

struct Indices {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    constexpr Mistake of_array = Array::mistake<T, Exec>();
    if constexpr (of_array == Mistake::none) {
      if (!is_index_type<typename T::non_const_value_type>) return Mistake::not_integers;
    }
    return of_array;
  }
};

/// What OfView describes, or an object that is no View, such as a function or a plan.
template <class OfView>
struct OrObject {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    if constexpr (std::is_class_v<T> && !Kokkos::is_view_v<T> && !is_view_pack<T>) {
      return Mistake::none;
    } else {
      return OfView::template mistake<T, Exec>();
    }
  }
};

struct NoView {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    return Kokkos::is_view_v<T> || is_view_pack<T> ? Mistake::a_view : Mistake::none;
  }
};

/// An argument that tells this form of call from one with a number in its place.
template <class Role>
struct NoNumber {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    if constexpr (std::is_arithmetic_v<T>) {
      return Mistake::other_call;
    } else {
      return Role::template mistake<T, Exec>();
    }
  }
};

}  // namespace role

/// Says in a line what is wrong with an argument. Compilers name this class beside it: which argument, and its type.
template <int argument, class Type, Mistake mistake>
struct MistakenArgument {
  static constexpr bool is_mistaken = mistake != Mistake::none && mistake != Mistake::other_call;

  struct Explained {
    static_assert(mistake != Mistake::no_instance,
                  "riffle: an execution space instance belongs first, such as "
                  "Kokkos::DefaultExecutionSpace(), or a riffle::Context of one");
    static_assert(mistake != Mistake::label_first,
                  "riffle: a label comes with the instance: riffle::Context(exec, \"label\")");
    static_assert(mistake != Mistake::workspace_first,
                  "riffle: a workspace comes with the instance: riffle::Context(exec, workspace)");
    static_assert(mistake != Mistake::no_view, "riffle: a Kokkos::View belongs here");
    static_assert(mistake != Mistake::a_view,
                  "riffle: no View belongs here; Views that move together are one "
                  "argument, riffle::pack(a, b)");
    static_assert(mistake != Mistake::other_memory,
                  "riffle: kernels of this execution space cannot access this View's memory; "
                  "Kokkos::create_mirror_view_and_copy(exec, view) copies it to where they can");
    static_assert(mistake != Mistake::const_values,
                  "riffle: this View is written, and its values are const");
    static_assert(mistake != Mistake::not_rank_1,
                  "riffle: an array, a View of rank 1, belongs here");
    static_assert(mistake != Mistake::not_rank_2,
                  "riffle: a matrix, a View of rank 2, belongs here");
    static_assert(mistake != Mistake::not_rank_1_or_2,
                  "riffle: values or rows, a View of rank 1 or 2, belong here");
    static_assert(mistake != Mistake::not_integers,
                  "riffle: indices, a View of integers, belong here");
    static_assert(
        mistake != Mistake::not_trivially_copyable,
        "riffle: a View of trivially copyable values belongs here, since their bytes move");
  };
};

/// That, or what the role has in its place.
template <int argument, class Type, class Role, Mistake mistake>
struct MistakeOfRole {
  using type = MistakenArgument<argument, Type, mistake>;
};
template <int argument, class Type, class Role>
struct MistakeOfRole<argument, Type, Role, Mistake::of_role> {
  using type = typename Role::template Mistaken<argument, Type>;
};

struct NoMistake {
  static constexpr bool is_mistaken = false;
};

template <class...>
struct Roles;

/// The first argument that is not what its role says.
template <class Exec, int argument, class OfRoles, class... Arguments>
struct FirstMistake : NoMistake {};
template <class Exec, int argument, class Role, class... OtherRoles, class Type, class... Others>
struct FirstMistake<Exec, argument, Roles<Role, OtherRoles...>, Type, Others...>
    : std::conditional_t<
          Role::template mistake<Type, Exec>() != Mistake::none,
          typename MistakeOfRole<argument, Type, Role, Role::template mistake<Type, Exec>()>::type,
          FirstMistake<Exec, argument + 1, Roles<OtherRoles...>, Others...>> {};

/// The same, where the first argument is to be an instance.
template <class OfRoles, class... Arguments>
struct MistakeOfCall : NoMistake {};
template <class OfRoles, class Instance, class... Others>
struct MistakeOfCall<OfRoles, Instance, Others...>
    : std::conditional_t<mistake_of_instance<Instance>() != Mistake::none,
                         MistakenArgument<1, Instance, mistake_of_instance<Instance>()>,
                         FirstMistake<SpaceOf<Instance>, 2, OfRoles, Others...>> {};

template <class OfRoles, class... Arguments>
concept MistakenCall = MistakeOfCall<OfRoles, Arguments...>::is_mistaken;

/// What a mistaken call returns: whatever its caller wants, so that no more is said.
struct AnyResult {
  template <class T>
  operator T() const;
};

template <class OfRoles, class... Arguments>
AnyResult explain_mistake() {
  static_cast<void>(typename MistakeOfCall<OfRoles, Arguments...>::Explained());
  return {};
}

}  // namespace riffle::detail

// Used in the verb's namespace, riffle or riffle::mpi. The roles' names are those of riffle::detail::role. No namespace
// detail is opened here: in riffle::mpi it would hide riffle::detail.
//
// A program that has `using namespace riffle` and `using namespace riffle::mpi` says which of the two it calls where both
// have a verb: the other's explanation may fit a call better, as where a seed is an int.
#define RIFFLE_EXPLAIN_MISTAKES(VERB, ...)                                      \
  namespace arguments_of {                                                      \
  using namespace riffle::detail::role;                                         \
  using VERB = riffle::detail::Roles<__VA_ARGS__>;                              \
  }                                                                             \
  template <class... Arguments>                                                 \
  requires riffle::detail::MistakenCall<arguments_of::VERB, Arguments...>       \
  auto VERB(Arguments const&...)->riffle::detail::AnyResult {                   \
    return riffle::detail::explain_mistake<arguments_of::VERB, Arguments...>(); \
  }
