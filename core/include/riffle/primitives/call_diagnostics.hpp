#pragma once

// Diagnostics of wrong calls. The arguments of public functions are constrained. For a call that violates a constraint,
// a compiler would list every candidate that does not match. Therefore each public function has an overload that
// matches only wrong calls. A static_assert in this overload says in one line which argument is wrong and what is
// expected. The macro
//
//     RIFFLE_CALL_DIAGNOSTICS(sort_copy, in<Array>, out<MovedArray>, order<Optional<NoView>>)
//
// lists the names and roles of the arguments after the instance. Arguments that are not listed are not checked. A
// module may define further roles with their own diagnostics, for example riffle/mpi/detail/rank_call.hpp.

#include <Kokkos_Core.hpp>

#include <ranges>
#include <string>
#include <type_traits>

#include <riffle/primitives/call.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/is_instance_of.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail {

// --- diagnostics of a wrong argument: its name and what is expected ---
//
// The text of a static_assert must be a literal in C++20, so each argument name has a class of its own.

enum class Mistake {
  none,
  of_role,  // the role has diagnostics of its own
  not_an_instance,
  label_first,
  workspace_first,
  missing,
  not_a_view,
  host_array,
  dual_view,
  iterator,
  unexpected_pack,
  atomic,
  unexpected_view,
  not_a_whole_number,
  other_memory,
  const_values,
  not_rank_1,
  not_rank_2,
  not_rank_1_or_2,
  not_integers,
  not_trivially_copyable,
};

template <Mistake mistake, Mistake other>
inline constexpr bool is_other = mistake != other;

namespace argument {

#define RIFFLE_DIAGNOSE(NAME, MISTAKE, TEXT) \
  static_assert(is_other<mistake, Mistake::MISTAKE>, "riffle: argument " #NAME TEXT);

// RIFFLE_NAME_ARGUMENT(in) defines in<Role>, which describes an argument with the name `in` and the role `Role`, and
// its diagnostics.
#define RIFFLE_NAME_ARGUMENT(NAME)                                                                 \
  template <class Type, Mistake mistake>                                                           \
  struct NAME##_is {                                                                               \
    RIFFLE_DIAGNOSE(NAME, missing, " is missing")                                                  \
    RIFFLE_DIAGNOSE(NAME, not_a_view, ": a Kokkos::View belongs here")                             \
    RIFFLE_DIAGNOSE(NAME, host_array,                                                              \
                    ": an unmanaged Kokkos::View of this array or std::vector belongs here: "      \
                    "Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(pointer, n)")    \
    RIFFLE_DIAGNOSE(NAME, dual_view,                                                               \
                    ": .view_device() of this DualView belongs here, or .view_host()")             \
    RIFFLE_DIAGNOSE(                                                                               \
        NAME, iterator,                                                                            \
        ": the Kokkos::View belongs here, not its iterator; Kokkos::subview makes one of a range") \
    RIFFLE_DIAGNOSE(                                                                               \
        NAME, unexpected_pack,                                                                     \
        ": one Kokkos::View belongs here; Views are sorted together by "                           \
        "sort_by_key(exec, keys, pack(a, b)); shuffle, shuffle_copy, gather, scatter, permute, "   \
        "copy_flagged, partition_flagged and partition_by_label take packs")                       \
    RIFFLE_DIAGNOSE(                                                                               \
        NAME, unexpected_view,                                                                     \
        ": no View belongs here; Views that move together are one argument, riffle::pack(a, b)")   \
    RIFFLE_DIAGNOSE(NAME, atomic,                                                                  \
                    ": this View has the trait Atomic, with which no values are moved as bytes; "  \
                    "pass a View of the same data without it")                                     \
    RIFFLE_DIAGNOSE(NAME, not_a_whole_number, ": a whole number of at most 64 bits belongs here")  \
    RIFFLE_DIAGNOSE(NAME, other_memory,                                                            \
                    ": kernels of this execution space cannot access this View's memory; "         \
                    "Kokkos::create_mirror_view_and_copy(exec, view) copies it to where they can") \
    RIFFLE_DIAGNOSE(NAME, const_values, ": this View is written, and its values are const")        \
    RIFFLE_DIAGNOSE(NAME, not_rank_1, ": an array, a View of rank 1, belongs here")                \
    RIFFLE_DIAGNOSE(NAME, not_rank_2, ": a matrix, a View of rank 2, belongs here")                \
    RIFFLE_DIAGNOSE(NAME, not_rank_1_or_2, ": values or rows, a View of rank 1 or 2, belong here") \
    RIFFLE_DIAGNOSE(NAME, not_integers, ": indices, a View of integers, belong here")              \
    RIFFLE_DIAGNOSE(NAME, not_trivially_copyable,                                                  \
                    ": a View of trivially copyable values belongs here, since their bytes move")  \
  };                                                                                               \
  template <class Role>                                                                            \
  struct NAME : Role {                                                                             \
    template <class Type, Mistake mistake>                                                         \
    using Explained = NAME##_is<Type, mistake>;                                                    \
  };

RIFFLE_NAME_ARGUMENT(algorithm)
RIFFLE_NAME_ARGUMENT(by)
RIFFLE_NAME_ARGUMENT(cells)
RIFFLE_NAME_ARGUMENT(colours)
RIFFLE_NAME_ARGUMENT(columns)
RIFFLE_NAME_ARGUMENT(counts)
RIFFLE_NAME_ARGUMENT(data)
RIFFLE_NAME_ARGUMENT(edges)
RIFFLE_NAME_ARGUMENT(first_rank)
RIFFLE_NAME_ARGUMENT(first_replicate)
RIFFLE_NAME_ARGUMENT(in)
RIFFLE_NAME_ARGUMENT(indices)
RIFFLE_NAME_ARGUMENT(init)
RIFFLE_NAME_ARGUMENT(keys)
RIFFLE_NAME_ARGUMENT(keys_out)
RIFFLE_NAME_ARGUMENT(labels)
RIFFLE_NAME_ARGUMENT(left)
RIFFLE_NAME_ARGUMENT(n)
RIFFLE_NAME_ARGUMENT(nodes)
RIFFLE_NAME_ARGUMENT(offsets)
RIFFLE_NAME_ARGUMENT(op)
RIFFLE_NAME_ARGUMENT(options)
RIFFLE_NAME_ARGUMENT(order)
RIFFLE_NAME_ARGUMENT(out)
RIFFLE_NAME_ARGUMENT(p)
RIFFLE_NAME_ARGUMENT(particles)
RIFFLE_NAME_ARGUMENT(permutations)
RIFFLE_NAME_ARGUMENT(plan)
RIFFLE_NAME_ARGUMENT(predicate)
RIFFLE_NAME_ARGUMENT(q)
RIFFLE_NAME_ARGUMENT(ranks)
RIFFLE_NAME_ARGUMENT(right)
RIFFLE_NAME_ARGUMENT(rows)
RIFFLE_NAME_ARGUMENT(rule)
RIFFLE_NAME_ARGUMENT(scheme)
RIFFLE_NAME_ARGUMENT(seed)
RIFFLE_NAME_ARGUMENT(sigma)
RIFFLE_NAME_ARGUMENT(signs)
RIFFLE_NAME_ARGUMENT(sorted)
RIFFLE_NAME_ARGUMENT(statistic)
RIFFLE_NAME_ARGUMENT(stream)
RIFFLE_NAME_ARGUMENT(values)
RIFFLE_NAME_ARGUMENT(w)
RIFFLE_NAME_ARGUMENT(weights)
RIFFLE_NAME_ARGUMENT(x)
RIFFLE_NAME_ARGUMENT(y)

#undef RIFFLE_NAME_ARGUMENT
#undef RIFFLE_DIAGNOSE

}  // namespace argument

// --- classification of wrong arguments ---

/// Classifies an argument that was passed where an instance is expected. Returns Mistake::none for every execution
/// space; execution spaces for which Riffle has no kernels have other diagnostics.
template <class T>
constexpr Mistake mistake_of_instance() {
  if constexpr (Kokkos::is_execution_space_v<SpaceOf<T>>) {
    return Mistake::none;
  } else if constexpr (is_instance_of<T, Workspace>) {
    return Mistake::workspace_first;
  } else if constexpr (std::is_convertible_v<T const&, std::string>) {
    return Mistake::label_first;
  } else {
    return Mistake::not_an_instance;
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

/// Classifies an argument that is not a View, but was passed where a View is expected.
template <class T>
constexpr Mistake mistake_of_non_view() {
  if constexpr (is_view_pack<T>) {
    return Mistake::unexpected_pack;
  } else if constexpr (requires(T const& t) {
                         t.view_device();
                         t.view_host();
                       }) {
    return Mistake::dual_view;
  } else if constexpr (std::is_pointer_v<T> || std::ranges::contiguous_range<T const>) {
    return Mistake::host_array;
  } else if constexpr (requires { typename T::iterator_category; }) {
    return Mistake::iterator;
  } else {
    return Mistake::not_a_view;
  }
}

template <class View, class Exec>
constexpr Mistake mistake_of_memory() {
  if constexpr (!Kokkos::is_view_v<View>) {
    return mistake_of_non_view<View>();
  } else if constexpr (!Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible) {
    return Mistake::other_memory;
  } else {
    return Mistake::none;
  }
}

constexpr Mistake first_of(Mistake first, Mistake second) {
  return first == Mistake::none ? second : first;
}

/// The roles of arguments. `mistake<Argument, Exec>()` classifies an argument that was passed for the role; it is
/// Mistake::none if the argument is right. If it is Mistake::of_role, the role has a class template
/// `Mistaken<Argument>` with the diagnostics.
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
      Mistake first = sizeof...(Views) == 0 ? Mistake::not_a_view : Mistake::none;
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

/// An array whose values are moved as bytes.
struct MovedArray {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    constexpr Mistake of_array = WrittenArray::mistake<T, Exec>();
    if constexpr (of_array == Mistake::none) {
      if (!std::is_trivially_copyable_v<typename T::value_type>) {
        return Mistake::not_trivially_copyable;
      }
      if (T::traits::memory_traits::is_atomic) return Mistake::atomic;
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

/// A View as described by OfView, or an object that is not a View, such as a function or a plan.
template <class OfView>
struct OrObject {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    if constexpr (std::is_class_v<T> && !Kokkos::is_view_v<T> && !is_view_pack<T> &&
                  !std::ranges::range<T const>) {
      return Mistake::none;
    } else {
      return OfView::template mistake<T, Exec>();
    }
  }
};

struct NoView {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    return Kokkos::is_view_v<T> || is_view_pack<T> ? Mistake::unexpected_view : Mistake::none;
  }
};

/// A seed, a count or a size. It is passed as a std::uint64_t, so a fraction would be truncated silently.
struct WholeNumber {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    if constexpr (Kokkos::is_view_v<T> || is_view_pack<T>) {
      return Mistake::unexpected_view;
    } else {
      return is_whole_number<T> ? Mistake::none : Mistake::not_a_whole_number;
    }
  }
};

/// An argument that may be left out.
template <class Role>
struct Optional : Role {
  static constexpr bool is_optional = true;
};

/// A role for functions whose overloads differ in whether the argument at this position is a number. If the argument is
/// a number, the roles `IfNumber` apply to this argument and all further arguments. Otherwise the argument has the role
/// `Argument`, and the further arguments have the roles that follow OrNumber in the list.
template <class Argument, class... IfNumber>
struct OrNumber {
  static constexpr bool is_optional = true;
};

}  // namespace role

/// The diagnostics for a wrong first argument.
template <class Type, Mistake mistake>
struct MistakenInstance {
  static constexpr bool is_mistaken = true;

  struct Explained {
    static_assert(mistake != Mistake::not_an_instance,
                  "riffle: an execution space instance belongs first, such as "
                  "Kokkos::DefaultExecutionSpace(), or a riffle::Context of one");
    static_assert(mistake != Mistake::label_first,
                  "riffle: a label comes with the instance: riffle::Context(exec, \"label\")");
    static_assert(mistake != Mistake::workspace_first,
                  "riffle: a workspace comes with the instance: riffle::Context(exec, workspace)");
  };
};

/// A wrong argument for which the diagnostics of the argument's name are reported.
template <class Argument, class Type, Mistake mistake>
struct MistakenArgument {
  static constexpr bool is_mistaken = true;
  using Explained = typename Argument::template Explained<Type, mistake>;
};

/// A wrong argument for which the diagnostics of the argument's role are reported.
template <class Argument, class Type>
struct MistakenArgument<Argument, Type, Mistake::of_role> {
  static constexpr bool is_mistaken = true;
  using Explained = typename Argument::template Mistaken<Type>;
};

struct NoMistake {
  static constexpr bool is_mistaken = false;
};

template <class...>
struct Roles;

template <class Argument>
inline constexpr bool may_be_left_out = requires {
  Argument::is_optional;
};

/// Finds the first argument that does not match its role.
template <class Exec, class OfRoles, class... Types>
struct FirstMistake : NoMistake {};
template <class Exec, class Argument, class... OtherArguments>
requires(!may_be_left_out<Argument>) struct FirstMistake<Exec, Roles<Argument, OtherArguments...>>
    : MistakenArgument<Argument, void, Mistake::missing> {
};
template <class Exec, class Argument, class... OtherArguments, class Type, class... Others>
struct FirstMistake<Exec, Roles<Argument, OtherArguments...>, Type, Others...>
    : std::conditional_t<Argument::template mistake<Type, Exec>() != Mistake::none,
                         MistakenArgument<Argument, Type, Argument::template mistake<Type, Exec>()>,
                         FirstMistake<Exec, Roles<OtherArguments...>, Others...>> {};
template <class Exec, class Argument, class... IfNumber, class... OtherArguments, class... Types>
struct FirstMistake<Exec, Roles<role::OrNumber<Argument, IfNumber...>, OtherArguments...>, Types...>
    : FirstMistake<Exec, Roles<Argument, OtherArguments...>> {};
template <class Exec, class Argument, class... IfNumber, class... OtherArguments, class Type,
          class... Others>
struct FirstMistake<Exec, Roles<role::OrNumber<Argument, IfNumber...>, OtherArguments...>, Type,
                    Others...>
    : std::conditional_t<std::is_arithmetic_v<Type>,
                         FirstMistake<Exec, Roles<IfNumber...>, Type, Others...>,
                         FirstMistake<Exec, Roles<Argument, OtherArguments...>, Type, Others...>> {
};

/// Finds the first wrong argument of a call whose first argument must be an instance.
template <class OfRoles, class... Arguments>
struct MistakeOfCall : NoMistake {};
template <class OfRoles, class Instance, class... Others>
struct MistakeOfCall<OfRoles, Instance, Others...>
    : std::conditional_t<mistake_of_instance<Instance>() != Mistake::none,
                         MistakenInstance<Instance, mistake_of_instance<Instance>()>,
                         FirstMistake<SpaceOf<Instance>, OfRoles, Others...>> {};

template <class OfRoles, class... Arguments>
concept MistakenCall = MistakeOfCall<OfRoles, Arguments...>::is_mistaken;

/// The result of a wrong call. It converts to every type, so that no further errors are reported.
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

// Must be used in the namespace of the function, riffle or riffle::mpi. Roles are in riffle::detail::role, and names of
// arguments in riffle::detail::argument. The macro does not open a namespace detail, because in riffle::mpi this
// namespace would hide riffle::detail.
//
// If a program has both `using namespace riffle` and `using namespace riffle::mpi`, it must qualify calls of functions
// that both namespaces have. In an unqualified call, the diagnostics of one function may be a better match than the
// other function, for example if a seed is an int.
#define RIFFLE_CALL_DIAGNOSTICS(VERB, ...)                                      \
  namespace arguments_of {                                                      \
  using namespace riffle::detail::role;                                         \
  using namespace riffle::detail::argument;                                     \
  using VERB = riffle::detail::Roles<__VA_ARGS__>;                              \
  }                                                                             \
  template <class... Arguments>                                                 \
  requires riffle::detail::MistakenCall<arguments_of::VERB, Arguments...>       \
  auto VERB(Arguments const&...)->riffle::detail::AnyResult {                   \
    return riffle::detail::explain_mistake<arguments_of::VERB, Arguments...>(); \
  }
