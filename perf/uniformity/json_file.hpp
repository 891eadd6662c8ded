#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include <riffle/uniformity.hpp>

namespace perf::quality {

using Json = nlohmann::ordered_json;

Json result_as_json(riffle::uniformity::TestResult const& result);

/// Writes an object, each of its members on a line of its own, and each element of members that are
/// arrays. Writes it whole, or leaves what was there: a run that is stopped has a file of all before. Does nothing
/// where the name is empty; throws std::runtime_error where the file cannot be written.
void write_json(std::string const& file, Json const& json);

}  // namespace perf::quality
