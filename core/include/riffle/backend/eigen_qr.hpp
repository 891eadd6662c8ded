#pragma once

// Eigen's QR decompositions, for small matrices on the host. Eigen is optional: only headers that
// include this one need it. No function of Eigen is called on a device.

#if !__has_include(<Eigen/QR>)
#error \
    "riffle/monte_carlo/linear_model.hpp needs Eigen 3.4: install it (Debian: libeigen3-dev), or link riffle::riffle where CMake finds Eigen3."
#endif

#if defined(__NVCC__) && !defined(EIGEN_CORE_H) && !defined(EIGEN_NO_CUDA)
// Without this macro, Eigen marks its functions for the device, although they call functions of the standard library
// that are not marked; nvcc warns of such calls. Users who call Eigen in their own kernels must include Eigen before
// Riffle's headers.
#define EIGEN_NO_CUDA
#include <Eigen/QR>
#undef EIGEN_NO_CUDA
#else
#include <Eigen/QR>
#endif
