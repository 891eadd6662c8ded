# All headers together, in alphabetical order and in reverse, in one program: a name that two headers define does not
# compile, and a function of a header that is not inline does not link.
file(GLOB_RECURSE all_headers CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/core/include/*.hpp" "${PROJECT_SOURCE_DIR}/algorithms/include/*.hpp"
)
riffle_leave_out_eigen(all_headers)
riffle_leave_out_mpi(all_headers)
list(TRANSFORM all_headers REPLACE "^.*/include/(riffle/.*)$" "\\1")
list(SORT all_headers)
set(all_header_sources)
foreach(order forward backward)
  list(TRANSFORM all_headers REPLACE ".+" "#include <\\0>\n" OUTPUT_VARIABLE includes)
  list(JOIN includes "" includes)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/all_${order}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "@includes@" @ONLY)
  list(APPEND all_header_sources "${source}")
  list(REVERSE all_headers)
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/headers/main.cpp" CONTENT "int main() {}\n" @ONLY)
riffle_add_program(all_headers_test "${CMAKE_CURRENT_BINARY_DIR}/headers/main.cpp" ${all_header_sources})
if(TARGET riffle_mpi)
  target_link_libraries(all_headers_test PRIVATE riffle::mpi)
endif()
target_compile_options(all_headers_test PRIVATE -O0)  # compiling is the test
add_test(NAME headers_compile_together COMMAND all_headers_test)
