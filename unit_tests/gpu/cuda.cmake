# NVIDIA GPUs, compiled by nvcc.

enable_language(CUDA)

set(space Kokkos::Cuda)

# Riffle has no code for a single GPU architecture, so most calls are compiled for one. Scans, shuffles, sorts, plans and CUB's
# kernels are also compiled for an older one, to PTX. The name of the architecture in Kokkos's configuration affects sizes only.
set(one 90-real)
set(another 90-real)
set(all 80-virtual 90-real)
set(kokkos_architecture KOKKOS_ARCH_AMPERE80)

# The code is not run, so it is compiled with little optimisation in half of the time. nvcc 12.4 does not have the option.
set(quickly)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  set(quickly --Ofast-compile=max)
endif()

# The host's compiler only checks the code that nvcc passes to it. It does not write the object file, which this command creates.
set(check_calls -Xcompiler=-fsyntax-only)
string(APPEND CMAKE_CUDA_COMPILE_WHOLE_COMPILATION " && ${CMAKE_COMMAND} -E touch <OBJECT>")

function(riffle_add_objects result name architectures)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  add_library(${name} OBJECT ${ARGN})
  set_target_properties(${name} PROPERTIES CUDA_STANDARD 20 CUDA_EXTENSIONS OFF CUDA_ARCHITECTURES "${architectures}")
  target_compile_definitions(${name} PRIVATE ${kokkos_architecture})
  target_compile_options(${name} PRIVATE
    # The flags of Kokkos's package,
    -extended-lambda -Wext-lambda-captures-this -Xcompiler=-fopenmp
    # and the warnings of Riffle's own programs, also for the host's compiler.
    -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Wshadow
    ${quickly}
  )
  set(${result} ${name} PARENT_SCOPE)
endfunction()

set(unmarked_calls
  constexpr " #20013-D: calling a constexpr __host__ function\\(\"twice\"\\)"
  inline " #20011-D: calling a __host__ function\\(\"[^\"]*twice\\(int\\)\"\\)"
)
