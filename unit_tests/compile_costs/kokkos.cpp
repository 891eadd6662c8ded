// The baseline from which the costs of calls are measured.
#include <Kokkos_Core.hpp>
