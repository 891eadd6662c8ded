#pragma once

namespace riffle::detail {

/// Whether T is Name<...>, an instance of a class template whose parameters are types.
template <class T, template <class...> class Name>
inline constexpr bool is_instance_of = false;
template <template <class...> class Name, class... Arguments>
inline constexpr bool is_instance_of<Name<Arguments...>, Name> = true;

}  // namespace riffle::detail
