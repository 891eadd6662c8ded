# cmake -D BUILD=<build tree> -D TARGET=<object library> -D SOURCE=<its source> -P check.cmake
# Passes where the target does not compile, and the compiler says each "// refused: <words>" of the source as often as
# it is there.
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target "${TARGET}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output
)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles")
endif()
file(STRINGS "${SOURCE}" marks REGEX "// refused: ")
list(TRANSFORM marks REPLACE "^ *// refused: " "")
set(different ${marks})
list(REMOVE_DUPLICATES different)
string(REPLACE ";" "," output "${output}")
foreach(words IN LISTS different)
  set(expected 0)
  foreach(mark IN LISTS marks)
    if(mark STREQUAL words)
      math(EXPR expected "${expected} + 1")
    endif()
  endforeach()
  string(REGEX MATCHALL "static assertion failed[^\n]*${words}" said "${output}")
  list(LENGTH said count)
  if(NOT count EQUAL expected)
    message(FATAL_ERROR "\"${words}\" is said ${count} times, not ${expected} times, in\n${output}")
  endif()
endforeach()
