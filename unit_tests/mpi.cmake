# The tests of riffle::mpi: one program, run by several numbers of ranks. More ranks run than there are cores: none of
# them spins, and none is bound to a core.
file(GLOB mpi_tests CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" mpi/*.cpp)
riffle_add_program(mpi_tests ${mpi_tests})
target_include_directories(mpi_tests PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(mpi_tests PRIVATE riffle::mpi GTest::gtest)
if(NOT Kokkos_ENABLE_CUDA)
  target_precompile_headers(mpi_tests PRIVATE <Kokkos_Core.hpp> <gtest/gtest.h> <riffle/mpi.hpp>)
  target_compile_options(mpi_tests PRIVATE "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=1000000>")
endif()

# And no public name of the room is without a test.
add_test(NAME every_public_name_of_mpi_is_called
  COMMAND ${CMAKE_COMMAND} "-DCALLS=${CMAKE_CURRENT_SOURCE_DIR}/mpi"
    "-DHEADERS=${PROJECT_SOURCE_DIR}/algorithms/include/riffle/mpi" -P "${CMAKE_CURRENT_SOURCE_DIR}/calls_complete.cmake"
)

include("${CMAKE_CURRENT_LIST_DIR}/mpi_environment.cmake")
set(numbers_of_ranks 1 2 3 4 5 8 16)
if(RIFFLE_ENABLE_QUICK_TESTS)
  set(numbers_of_ranks 3)
endif()
# riffle_add_mpi_test(NAME RANKS ARGUMENT...): the program, with these arguments.
function(riffle_add_mpi_test name ranks)
  add_test(NAME ${name}
    COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} $<TARGET_FILE:mpi_tests> ${MPIEXEC_POSTFLAGS} ${ARGN}
  )
  # A rank that waits for a message that never comes is a failure, after a while; with sanitizers all takes ten times as long.
  set(timeout 300)
  if(RIFFLE_SANITIZERS)
    set(timeout 1500)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS mpi ENVIRONMENT "${mpi_environment}" PROCESSORS 2)
endfunction()
foreach(ranks IN LISTS numbers_of_ranks)
  riffle_add_mpi_test(mpi_tests_on_${ranks}_ranks ${ranks})
endforeach()
# Several threads take memory that one does not need.
riffle_add_mpi_test(mpi_tests_on_2_ranks_of_2_threads 2 --kokkos-num-threads=2 "--gtest_filter=MpiErrors.*:MpiScan.*:MpiRankErrors.*")
