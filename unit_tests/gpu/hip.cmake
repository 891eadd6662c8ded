# AMD GPUs, compiled by clang (hipcc).

enable_language(CXX)

set(space Kokkos::HIP)

# A wavefront has 64 lanes on gfx90a (MI200) and gfx942 (MI300), and 32 lanes on gfx1100 (RDNA 3).
set(one gfx942)
set(another gfx1100)
set(all gfx90a gfx1100)

# The code is not run, so it is compiled to assembly for the GPU without optimisation; clang checks the code for the host, too. AMD's
# device library is not linked, because without optimisation clang cannot compile it for gfx1100. -S takes precedence over the -c
# that CMake adds; -Qunused-arguments avoids the warning of that.
set(check_calls -O0 --offload-device-only -nogpulib -S -Qunused-arguments)

# Clang's driver writes the file of dependencies only when it compiles for the host, so these options go to its front end.
set(CMAKE_DEPFILE_FLAGS_CXX
  "-Xclang -dependency-file -Xclang <DEP_FILE> -Xclang -MT -Xclang <DEP_TARGET>"
)

# Each GPU has a target of its own, because Kokkos's configuration names one GPU.
function(riffle_add_objects result name architectures)
  set(targets)
  foreach(architecture IN LISTS architectures)
    set(target ${name}_${architecture})
    string(TOUPPER ${architecture} upper)
    add_library(${target} OBJECT ${ARGN})
    set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_EXTENSIONS OFF)
    target_compile_definitions(${target} PRIVATE KOKKOS_ARCH_AMD_${upper})
    target_compile_options(${target} PRIVATE
      # The flags of Kokkos's package, and the warnings of Riffle's own programs.
      -xhip --offload-arch=${architecture} -Wall -Wextra -Wshadow -Werror
    )
    list(APPEND targets ${target})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# In HIP, a constexpr function needs no mark.
set(unmarked_calls inline ": reference to __host__ function 'twice' in __host__ __device__ function")
