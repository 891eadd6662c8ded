#pragma once

// The vector instructions of x86 processors by their names, where a build has them at all.

#if defined(__AVX__)
#if defined(__CUDACC__) && __CUDACC_VER_MAJOR__ < 13 && !defined(_AMXTILEINTRIN_H_INCLUDED)
// Newer g++ (12.4, 13.3) define the instructions of matrix tiles by functions of the compiler that nvcc 12.4 does not
// know. This is their header's guard: it is left out.
#define _AMXTILEINTRIN_H_INCLUDED
#endif
#include <immintrin.h>
#elif defined(__SSSE3__)
// All of them at once (immintrin.h) would take half of a second more in every file that includes this.
#include <tmmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif
