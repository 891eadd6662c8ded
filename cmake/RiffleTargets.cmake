# How Riffle's own programs are built: riffle_add_program(NAME SOURCES...).

# A Kokkos built as a CMake language (CUDA, HIP) gives its compile options to that language alone.
if(Kokkos_COMPILE_LANGUAGE AND NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX" AND PROJECT_IS_TOP_LEVEL)
  enable_language(${Kokkos_COMPILE_LANGUAGE})
endif()

function(riffle_add_program name)
  add_executable(${name} ${ARGN})
  riffle_compile_as_program(${name} ${ARGN})
endfunction()

# riffle_compile_as_program(TARGET SOURCES...): the target's sources are compiled as those of Riffle's own programs are.
function(riffle_compile_as_program name)
  if(Kokkos_COMPILE_LANGUAGE AND NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
  endif()
  target_link_libraries(${name} PRIVATE riffle::riffle)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow)
  if(NOT Kokkos_ENABLE_CUDA)
    # nvcc's own generated code is not pedantic.
    target_compile_options(${name} PRIVATE -Wpedantic)
  endif()
  if(RIFFLE_ENABLE_WARNINGS_AS_ERRORS)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(RIFFLE_SANITIZERS)
    target_compile_options(${name} PRIVATE -fsanitize=${RIFFLE_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${name} PRIVATE -fsanitize=${RIFFLE_SANITIZERS})
  endif()
endfunction()
