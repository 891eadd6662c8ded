#pragma once

// What a compiler says of a mistaken argument: its number, its name, and what belongs there. The texts are literals, since
// a static_assert of C++20 takes no other, so that each pair of a name and a number has a class of its own.

namespace riffle::detail {

enum class Mistake {
  none,
  other_call,  // not one that the roles describe
  of_role,     // one that the role says itself
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

// RIFFLE_NAME_ARGUMENT(in) defines in<Role>, an argument of that name and role. RIFFLE_PLACE_ARGUMENT(in, 2) defines what
// is said of it where it is argument 2.
#define RIFFLE_NAME_ARGUMENT(NAME)                      \
  template <int number, class Type, Mistake mistake>    \
  struct NAME##_at;                                     \
  template <class Role>                                 \
  struct NAME : Role {                                  \
    template <int number, class Type, Mistake mistake>  \
    using Explained = NAME##_at<number, Type, mistake>; \
  };

#define RIFFLE_PLACE_ARGUMENT(NAME, NUMBER)                                                        \
  template <class Type, Mistake mistake>                                                           \
  struct NAME##_at<NUMBER, Type, mistake> {                                                        \
    static_assert(is_other<mistake, Mistake::missing>,                                             \
                  "riffle: argument " #NUMBER " (" #NAME ") is missing");                          \
    static_assert(is_other<mistake, Mistake::no_view>,                                             \
                  "riffle: argument " #NUMBER " (" #NAME "): a Kokkos::View belongs here");        \
    static_assert(is_other<mistake, Mistake::host_array>,                                          \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): an unmanaged Kokkos::View of this array or std::vector belongs here: "       \
                  "Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(pointer, n)");     \
    static_assert(is_other<mistake, Mistake::dual_view>,                                           \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): .view_device() of this DualView belongs here, or .view_host()");             \
    static_assert(is_other<mistake, Mistake::iterator>,                                            \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): the Kokkos::View belongs here, not its iterator; Kokkos::subview makes one " \
                  "of a range");                                                                   \
    static_assert(                                                                                 \
        is_other<mistake, Mistake::a_pack>,                                                        \
        "riffle: argument " #NUMBER " (" #NAME                                                     \
        "): one Kokkos::View belongs here; shuffle, shuffle_copy, gather, scatter, permute and "   \
        "partition_by_label take packs, and sort_by_key takes one of values");                     \
    static_assert(is_other<mistake, Mistake::atomic>,                                              \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): this View has the trait Atomic, with which no values are moved as bytes; "   \
                  "pass a View of the same data without it");                                      \
    static_assert(                                                                                 \
        is_other<mistake, Mistake::a_view>,                                                        \
        "riffle: argument " #NUMBER " (" #NAME                                                     \
        "): no View belongs here; Views that move together are one argument, riffle::pack(a, b)"); \
    static_assert(is_other<mistake, Mistake::no_whole_number>,                                     \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): a whole number of at most 64 bits belongs here");                            \
    static_assert(is_other<mistake, Mistake::other_memory>,                                        \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): kernels of this execution space cannot access this View's memory; "          \
                  "Kokkos::create_mirror_view_and_copy(exec, view) copies it to where they can");  \
    static_assert(is_other<mistake, Mistake::const_values>,                                        \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): this View is written, and its values are const");                            \
    static_assert(is_other<mistake, Mistake::not_rank_1>,                                          \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): an array, a View of rank 1, belongs here");                                  \
    static_assert(is_other<mistake, Mistake::not_rank_2>,                                          \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): a matrix, a View of rank 2, belongs here");                                  \
    static_assert(is_other<mistake, Mistake::not_rank_1_or_2>,                                     \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): values or rows, a View of rank 1 or 2, belong here");                        \
    static_assert(is_other<mistake, Mistake::not_integers>,                                        \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): indices, a View of integers, belong here");                                  \
    static_assert(is_other<mistake, Mistake::not_trivially_copyable>,                              \
                  "riffle: argument " #NUMBER " (" #NAME                                           \
                  "): a View of trivially copyable values belongs here, since their bytes move");  \
  };

RIFFLE_NAME_ARGUMENT(by)
RIFFLE_PLACE_ARGUMENT(by, 4)
RIFFLE_PLACE_ARGUMENT(by, 5)
RIFFLE_NAME_ARGUMENT(colours)
RIFFLE_PLACE_ARGUMENT(colours, 5)
RIFFLE_NAME_ARGUMENT(columns)
RIFFLE_PLACE_ARGUMENT(columns, 4)
RIFFLE_PLACE_ARGUMENT(columns, 5)
RIFFLE_NAME_ARGUMENT(data)
RIFFLE_PLACE_ARGUMENT(data, 2)
RIFFLE_PLACE_ARGUMENT(data, 3)
RIFFLE_PLACE_ARGUMENT(data, 4)
RIFFLE_NAME_ARGUMENT(exchanges)
RIFFLE_PLACE_ARGUMENT(exchanges, 2)
RIFFLE_NAME_ARGUMENT(first_rank)
RIFFLE_PLACE_ARGUMENT(first_rank, 3)
RIFFLE_NAME_ARGUMENT(first_replicate)
RIFFLE_PLACE_ARGUMENT(first_replicate, 4)
RIFFLE_NAME_ARGUMENT(in)
RIFFLE_PLACE_ARGUMENT(in, 2)
RIFFLE_PLACE_ARGUMENT(in, 3)
RIFFLE_NAME_ARGUMENT(indices)
RIFFLE_PLACE_ARGUMENT(indices, 3)
RIFFLE_NAME_ARGUMENT(init)
RIFFLE_PLACE_ARGUMENT(init, 6)
RIFFLE_NAME_ARGUMENT(keys)
RIFFLE_PLACE_ARGUMENT(keys, 2)
RIFFLE_PLACE_ARGUMENT(keys, 3)
RIFFLE_NAME_ARGUMENT(labels)
RIFFLE_PLACE_ARGUMENT(labels, 3)
RIFFLE_NAME_ARGUMENT(left)
RIFFLE_PLACE_ARGUMENT(left, 3)
RIFFLE_NAME_ARGUMENT(n)
RIFFLE_PLACE_ARGUMENT(n, 2)
RIFFLE_PLACE_ARGUMENT(n, 3)
RIFFLE_NAME_ARGUMENT(nodes)
RIFFLE_PLACE_ARGUMENT(nodes, 2)
RIFFLE_NAME_ARGUMENT(offsets)
RIFFLE_PLACE_ARGUMENT(offsets, 2)
RIFFLE_PLACE_ARGUMENT(offsets, 5)
RIFFLE_NAME_ARGUMENT(op)
RIFFLE_PLACE_ARGUMENT(op, 5)
RIFFLE_NAME_ARGUMENT(options)
RIFFLE_PLACE_ARGUMENT(options, 5)
RIFFLE_PLACE_ARGUMENT(options, 6)
RIFFLE_NAME_ARGUMENT(order)
RIFFLE_PLACE_ARGUMENT(order, 3)
RIFFLE_PLACE_ARGUMENT(order, 4)
RIFFLE_PLACE_ARGUMENT(order, 5)
RIFFLE_NAME_ARGUMENT(out)
RIFFLE_PLACE_ARGUMENT(out, 2)
RIFFLE_PLACE_ARGUMENT(out, 3)
RIFFLE_PLACE_ARGUMENT(out, 4)
RIFFLE_PLACE_ARGUMENT(out, 5)
RIFFLE_NAME_ARGUMENT(p)
RIFFLE_PLACE_ARGUMENT(p, 2)
RIFFLE_PLACE_ARGUMENT(p, 3)
RIFFLE_PLACE_ARGUMENT(p, 4)
RIFFLE_NAME_ARGUMENT(permutations)
RIFFLE_PLACE_ARGUMENT(permutations, 4)
RIFFLE_PLACE_ARGUMENT(permutations, 5)
RIFFLE_NAME_ARGUMENT(plan)
RIFFLE_PLACE_ARGUMENT(plan, 2)
RIFFLE_NAME_ARGUMENT(predicate)
RIFFLE_PLACE_ARGUMENT(predicate, 3)
RIFFLE_PLACE_ARGUMENT(predicate, 4)
RIFFLE_NAME_ARGUMENT(q)
RIFFLE_PLACE_ARGUMENT(q, 3)
RIFFLE_NAME_ARGUMENT(ranks)
RIFFLE_PLACE_ARGUMENT(ranks, 3)
RIFFLE_PLACE_ARGUMENT(ranks, 4)
RIFFLE_NAME_ARGUMENT(right)
RIFFLE_PLACE_ARGUMENT(right, 4)
RIFFLE_NAME_ARGUMENT(rows)
RIFFLE_PLACE_ARGUMENT(rows, 3)
RIFFLE_PLACE_ARGUMENT(rows, 4)
RIFFLE_NAME_ARGUMENT(rule)
RIFFLE_PLACE_ARGUMENT(rule, 4)
RIFFLE_PLACE_ARGUMENT(rule, 5)
RIFFLE_NAME_ARGUMENT(seed)
RIFFLE_PLACE_ARGUMENT(seed, 3)
RIFFLE_PLACE_ARGUMENT(seed, 4)
RIFFLE_PLACE_ARGUMENT(seed, 5)
RIFFLE_NAME_ARGUMENT(sigma)
RIFFLE_PLACE_ARGUMENT(sigma, 2)
RIFFLE_PLACE_ARGUMENT(sigma, 3)
RIFFLE_PLACE_ARGUMENT(sigma, 4)
RIFFLE_NAME_ARGUMENT(signs)
RIFFLE_PLACE_ARGUMENT(signs, 4)
RIFFLE_PLACE_ARGUMENT(signs, 5)
RIFFLE_PLACE_ARGUMENT(signs, 6)
RIFFLE_NAME_ARGUMENT(sorted)
RIFFLE_PLACE_ARGUMENT(sorted, 2)
RIFFLE_PLACE_ARGUMENT(sorted, 3)
RIFFLE_NAME_ARGUMENT(statistic)
RIFFLE_PLACE_ARGUMENT(statistic, 2)
RIFFLE_PLACE_ARGUMENT(statistic, 3)
RIFFLE_PLACE_ARGUMENT(statistic, 4)
RIFFLE_NAME_ARGUMENT(stream)
RIFFLE_PLACE_ARGUMENT(stream, 2)
RIFFLE_PLACE_ARGUMENT(stream, 3)
RIFFLE_NAME_ARGUMENT(values)
RIFFLE_PLACE_ARGUMENT(values, 2)
RIFFLE_PLACE_ARGUMENT(values, 3)
RIFFLE_PLACE_ARGUMENT(values, 4)
RIFFLE_NAME_ARGUMENT(w)
RIFFLE_PLACE_ARGUMENT(w, 3)
RIFFLE_NAME_ARGUMENT(x)
RIFFLE_PLACE_ARGUMENT(x, 3)
RIFFLE_PLACE_ARGUMENT(x, 4)
RIFFLE_NAME_ARGUMENT(y)
RIFFLE_PLACE_ARGUMENT(y, 4)
RIFFLE_PLACE_ARGUMENT(y, 5)

#undef RIFFLE_PLACE_ARGUMENT
#undef RIFFLE_NAME_ARGUMENT

}  // namespace argument

}  // namespace riffle::detail
