#pragma once

// Data sets that come with R, as CSV files that R writes (real_data.R). Tests of a missing file are skipped.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

/// A folder with the files that could be written: the folder RIFFLE_REAL_DATA, which `Rscript --vanilla
/// unit_tests/support/real_data.R FOLDER` filled, or else a temporary folder that this object fills by R and removes.
class RealData {
 public:
  static RealData const& instance() {
    static RealData const data;
    return data;
  }

  RealData(RealData const&) = delete;
  RealData& operator=(RealData const&) = delete;
  ~RealData() {
    std::error_code ignored;
    if (is_temporary_) std::filesystem::remove_all(folder_, ignored);
  }

  std::string file(std::string const& name) const { return (folder_ / name).string(); }

  /// The reason to skip a test of these files; empty if all exist.
  std::string missing(std::vector<std::string> const& names, std::string const& packages) const {
    for (auto const& name : names) {
      if (std::filesystem::exists(file(name))) continue;
      return "no " + name + ": neither did Rscript (r-base-core, " + packages +
             ") write it nor is it in the folder that RIFFLE_REAL_DATA names";
    }
    return {};
  }

 private:
  RealData() {
    if (char const* const folder = std::getenv("RIFFLE_REAL_DATA")) {
      folder_ = folder;
      return;
    }
    std::string pattern =
        (std::filesystem::temp_directory_path() / "riffle-real-data-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return;
    folder_ = pattern;
    is_temporary_ = true;
    auto const script = std::filesystem::path(__FILE__).replace_filename("real_data.R");
    auto const command = "Rscript --vanilla '" + script.string() + "' '" + pattern + "' > '" +
                         file("log.txt") + "' 2>&1";
    [[maybe_unused]] int const status = std::system(command.c_str());
  }

  std::filesystem::path folder_;
  bool is_temporary_ = false;
};

}  // namespace riffle::test
