# riffle::mpi's calls among ranks of a model, which needs no MPI: the code is the same, <mpi.h> is the model's.
file(GLOB mpi_model_tests CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" mpi_model/*.cpp)
riffle_add_program(mpi_model_tests support/main.cpp ${mpi_model_tests})
target_include_directories(mpi_model_tests BEFORE PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/support/model_mpi")
target_include_directories(mpi_model_tests PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(mpi_model_tests PRIVATE GTest::gtest)
riffle_discover_tests(mpi_model_tests mpi)
