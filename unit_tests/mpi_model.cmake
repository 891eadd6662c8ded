# riffle::mpi's calls on ranks of a model, which needs no MPI: the code is the same, but <mpi.h> is the model's.
file(GLOB mpi_model_tests CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" full/mpi_model/*.cpp)
riffle_add_test_program(mpi_model_tests ${mpi_model_tests})
target_include_directories(mpi_model_tests BEFORE PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/support/model_mpi")
target_include_directories(mpi_model_tests PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/full")
if(NOT riffle_has_gpu)
  # All in one source: they call the same functions with the same types, and precompiling headers would take longer.
  riffle_compile_together(mpi_model_tests UNITY_BUILD_BATCH_SIZE 0)
endif()
target_compile_definitions(mpi_model_tests PRIVATE
  RIFFLE_MPI_MODEL_RECORD="${PROJECT_SOURCE_DIR}/perf/results/mpi_model.json"
)
riffle_discover_tests(mpi_model_tests full)

# The record contains the memory with one thread.
list(TRANSFORM test_environment REPLACE "NUM_THREADS=2" "NUM_THREADS=1" OUTPUT_VARIABLE one_thread)
add_test(NAME mpi_model_record_by_one_thread COMMAND mpi_model_tests --gtest_brief=1 "--gtest_filter=MpiModelRecord.*")
set_tests_properties(mpi_model_record_by_one_thread PROPERTIES TIMEOUT 600 LABELS full ENVIRONMENT "${one_thread}")
