#pragma once

// Tests of a generator of permutations, Riffle's own or any other.
//
//   uniformity/uniformity_test.hpp     one test
//   uniformity/uniformity_battery.hpp  all tests, with p-values adjusted for their number

#include <riffle/uniformity/uniformity_battery.hpp>
#include <riffle/uniformity/uniformity_test.hpp>
