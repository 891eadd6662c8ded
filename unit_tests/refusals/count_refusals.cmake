# cmake -D SOURCE=... -D BUILD=... -D TARGET=... -D CONFIG=... -P count_refusals.cmake: builds a target whose source makes
# calls that must not compile, and counts: as many as its lines with REFUSED must be refused in Riffle's words.
set(words "riffle: no kernels for this execution space; Riffle runs on Kokkos::Cuda, OpenMP, Threads and Serial")

execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target "${TARGET}" --config "${CONFIG}"
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result
)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles")
endif()

# The words end here; a list would be cut at their semicolon.
string(REPLACE ";" "," words "${words}")
string(REPLACE ";" "," output "${output}")
string(REGEX MATCHALL "${words}" said "${output}")
list(LENGTH said refused)
file(STRINGS "${SOURCE}" calls REGEX "^ .*REFUSED\\(")
list(LENGTH calls made)
if(NOT refused EQUAL made)
  message(FATAL_ERROR "of ${made} calls ${refused} are refused:\n${output}")
endif()
message("all of ${made} calls are refused")
