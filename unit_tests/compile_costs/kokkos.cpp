// What every call is measured over.
#include <Kokkos_Core.hpp>
