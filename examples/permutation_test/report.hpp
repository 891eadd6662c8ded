#pragma once

#include <string>

#include "histogram.hpp"
#include "options.hpp"
#include "run.hpp"
#include "samples.hpp"

namespace example {

/// The report in plain text.
std::string text_report(CsvTable const& table, Samples const& samples, Options const& options,
                        Outcome const& outcome);

/// The result as one JSON object on one line.
std::string json_report(CsvTable const& table, Samples const& samples, Options const& options,
                        Outcome const& outcome);

/// The texts for the picture of the null distribution.
Captions captions(CsvTable const& table, Samples const& samples, Options const& options,
                  Outcome const& outcome);

}  // namespace example
