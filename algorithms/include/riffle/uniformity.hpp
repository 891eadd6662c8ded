#pragma once

// Tests of generators of random permutations: Riffle's own generator or any other.
//
//   uniformity/uniformity_test.hpp     one test
//   uniformity/uniformity_battery.hpp  all tests, with p-values adjusted for the number of tests

#include <riffle/uniformity/uniformity_battery.hpp>
#include <riffle/uniformity/uniformity_test.hpp>
