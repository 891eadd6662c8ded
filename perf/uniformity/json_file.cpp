#include "uniformity/json_file.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace perf::quality {
namespace {

void print(std::ostream& out, Json const& value) {
  if (!value.is_array()) {
    out << value.dump();
    return;
  }
  char const* before = "[\n  ";
  for (auto const& element : value) {
    out << before << element.dump();
    before = ",\n  ";
  }
  out << (value.empty() ? "[]" : "\n ]");
}

void print_members(std::ostream& out, Json const& object) {
  char const* before = "{\n ";
  for (auto const& [name, value] : object.items()) {
    out << before << Json(name).dump() << ": ";
    print(out, value);
    before = ",\n ";
  }
  out << "\n}\n";
}

}  // namespace

Json result_as_json(riffle::uniformity::TestResult const& result) {
  return {{"test", result.test},
          {"statistic", result.statistic},
          {"null", result.null},
          {"p_value", result.p_value}};
}

void write_json(std::string const& file, Json const& json) {
  if (file.empty()) return;
  std::string const partial = file + ".partial";
  std::ofstream out(partial);
  print_members(out, json);
  out.close();
  if (!out) throw std::runtime_error(file + " cannot be written");
  std::filesystem::rename(partial, file);
}

}  // namespace perf::quality
