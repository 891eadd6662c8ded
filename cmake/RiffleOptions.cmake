# Riffle's options. Those who take Riffle into a project of their own get the library alone.

option(RIFFLE_ENABLE_TESTS "Build the unit tests" ${PROJECT_IS_TOP_LEVEL})
set(RIFFLE_FULL_TESTS "" CACHE STRING "Of the full tier of tests the modules to build, such as sort;rank, or all")
option(RIFFLE_ENABLE_HEADER_TESTS "Check what is only compiled: headers by themselves, the programs of pages, mistaken calls" OFF)
option(RIFFLE_ENABLE_QUICK_TESTS "Of the unit tests, only a choice that compiles in a quarter of the time" OFF)
set(RIFFLE_TESTS "" CACHE STRING "Of the tests of algorithms only these, by the names of their files before _test.cpp")
option(RIFFLE_ENABLE_PERF "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(RIFFLE_ENABLE_EXAMPLES "Build the example programs" ${PROJECT_IS_TOP_LEVEL})
option(RIFFLE_ENABLE_KERNELS "Have riffle::monte_carlo multiply by Kokkos Kernels, where it is found" ${PROJECT_IS_TOP_LEVEL})
option(RIFFLE_ENABLE_MPI "riffle::mpi, the calls over several ranks, where an MPI is found" ON)
option(RIFFLE_ENABLE_NCCL "In riffle::mpi, transfers by NCCL, which must be found" OFF)
option(RIFFLE_REFERENCE_ALONE "Build the API reference and nothing else: no compiler and no Kokkos is needed" OFF)
option(RIFFLE_ENABLE_WARNINGS_AS_ERRORS "Let no warning pass in Riffle's own programs" OFF)
set(RIFFLE_SANITIZERS "" CACHE STRING "Sanitizers for Riffle's own programs, such as address,undefined")

# A misspelt option would otherwise be ignored without a word.
set(riffle_known_options
  RIFFLE_ENABLE_TESTS RIFFLE_ENABLE_HEADER_TESTS RIFFLE_ENABLE_QUICK_TESTS RIFFLE_ENABLE_PERF RIFFLE_ENABLE_EXAMPLES
  RIFFLE_ENABLE_KERNELS RIFFLE_ENABLE_MPI RIFFLE_ENABLE_NCCL RIFFLE_ENABLE_WARNINGS_AS_ERRORS RIFFLE_REFERENCE_ALONE
  RIFFLE_SANITIZERS RIFFLE_TESTS RIFFLE_FULL_TESTS
)
get_cmake_property(cache_variables CACHE_VARIABLES)
foreach(variable IN LISTS cache_variables)
  string(TOUPPER "${variable}" upper)
  if(upper IN_LIST riffle_known_options AND NOT variable STREQUAL upper)
    message(FATAL_ERROR "Riffle's options are written in capitals: ${variable} is not one, ${upper} is")
  endif()
  if(upper MATCHES "^RIFFLE_ENABLE_" AND NOT upper IN_LIST riffle_known_options)
    list(JOIN riffle_known_options ", " known)
    message(FATAL_ERROR "Riffle has no option ${variable}; it has ${known}")
  endif()
endforeach()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
