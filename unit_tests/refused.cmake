# What must not compile, with the words that a user then reads.
function(riffle_add_refused name)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/refused/${name}.cpp")
  add_library(refused_${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  riffle_compile_as_program(refused_${name} "${source}")
  add_test(NAME refused.${name}
    COMMAND "${CMAKE_COMMAND}" -D "BUILD=${PROJECT_BINARY_DIR}" -D "TARGET=refused_${name}" -D "SOURCE=${source}"
      -P "${CMAKE_CURRENT_SOURCE_DIR}/refused/check.cmake"
  )
endfunction()

riffle_add_refused(value_types)
