# The tests of riffle::mpi: two programs, which run on several numbers of ranks. There are more ranks than cores, so no rank spins
# or is bound to a core.
file(GLOB mpi_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" mpi/*_test.cpp)
set(mpi_device_sources ${mpi_sources})
list(FILTER mpi_device_sources INCLUDE REGEX "/device_")
list(REMOVE_ITEM mpi_sources ${mpi_device_sources})
set(is_full OFF)
if("mpi" IN_LIST full_modules)
  set(is_full ON)
  file(GLOB types CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" full/mpi/*_test.cpp)
  set_source_files_properties(${types} PROPERTIES UNITY_GROUP types)
  list(APPEND mpi_sources ${types})
endif()
if(RIFFLE_ENABLE_QUICK_TESTS)
  # As for one device: tests that call all kernels and all-to-alls; not each error.
  list(FILTER mpi_sources EXCLUDE REGEX "(/cuts|errors)_test\\.cpp$")
endif()

# Tests of the same functions are compiled as one source, as in CMakeLists.txt.
set(mpi_groups sort rank shuffle permut)
set(sort_with cuts sort sort_errors)
set(rank_with rank rank_errors rank_unsorted)
set(shuffle_with errors failed_allocations redistribution sample scan shuffle)
set(permut_with permutation_test permutation_tests permutation_tests_errors permute permute_errors planned_permutation)
foreach(group IN LISTS mpi_groups)
  list(TRANSFORM ${group}_with REPLACE "(.+)" "mpi/\\1_test.cpp" OUTPUT_VARIABLE sources)
  set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${group})
endforeach()

# riffle_add_mpi_program(NAME SOURCES...)
function(riffle_add_mpi_program name)
  riffle_add_program(${name} mpi/main.cpp ${ARGN})
  target_link_libraries(${name} PRIVATE riffle::mpi test_support)
  if(NOT riffle_has_gpu)
    if(name STREQUAL "mpi_tests")
      target_precompile_headers(${name} PRIVATE <Kokkos_Core.hpp> <gtest/gtest.h> <riffle/mpi.hpp>)
    else()
      target_precompile_headers(${name} REUSE_FROM mpi_tests)
    endif()
    riffle_compile_together(${name} UNITY_BUILD_MODE GROUP)
    if(RIFFLE_SANITIZERS)
      target_compile_options(${name} PRIVATE -O0)  # the tests take no longer, and a third less time to compile
    endif()
  endif()
endfunction()
riffle_add_mpi_program(mpi_tests ${mpi_sources})

# Every public name of the module must have a test.
add_test(NAME every_public_name_of_mpi_is_called
  COMMAND ${CMAKE_COMMAND} "-DCALLS=${CMAKE_CURRENT_SOURCE_DIR}/mpi"
    "-DHEADERS=${PROJECT_SOURCE_DIR}/algorithms/include/riffle/mpi" -P "${CMAKE_CURRENT_SOURCE_DIR}/calls_complete.cmake"
)

include("${CMAKE_CURRENT_LIST_DIR}/mpi_environment.cmake")
set(numbers_of_ranks 1 3)
if(is_full)
  set(numbers_of_ranks 1 2 3)
elseif(RIFFLE_ENABLE_QUICK_TESTS)
  set(numbers_of_ranks 3)
endif()
# riffle_add_mpi_test(NAME LABEL PROGRAM RANKS ARGUMENT...): runs the program on RANKS ranks with these arguments.
function(riffle_add_mpi_test name label program ranks)
  add_test(NAME ${name}
    COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${program}> ${MPIEXEC_POSTFLAGS} ${ARGN}
  )
  # The time limit finds deadlocks. Next to other programs, three ranks on two cores take ten times as long as alone, and with
  # sanitizers everything takes longer.
  set(timeout 600)
  if(RIFFLE_SANITIZERS)
    set(timeout 1500)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS ${label} ENVIRONMENT "${mpi_environment}" PROCESSORS 2)
endfunction()
foreach(ranks IN LISTS numbers_of_ranks)
  set(label mpi)
  if(is_full)
    set(label full)  # with the types of the full tier
  endif()
  riffle_add_mpi_test(mpi_tests_on_${ranks}_ranks ${label} mpi_tests ${ranks})
endforeach()
if(is_full)
  # Tests in which each rank in turn passes a wrong argument take a minute on 9 ranks, and find nothing new.
  riffle_add_mpi_test(mpi_tests_on_9_ranks full mpi_tests 9 "--gtest_filter=-Mpi*Errors.*:MpiFailedAllocations.*")
endif()
# Several threads use memory that a single thread does not.
riffle_add_mpi_test(mpi_tests_on_2_ranks_of_2_threads mpi mpi_tests 2 --kokkos-num-threads=2
  "--gtest_filter=MpiErrors.*:MpiRankErrors.*:MpiFailedAllocations.*:MpiScan.*"
)

# If the default device is the host, these tests repeat others; a run on two ranks then shows that they work.
if(riffle_has_gpu OR is_full)
  set_source_files_properties(${mpi_device_sources} PROPERTIES UNITY_GROUP devices)
  riffle_add_mpi_program(mpi_device_tests ${mpi_device_sources})
  set(numbers_of_ranks 2)
  if(riffle_has_gpu)
    set(numbers_of_ranks 1 2 3 5)
  endif()
  foreach(ranks IN LISTS numbers_of_ranks)
    riffle_add_mpi_test(mpi_device_tests_on_${ranks}_ranks full mpi_device_tests ${ranks})
  endforeach()
endif()
