# cmake -D SOURCE=... -D BUILD=<build tree> -D TARGETS=<of that source>[,...] -D CONFIG=... -D MORE_IS_SAID=... -P check.cmake
# Passes where none of the targets compiles and the compiler says, as often as the source expects (or more often, where
# that is allowed), each of its
#   // refused: <words>               of the next call,
#   // each is refused: <words>       of each line with REFUSED( that follows,
# in a line that has "riffle: " in it, and, where the source says "// nothing else is said", no other error.
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

set(expected)
set(nothing_else OFF)
file(STRINGS "${SOURCE}" lines REGEX "refused: |^ .*REFUSED\\(|nothing else is said")
foreach(line IN LISTS lines)
  if(line MATCHES "// each is refused: (.*)")
    set(words_of_each "${CMAKE_MATCH_1}")
  elseif(line MATCHES "// refused: (.*)")
    list(APPEND expected "${CMAKE_MATCH_1}")
  elseif(line MATCHES "REFUSED")
    list(APPEND expected "${words_of_each}")
  else()
    set(nothing_else ON)
  endif()
endforeach()

# A list would be cut at their semicolons.
string(REPLACE ";" "," output "${output}")

set(different ${expected})
list(REMOVE_DUPLICATES different)
if(NOT different)
  message(FATAL_ERROR "${SOURCE} expects nothing to be refused")
endif()
foreach(said_words IN LISTS different)
  string(REGEX REPLACE "([][+.*()^$?|])" "\\\\\\1" words "${said_words}")
  set(wanted ${expected})
  list(FILTER wanted INCLUDE REGEX "^${words}$")
  list(LENGTH wanted wanted)
  string(REGEX REPLACE "^riffle: " "" words_after "${words}")
  string(REGEX MATCHALL "static assertion failed[^\n]*riffle: [^\n]*${words_after}" said "${output}")
  list(LENGTH said said)
  if(said LESS wanted OR (said GREATER wanted AND NOT MORE_IS_SAID))
    message(FATAL_ERROR "\"${said_words}\" is said ${said} times, not ${wanted} times, in\n${output}")
  endif()
  message("${wanted} times: ${said_words}")
endforeach()

string(REGEX MATCHALL "error: [^\n]*" errors "${output}")
list(LENGTH errors said)
list(LENGTH expected wanted)
if(nothing_else AND NOT said EQUAL wanted AND NOT MORE_IS_SAID)
  list(JOIN errors "\n" errors)
  message(FATAL_ERROR "${said} errors, not ${wanted}:\n${errors}")
endif()
