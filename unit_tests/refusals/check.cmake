# cmake -D SOURCE=... -D BUILD=<build tree> -D TARGETS=<of that source>[,...] -D CONFIG=... -D MORE_IS_SAID=... -P check.cmake
# Passes where none of the targets compiles and the compiler says, as often as the source expects (or more often, where
# that is allowed), each of its
#   // refused: <words>               of the next call,
#   // each is refused: <words>       of each line with REFUSED(.
string(REPLACE "," ";" targets "${TARGETS}")
set(output)
foreach(target IN LISTS targets)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target "${target}" --config "${CONFIG}"
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said
  )
  if(status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} compiles: ${target}")
  endif()
  string(APPEND output "${said}")
endforeach()

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
  if(said LESS wanted OR (said GREATER wanted AND NOT MORE_IS_SAID))
    message(FATAL_ERROR "\"${words}\" is said ${said} times, not ${wanted} times, in\n${output}")
  endif()
  message("${wanted} times: ${words}")
endforeach()
