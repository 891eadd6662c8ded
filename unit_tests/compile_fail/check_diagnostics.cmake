# cmake -D SOURCE=... -D BUILD=<build tree> -D TARGETS=<target>[,...] -D CONFIG=... -D MAY_REPEAT=... -P check_diagnostics.cmake
#
# Passes if no target compiles and each expected message occurs in failed static assertions of Riffle's, exactly as often as SOURCE
# expects it (with MAY_REPEAT also more often). SOURCE expects
#   // expected-error: <message>           once, of the next call,
#   // expected-error-of-each: <message>   once for each line with EXPECT_ERROR( after it,
# and, with "// no-other-errors", no error besides these.
string(REPLACE "," ";" targets "${TARGETS}")
set(output)
foreach(target IN LISTS targets)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target "${target}" --config "${CONFIG}"
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE printed
  )
  if(status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} compiles: ${target}")
  endif()
  string(APPEND output "${printed}")
endforeach()

set(expected)
set(no_other_errors OFF)
file(STRINGS "${SOURCE}" lines REGEX "// expected-error|^ .*EXPECT_ERROR\\(|// no-other-errors")
foreach(line IN LISTS lines)
  if(line MATCHES "// expected-error-of-each: (.*)")
    set(message_of_each "${CMAKE_MATCH_1}")
  elseif(line MATCHES "// expected-error: (.*)")
    list(APPEND expected "${CMAKE_MATCH_1}")
  elseif(line MATCHES "EXPECT_ERROR")
    list(APPEND expected "${message_of_each}")
  else()
    set(no_other_errors ON)
  endif()
endforeach()

# Semicolons would separate list elements.
string(REPLACE ";" "," output "${output}")

set(messages ${expected})
list(REMOVE_DUPLICATES messages)
if(NOT messages)
  message(FATAL_ERROR "${SOURCE} expects no errors")
endif()
foreach(text IN LISTS messages)
  string(REGEX REPLACE "([][+.*()^$?|])" "\\\\\\1" pattern "${text}")
  set(expected_count ${expected})
  list(FILTER expected_count INCLUDE REGEX "^${pattern}$")
  list(LENGTH expected_count expected_count)
  string(REGEX REPLACE "^riffle: " "" pattern "${pattern}")
  string(REGEX MATCHALL "static assertion failed[^\n]*riffle: [^\n]*${pattern}" count "${output}")
  list(LENGTH count count)
  if(count LESS expected_count OR (count GREATER expected_count AND NOT MAY_REPEAT))
    message(FATAL_ERROR "${count} times, not ${expected_count} times: \"${text}\" in\n${output}")
  endif()
  message("${expected_count} times: ${text}")
endforeach()

string(REGEX MATCHALL " error: [^\n]*" errors "${output}")
list(LENGTH errors count)
list(LENGTH expected expected_count)
if(no_other_errors AND NOT count EQUAL expected_count AND NOT MAY_REPEAT)
  list(JOIN errors "\n" errors)
  message(FATAL_ERROR "${count} errors, not ${expected_count}:\n${errors}")
endif()
