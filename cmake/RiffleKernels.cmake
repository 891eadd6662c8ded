# riffle_find_kokkos_kernels(RESULT): the target of Kokkos Kernels, or nothing where it is not found. It is called
# Kokkos::kokkoskernels; built as a part of Trilinos, as Debian's is, KokkosKernels::all_libs.
function(riffle_find_kokkos_kernels result)
  set(names Kokkos::kokkoskernels KokkosKernels::all_libs)
  if(NOT TARGET Kokkos::kokkoskernels AND NOT TARGET KokkosKernels::all_libs)
    find_package(KokkosKernels QUIET)
  endif()
  set(${result} "" PARENT_SCOPE)
  foreach(name IN LISTS names)
    if(TARGET ${name})
      set(${result} ${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# riffle_make_kernels(TARGET KOKKOS_KERNELS): makes TARGET of riffle::riffle what programs link as riffle::kernels.
function(riffle_make_kernels target kokkos_kernels)
  target_link_libraries(${target} INTERFACE riffle::riffle ${kokkos_kernels})
  target_compile_definitions(${target} INTERFACE RIFFLE_HAS_KOKKOS_KERNELS)
endfunction()
