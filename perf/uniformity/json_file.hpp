#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include <riffle/uniformity.hpp>

namespace perf::quality {

using Json = nlohmann::ordered_json;

Json result_as_json(riffle::uniformity::TestResult const& result);

/// Writes an object with one line per member, and per element of members that are arrays. The file is replaced as a whole, so an
/// interrupted run leaves a complete file. Does nothing if the name is empty. Throws std::runtime_error if it cannot be written.
void write_json(std::string const& file, Json const& json);

}  // namespace perf::quality
