#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "subprocess.hpp"

namespace example_test {

inline std::string data_file(std::string const& name) {
  return std::string(RIFFLE_PERMUTATION_TEST_DATA) + "/" + name;
}

/// Runs permutation_test with these arguments and this standard input; standard error is not a terminal.
inline example::Finished run_permutation_test(std::vector<std::string> arguments,
                                              std::string const& input = {}) {
  arguments.insert(arguments.begin(), RIFFLE_PERMUTATION_TEST_PROGRAM);
  return example::run_program(arguments, input);
}

/// Runs it with --json, which must succeed, and returns the object.
inline nlohmann::json run_json(std::vector<std::string> arguments, std::string const& input = {}) {
  arguments.emplace_back("--json");
  auto const finished = run_permutation_test(std::move(arguments), input);
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  auto object = nlohmann::json::parse(finished.output, nullptr, false);
  EXPECT_FALSE(object.is_discarded()) << finished.output;
  return object;
}

inline std::string read_file(std::filesystem::path const& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A folder that is removed with its contents at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "riffle-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(TemporaryFolder const&) = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;

  std::string path(std::string const& name) const { return (path_ / name).string(); }

  std::string write(std::string const& name, std::string const& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

/// Sets an environment variable until the end of the scope.
class ScopedEnvironment {
 public:
  ScopedEnvironment(char const* name, char const* value) : name_(name) {
    if (char const* const old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~ScopedEnvironment() { setenv(name_, old_.c_str(), 1); }
  ScopedEnvironment(ScopedEnvironment const&) = delete;
  ScopedEnvironment& operator=(ScopedEnvironment const&) = delete;

 private:
  char const* name_;
  std::string old_;
};

inline bool has_gnuplot() { return example::run_program({"gnuplot", "--version"}).found; }

}  // namespace example_test
