include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Riffle")

install(DIRECTORY core/include/riffle algorithms/include/riffle DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# As part of another project, libraries that no target links are neither built nor installed.
set(installed riffle)
if(PROJECT_IS_TOP_LEVEL)
  list(APPEND installed riffle_monte_carlo)
endif()
install(TARGETS ${installed} EXPORT RiffleTargets)
install(EXPORT RiffleTargets NAMESPACE riffle:: DESTINATION "${package_dir}")

# A separate export file, so that users of the other targets do not need MPI.
set(riffle_has_mpi OFF)
if(TARGET riffle_mpi)
  set(riffle_has_mpi ON)
  install(TARGETS riffle_mpi EXPORT RiffleMpiTargets)
  install(EXPORT RiffleMpiTargets NAMESPACE riffle:: DESTINATION "${package_dir}")
endif()

set(riffle_has_kernels OFF)
if(riffle_kokkos_kernels)
  set(riffle_has_kernels ON)
endif()
configure_package_config_file(cmake/RiffleConfig.cmake.in "${PROJECT_BINARY_DIR}/RiffleConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
)
# Before 1.0 a minor version may change the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/RiffleConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion
)
install(FILES "${PROJECT_BINARY_DIR}/RiffleConfig.cmake" "${PROJECT_BINARY_DIR}/RiffleConfigVersion.cmake"
  cmake/RiffleKernels.cmake
  DESTINATION "${package_dir}"
)
