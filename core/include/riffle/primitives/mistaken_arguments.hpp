#pragma once

// What a compiler says of a mistaken argument: its name, and what belongs there. The texts are literals, since a
// static_assert of C++20 takes no other, so that each name has a class of its own.

namespace riffle::detail {

enum class Mistake {
  none,
  of_role,  // one that the role says itself
  no_instance,
  label_first,
  workspace_first,
  missing,
  no_view,
  host_array,
  dual_view,
  iterator,
  a_pack,
  atomic,
  a_view,
  no_whole_number,
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

#define RIFFLE_SAY_OF(NAME, MISTAKE, TEXT) \
  static_assert(is_other<mistake, Mistake::MISTAKE>, "riffle: argument " #NAME TEXT);

// RIFFLE_NAME_ARGUMENT(in) defines in<Role>, an argument of that name and role, and what is said of it.
#define RIFFLE_NAME_ARGUMENT(NAME)                                                                 \
  template <class Type, Mistake mistake>                                                           \
  struct NAME##_is {                                                                               \
    RIFFLE_SAY_OF(NAME, missing, " is missing")                                                    \
    RIFFLE_SAY_OF(NAME, no_view, ": a Kokkos::View belongs here")                                  \
    RIFFLE_SAY_OF(NAME, host_array,                                                                \
                  ": an unmanaged Kokkos::View of this array or std::vector belongs here: "        \
                  "Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(pointer, n)")      \
    RIFFLE_SAY_OF(NAME, dual_view,                                                                 \
                  ": .view_device() of this DualView belongs here, or .view_host()")               \
    RIFFLE_SAY_OF(                                                                                 \
        NAME, iterator,                                                                            \
        ": the Kokkos::View belongs here, not its iterator; Kokkos::subview makes one of a range") \
    RIFFLE_SAY_OF(                                                                                 \
        NAME, a_pack,                                                                              \
        ": one Kokkos::View belongs here; shuffle, shuffle_copy, gather, scatter, permute and "    \
        "partition_by_label take packs, and sort_by_key takes one of values")                      \
    RIFFLE_SAY_OF(                                                                                 \
        NAME, a_view,                                                                              \
        ": no View belongs here; Views that move together are one argument, riffle::pack(a, b)")   \
    RIFFLE_SAY_OF(NAME, atomic,                                                                    \
                  ": this View has the trait Atomic, with which no values are moved as bytes; "    \
                  "pass a View of the same data without it")                                       \
    RIFFLE_SAY_OF(NAME, no_whole_number, ": a whole number of at most 64 bits belongs here")       \
    RIFFLE_SAY_OF(NAME, other_memory,                                                              \
                  ": kernels of this execution space cannot access this View's memory; "           \
                  "Kokkos::create_mirror_view_and_copy(exec, view) copies it to where they can")   \
    RIFFLE_SAY_OF(NAME, const_values, ": this View is written, and its values are const")          \
    RIFFLE_SAY_OF(NAME, not_rank_1, ": an array, a View of rank 1, belongs here")                  \
    RIFFLE_SAY_OF(NAME, not_rank_2, ": a matrix, a View of rank 2, belongs here")                  \
    RIFFLE_SAY_OF(NAME, not_rank_1_or_2, ": values or rows, a View of rank 1 or 2, belong here")   \
    RIFFLE_SAY_OF(NAME, not_integers, ": indices, a View of integers, belong here")                \
    RIFFLE_SAY_OF(NAME, not_trivially_copyable,                                                    \
                  ": a View of trivially copyable values belongs here, since their bytes move")    \
  };                                                                                               \
  template <class Role>                                                                            \
  struct NAME : Role {                                                                             \
    template <class Type, Mistake mistake>                                                         \
    using Explained = NAME##_is<Type, mistake>;                                                    \
  };

RIFFLE_NAME_ARGUMENT(by)
RIFFLE_NAME_ARGUMENT(colours)
RIFFLE_NAME_ARGUMENT(columns)
RIFFLE_NAME_ARGUMENT(data)
RIFFLE_NAME_ARGUMENT(exchanges)
RIFFLE_NAME_ARGUMENT(first_rank)
RIFFLE_NAME_ARGUMENT(first_replicate)
RIFFLE_NAME_ARGUMENT(in)
RIFFLE_NAME_ARGUMENT(indices)
RIFFLE_NAME_ARGUMENT(init)
RIFFLE_NAME_ARGUMENT(keys)
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
RIFFLE_NAME_ARGUMENT(permutations)
RIFFLE_NAME_ARGUMENT(plan)
RIFFLE_NAME_ARGUMENT(predicate)
RIFFLE_NAME_ARGUMENT(q)
RIFFLE_NAME_ARGUMENT(ranks)
RIFFLE_NAME_ARGUMENT(right)
RIFFLE_NAME_ARGUMENT(rows)
RIFFLE_NAME_ARGUMENT(rule)
RIFFLE_NAME_ARGUMENT(seed)
RIFFLE_NAME_ARGUMENT(sigma)
RIFFLE_NAME_ARGUMENT(signs)
RIFFLE_NAME_ARGUMENT(sorted)
RIFFLE_NAME_ARGUMENT(statistic)
RIFFLE_NAME_ARGUMENT(stream)
RIFFLE_NAME_ARGUMENT(values)
RIFFLE_NAME_ARGUMENT(w)
RIFFLE_NAME_ARGUMENT(x)
RIFFLE_NAME_ARGUMENT(y)

#undef RIFFLE_NAME_ARGUMENT
#undef RIFFLE_SAY_OF

}  // namespace argument

}  // namespace riffle::detail
