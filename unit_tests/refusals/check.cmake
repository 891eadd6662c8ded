# cmake -D SOURCE=... -D BUILD=<build tree> -D TARGET=<of that source> -D CONFIG=... -P check.cmake
# Passes where the target does not compile and the compiler says, as often as the source expects, each of its
#   // refused: <words>               of the next call,
#   // each is refused: <words>       of each line with REFUSED(.
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target "${TARGET}" --config "${CONFIG}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output
)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles")
endif()

# A list would be cut at their semicolons.
file(READ "${SOURCE}" source)
string(REPLACE ";" "," source "${source}")
string(REPLACE ";" "," output "${output}")

string(REGEX MATCHALL "// refused: [^\n]*" expected "${source}")
list(TRANSFORM expected REPLACE "// refused: " "")
string(REGEX MATCH "// each is refused: ([^\n]*)" of_each "${source}")
if(NOT of_each STREQUAL "")
  set(words "${CMAKE_MATCH_1}")
  file(STRINGS "${SOURCE}" calls REGEX "^ .*REFUSED\\(")
  foreach(call IN LISTS calls)
    list(APPEND expected "${words}")
  endforeach()
endif()

set(different ${expected})
list(REMOVE_DUPLICATES different)
if(NOT different)
  message(FATAL_ERROR "${SOURCE} expects nothing to be refused")
endif()
foreach(words IN LISTS different)
  set(wanted ${expected})
  list(FILTER wanted INCLUDE REGEX "^${words}$")
  list(LENGTH wanted wanted)
  string(REGEX MATCHALL "static assertion failed[^\n]*${words}" said "${output}")
  list(LENGTH said said)
  if(NOT said EQUAL wanted)
    message(FATAL_ERROR "\"${words}\" is said ${said} times, not ${wanted} times, in\n${output}")
  endif()
  message("${wanted} times: ${words}")
endforeach()
