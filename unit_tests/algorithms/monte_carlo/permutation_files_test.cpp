// Permutations and signs in text files.

#include <Kokkos_Core.hpp>
#include <riffle/monte_carlo/permutation_files.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_scheme_views.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/matrices.hpp"
#include "support/thrown_message.hpp"

namespace riffle::test::permutation_files_test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Images = std::vector<int>;
using Rows = std::vector<Images>;

/// A folder that is removed after the test.
class PermutationFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "riffle_exchanges_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file() const { return folder_ / "permutations.txt"; }

  std::filesystem::path file_of(std::string const& text) const {
    std::ofstream(file()) << text;
    return file();
  }

  std::string text() const {
    std::stringstream all;
    all << std::ifstream(file()).rdbuf();
    return all.str();
  }

  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] auto const& entry : std::filesystem::directory_iterator(folder_)) ++count;
    return count;
  }

  /// Returns the error message for a file, after the name of the file.
  std::string error_of_permutations(std::string const& text) const {
    return error_of(text, "read_permutations", [](auto const& file) { read_permutations(file); });
  }
  std::string error_of_signs(std::string const& text) const {
    return error_of(text, "read_signs", [](auto const& file) { read_signs(file); });
  }

  std::filesystem::path folder_;

 private:
  template <class Read>
  std::string error_of(std::string const& text, std::string const& function,
                       Read const& read) const {
    auto const written = file_of(text);
    auto const message = thrown_message<std::runtime_error>([&] { read(written); });
    std::string const begin = "riffle::" + function + ": " + written.string();
    return message.rfind(begin, 0) == 0 ? message.substr(begin.size()) : message;
  }
};

template <class T>
Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace> matrix_of(Rows const& rows) {
  Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace> const matrix("matrix", rows.size(),
                                                                        rows[0].size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < rows[r].size(); ++i) matrix(r, i) = static_cast<T>(rows[r][i]);
  }
  return matrix;
}

// vectorstats 3.0.3 read this file as these replicates: for five subjects with values 7.5 2.5 11.5 8.5 6.5, the first
// two and the last three in a group, it gave t = 1.4498 and null_dist.csv 1.167571901, 0.1338430184, 0.06050989014, the
// z-scores of 1.4498, 0.1455 and 0.0657. The second one belongs to the data 2.5 11.5 7.5 8.5 6.5.
TEST_F(PermutationFilesTest, LinesAreObservationsAndColumnsReplicates) {
  write_permutations(file(),
                     matrix_of<std::uint8_t>({{0, 1, 2, 3, 4}, {1, 2, 0, 3, 4}, {2, 0, 1, 3, 4}}));
  EXPECT_EQ(
      text(),
      "# 5 observations in lines, 3 replicates in columns\n1 2 3\n2 3 1\n3 1 2\n4 4 4\n5 5 5\n");
  EXPECT_EQ(files(), 1u);
  write_signs(file(), matrix_of<double>({{1, -1}, {-1, -1}, {1, 1}}));
  EXPECT_EQ(text(), "# 2 observations in lines, 3 replicates in columns\n1 -1 1\n-1 -1 1\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(PermutationFilesTest, ReadsWhatItWrote) {
  auto const scheme = PermutationScheme::free(23).with_sign_flips();
  Kokkos::View<std::int16_t**, Host> const permutations("permutations", 50, 23);
  Kokkos::View<float**, Host> const signs("signs", 50, 23);
  fill_arrangements(Host(), scheme, 3, 4, permutations, signs);
  Kokkos::fence();
  write_permutations(file(), permutations);
  auto const read = read_permutations(file());
  write_signs(file(), signs);
  auto const read_back = read_signs(file());
  ASSERT_EQ(read.extent(0), 50u);
  ASSERT_EQ(read.extent(1), 23u);
  ASSERT_EQ(read_back.extent(0), 50u);
  ASSERT_EQ(read_back.extent(1), 23u);
  for (std::size_t r = 0; r < 50; ++r) {
    for (std::size_t i = 0; i < 23; ++i) {
      ASSERT_EQ(read(r, i), permutations(r, i));
      ASSERT_EQ(read_back(r, i), static_cast<int>(signs(r, i)));
    }
  }
}

TEST_F(PermutationFilesTest, NoReplicatesAndNoObservations) {
  for (std::size_t const rows : {0, 1, 2}) {
    for (std::size_t const n : {0, 1}) {
      Kokkos::View<int**, Kokkos::HostSpace> const zeros("zeros", rows, n);
      write_permutations(file(), zeros);
      auto const read = read_permutations(file());
      EXPECT_EQ(read.extent(0), rows);
      EXPECT_EQ(read.extent(1), n);
      Kokkos::deep_copy(zeros, 1);
      write_signs(file(), zeros);
      auto const signs = read_signs(file());
      EXPECT_EQ(signs.extent(0), rows);
      EXPECT_EQ(signs.extent(1), n);
    }
  }
}

TEST_F(PermutationFilesTest, ReadsVariantsOfTheFormat) {
  Rows const expected{{0, 1, 2}, {2, 0, 1}};
  for (std::string const text :
       {"1 3\n2 1\n3 2\n", "0 2\n1 0\n2 1", "1,3\r\n2, 1\r\n3\t2\r\n",
        "# by palm_quickperms\n\n  1   3 \n2 1 # the second\n\n+3 2\n\n"}) {
    EXPECT_EQ(to_rows(read_permutations(file_of(text))), expected) << text;
  }
  // From 1 on, although vectorstats would refuse this first line, and from 0 on, which vectorstats reads as from 1.
  EXPECT_EQ(to_rows(read_permutations(file_of("2 3\n1 1\n3 2\n"))), (Rows{{1, 0, 2}, {2, 0, 1}}));
  EXPECT_EQ(to_rows(read_permutations(file_of("1 2\n0 0\n2 1\n"))), (Rows{{1, 0, 2}, {2, 0, 1}}));
}

TEST_F(PermutationFilesTest, ErrorsNameLineAndValue) {
  EXPECT_EQ(error_of_permutations("1 2\n2 x1\n"), ", line 2: \"x1\": must be an integer");
  EXPECT_EQ(error_of_permutations("1 2\n\n2 1.0\n"), ", line 3: \"1.0\": must be an integer");
  EXPECT_EQ(error_of_permutations("1 2\n2 99999999999999999999\n"),
            ", line 2: \"99999999999999999999\": must be an integer");
  EXPECT_EQ(error_of_permutations("1 2 1\n2 1\n"),
            ", line 2: has 2 entries, and line 1 has 3: must be equal");
  EXPECT_EQ(error_of_permutations("1 2\n2 4\n3 3\n"),
            ", line 2: index 4 in column 2: must be at most 3, as there are 3 observations");
  EXPECT_EQ(error_of_permutations("# a\n1 2\n2 1\n3 2\n"),
            ", line 4: index 2 in column 2 is in line 2, too: a column must be a permutation");
  EXPECT_EQ(error_of_permutations("3 2\n2 3\n"),
            ", line 1: index 2 is the least of the file: must be 0 or 1");
  EXPECT_EQ(error_of_permutations("1 -1\n2 1\n"),
            ", line 1: index -1 is the least of the file: must be 0 or 1");
  // One column counts from 0, the other from 1.
  EXPECT_EQ(error_of_permutations("1 0\n2 1\n"),
            ", line 2: index 2 in column 1: must be at most 1, as there are 2 observations");
  EXPECT_EQ(error_of_permutations(""), ": has no line of numbers");
  EXPECT_EQ(error_of_permutations("# nothing\n\n"), ": has no line of numbers");
  EXPECT_EQ(error_of_signs("1 -1\n1 0\n"), ", line 2: sign 0 in column 2: must be 1 or -1");
  EXPECT_EQ(error_of_signs("1 -1\n1 -\n"), ", line 2: \"-\": must be an integer");
}

TEST_F(PermutationFilesTest, FilesCutShortAreFound) {
  Kokkos::View<int**, Host> const permutations("permutations", 12, 11);
  fill_permutations(Host(), PermutationScheme::free(11), 3, 4, permutations);
  Kokkos::fence();
  write_permutations(file(), permutations);
  std::string const whole = text();
  std::string const begin = whole.substr(0, whole.find('\n'));
  // The end of the last line may be missing.
  for (std::size_t bytes = 0; bytes + 2 < whole.size(); ++bytes) {
    EXPECT_NE(error_of_permutations(whole.substr(0, bytes)), "nothing was thrown") << bytes;
    // In a file without the first line, indices show that it is truncated.
    if (bytes > begin.size()) {
      EXPECT_NE(error_of_permutations(whole.substr(begin.size(), bytes - begin.size())),
                "nothing was thrown");
    }
  }
  EXPECT_EQ(error_of_permutations("# 3 observations in lines, 2 replicates in columns\n1 1\n2 2\n"),
            " ends in line 3, after 2 of 3 observations");
  EXPECT_EQ(error_of_permutations("# 1 observations in lines, 3 replicates in columns\n1 1\n"),
            ", line 2: has 2 of 3 replicates");
  EXPECT_EQ(error_of_signs("# 3 observations in lines, 1 replicates in columns\n1\n-1\n"),
            " ends in line 3, after 2 of 3 observations");
}

TEST_F(PermutationFilesTest, RejectsInvalidPermutationsToWrite) {
  EXPECT_EQ(thrown_message([&] {
              write_permutations(file(), matrix_of<int>({{0, 1}, {1, 1}}));
            }),
            "riffle::write_permutations: permutations(1, 1) = 1: a row must be a permutation of 0, "
            "..., n - 1 with n = 2");
  EXPECT_EQ(
      thrown_message([&] {
        write_permutations(file(), matrix_of<std::int8_t>({{0, -1}}));
      }),
      "riffle::write_permutations: permutations(0, 1) = -1: a row must be a permutation of 0, "
      "..., n - 1 with n = 2");
  EXPECT_EQ(thrown_message([&] {
              write_signs(file(), matrix_of<std::int8_t>({{1, 2}}));
            }),
            "riffle::write_signs: signs(0, 1) = 2: must be 1 or -1");
  EXPECT_EQ(files(), 0u);
}

TEST_F(PermutationFilesTest, FilesThatCannotBeOpened) {
  auto const nowhere = folder_ / "no_folder" / "file.txt";
  EXPECT_EQ(thrown_message<std::runtime_error>([&] { read_permutations(nowhere); }),
            "riffle::read_permutations: " + nowhere.string() +
                ": cannot be read: No such file or directory");
  EXPECT_EQ(thrown_message<std::runtime_error>([&] {
              write_permutations(nowhere, matrix_of<int>({{0, 1}}));
            }),
            "riffle::write_permutations: " + nowhere.string() +
                ".unfinished: cannot be written: No such file or directory");
  // A folder has the name of the file, so the temporary file is removed again.
  std::filesystem::create_directory(file());
  std::ofstream(file() / "something") << 1;
  EXPECT_NE(thrown_message<std::runtime_error>([&] {
              write_signs(file(), matrix_of<int>({{1}}));
            }).find("cannot be written"),
            std::string::npos);
  EXPECT_EQ(files(), 1u);
}

TEST_F(PermutationFilesTest, ALinkOfTheTemporaryNameIsNotFollowed) {
  auto const other = folder_ / "other.txt";
  std::ofstream(other) << "stays";
  std::filesystem::create_symlink(other, file().string() + ".unfinished");
  write_signs(file(), matrix_of<int>({{1, -1}}));
  std::string text;
  std::ifstream(other) >> text;
  EXPECT_EQ(text, "stays");
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file())));
  EXPECT_EQ(files(), 2u);
}

}  // namespace
}  // namespace riffle::test::permutation_files_test
