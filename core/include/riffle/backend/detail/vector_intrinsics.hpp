#pragma once

// The intrinsics for x86 vector instructions, if the build uses such instructions.

#if defined(__AVX__)
#if defined(__CUDACC__) && __CUDACC_VER_MAJOR__ < 13 && !defined(_AMXTILEINTRIN_H_INCLUDED)
// g++ 12.4 and 13.3 implement the intrinsics for matrix tiles with builtins that nvcc 12.4 does not
// know. Defining the include guard of their header excludes that header.
#define _AMXTILEINTRIN_H_INCLUDED
#endif
#include <immintrin.h>
#elif defined(__SSSE3__)
// immintrin.h, which has all intrinsics, would add half a second to the compilation of every file
// that includes this one.
#include <tmmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif
