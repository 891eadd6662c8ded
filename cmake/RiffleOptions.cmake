# Riffle's options. A project that adds Riffle as a subdirectory gets only the library by default.

option(RIFFLE_ENABLE_TESTS "Build the unit tests" ${PROJECT_IS_TOP_LEVEL})
set(RIFFLE_FULL_TESTS "" CACHE STRING "The modules whose tests of the full tier are built, such as sort;rank, or all")
option(RIFFLE_ENABLE_HEADER_TESTS "Build the tests that only compile: each header by itself, programs of the pages, wrong calls" OFF)
option(RIFFLE_ENABLE_QUICK_TESTS "Build only some of the unit tests, in a quarter of the compile time" OFF)
set(RIFFLE_TESTS "" CACHE STRING "Build only these tests of algorithms, named by their files without _test.cpp")
option(RIFFLE_ENABLE_PERF "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(RIFFLE_ENABLE_EXAMPLES "Build the example programs" ${PROJECT_IS_TOP_LEVEL})
option(RIFFLE_ENABLE_KERNELS "Use Kokkos Kernels in riffle::monte_carlo, if it is found" ${PROJECT_IS_TOP_LEVEL})
option(RIFFLE_ENABLE_MPI "Build riffle::mpi, functions for several ranks, if an MPI is found" ON)
option(RIFFLE_ENABLE_NCCL "Transfer by NCCL in riffle::mpi; NCCL must be found" OFF)
option(RIFFLE_REFERENCE_ALONE "Build only the API reference, without a compiler or Kokkos" OFF)
option(RIFFLE_ENABLE_WARNINGS_AS_ERRORS "Treat warnings in Riffle's own programs as errors" OFF)
set(RIFFLE_SANITIZERS "" CACHE STRING "Sanitizers for Riffle's own programs, such as address,undefined")

# CMake ignores unknown options silently, so a misspelt one is an error here.
set(riffle_known_options
  RIFFLE_ENABLE_TESTS RIFFLE_ENABLE_HEADER_TESTS RIFFLE_ENABLE_QUICK_TESTS RIFFLE_ENABLE_PERF RIFFLE_ENABLE_EXAMPLES
  RIFFLE_ENABLE_KERNELS RIFFLE_ENABLE_MPI RIFFLE_ENABLE_NCCL RIFFLE_ENABLE_WARNINGS_AS_ERRORS RIFFLE_REFERENCE_ALONE
  RIFFLE_SANITIZERS RIFFLE_TESTS RIFFLE_FULL_TESTS
)
get_cmake_property(cache_variables CACHE_VARIABLES)
foreach(variable IN LISTS cache_variables)
  string(TOUPPER "${variable}" upper)
  if(upper IN_LIST riffle_known_options AND NOT variable STREQUAL upper)
    message(FATAL_ERROR "Riffle has no option ${variable}; did you mean ${upper}?")
  endif()
  if(upper MATCHES "^RIFFLE_ENABLE_" AND NOT upper IN_LIST riffle_known_options)
    list(JOIN riffle_known_options ", " known)
    message(FATAL_ERROR "Riffle has no option ${variable}; it has ${known}")
  endif()
endforeach()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
