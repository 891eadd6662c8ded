#pragma once

// The intrinsics of x86 vector instructions, for builds that have such instructions.

#if defined(__AVX__)
#if defined(__CUDACC__) && __CUDACC_VER_MAJOR__ < 13 && !defined(_AMXTILEINTRIN_H_INCLUDED)
// g++ 12.4 and 13.3 define the instructions of matrix tiles by builtins that nvcc 12.4 does not
// know. Defining the include guard of their header leaves it out.
#define _AMXTILEINTRIN_H_INCLUDED
#endif
#include <immintrin.h>
#elif defined(__SSSE3__)
// immintrin.h, with all intrinsics, would take half a second more in every file that includes this.
#include <tmmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif
