# How Riffle's own programs are built: riffle_add_program(NAME SOURCES...).

# A Kokkos built as a CMake language (CUDA, HIP) gives its compile options to that language alone.
if(Kokkos_COMPILE_LANGUAGE AND NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX" AND PROJECT_IS_TOP_LEVEL)
  enable_language(${Kokkos_COMPILE_LANGUAGE})
endif()

# What nvcc compiles: files of the language CUDA, or else the C++ of programs that use Kokkos, through its nvcc_wrapper.
set(riffle_is_nvcc "$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>")
if(Kokkos_ENABLE_CUDA AND Kokkos_CXX_COMPILER_ID STREQUAL "NVIDIA"
    AND (NOT Kokkos_COMPILE_LANGUAGE OR Kokkos_COMPILE_LANGUAGE STREQUAL "CXX"))
  set(riffle_is_nvcc "$<COMPILE_LANGUAGE:CXX>")
endif()

function(riffle_add_program name)
  add_executable(${name} ${ARGN})
  riffle_compile_as_program(${name} ${ARGN})
endfunction()

# riffle_link_kernels(TARGET): with Kokkos Kernels, where it is found. Of the target's files only those need it that include
# what riffle::monte_carlo is compiled from.
function(riffle_link_kernels name)
  if(riffle_kokkos_kernels)
    target_link_libraries(${name} PRIVATE ${riffle_kokkos_kernels})
    target_compile_definitions(${name} PRIVATE RIFFLE_HAS_KOKKOS_KERNELS)
  endif()
endfunction()

# riffle_compile_as_program(TARGET SOURCES...): the target's sources are compiled as those of Riffle's own programs are.
function(riffle_compile_as_program name)
  if(Kokkos_COMPILE_LANGUAGE AND NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
  endif()
  target_link_libraries(${name} PRIVATE riffle::riffle)
  if(NOT name STREQUAL "riffle_monte_carlo")
    target_link_libraries(${name} PRIVATE riffle::monte_carlo)
  endif()
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF CUDA_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -Wall -Wextra)
  if(NOT Kokkos_ENABLE_CUDA)
    # nvcc's own generated code is not pedantic; and in it a template's local hides a member of a base that depends on
    # the template's arguments, which by the rules of C++ it does not.
    target_compile_options(${name} PRIVATE -Wpedantic -Wshadow)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC bug 105651: g++ 12 warns of the assignment of a string literal to a std::string. And g++ 12.2 of templates' locals
    # that hide members of dependent bases, as nvcc's code does; later ones are told to look.
    target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-shadow>")
  endif()
  # Always errors: nvcc only warns of a kernel that calls a function which is not compiled for the device, and such a
  # kernel computes something else. By this, nvcc makes errors of the warnings of its host compiler, too.
  target_compile_options(${name} PRIVATE "$<${riffle_is_nvcc}:-Werror=all-warnings>")
  if(Kokkos_ENABLE_CUDA)
    # At -O1 g++ 13 says this of CUB's own code (the dispatch of a radix sort), which nvcc's path to it does not silence.
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(RIFFLE_ENABLE_WARNINGS_AS_ERRORS)
    # nvcc would take the next option for this one's value.
    target_compile_options(${name} PRIVATE "$<$<NOT:${riffle_is_nvcc}>:-Werror>")
  endif()
  if(RIFFLE_SANITIZERS)
    target_compile_options(${name} PRIVATE -fsanitize=${RIFFLE_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${name} PRIVATE -fsanitize=${RIFFLE_SANITIZERS})
  endif()
endfunction()
