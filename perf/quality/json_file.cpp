#include "quality/json_file.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace perf::quality {

Json as_json(riffle::uniformity::TestResult const& result) {
  return {{"test", result.test},
          {"statistic", result.statistic},
          {"null", result.null},
          {"p_value", result.p_value}};
}

void write_json(std::string const& file, Json const& json) {
  if (file.empty()) return;
  std::string const partial = file + ".partial";
  std::ofstream out(partial);
  out << json.dump(1) << '\n';
  out.close();
  if (!out) throw std::runtime_error(file + " cannot be written");
  std::filesystem::rename(partial, file);
}

}  // namespace perf::quality
