// Text files of integers, with an observation in each line and a replicate in each column. Files written by Riffle
// begin with a line that gives the numbers of observations and replicates, so that a truncated file is detected. Other
// files may lack this line.

#include <riffle/monte_carlo/permutation_files.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <riffle/errors.hpp>

namespace riffle {
namespace detail {
namespace {

/// The first line of a file written by Riffle.
struct FirstLine : ColumnCounts {
  std::string text() const {
    return concatenate(before_observations, observations, between, replicates, behind_replicates);
  }

  /// Returns std::nullopt if the line does not have the form of text().
  static std::optional<FirstLine> from(std::string_view line) {
    FirstLine counts{};
    bool const is_such = skip(line, before_observations) && number(line, counts.observations) &&
                         skip(line, between) && number(line, counts.replicates) &&
                         skip(line, behind_replicates);
    return is_such ? std::optional(counts) : std::nullopt;
  }

 private:
  static constexpr std::string_view before_observations = "# ";
  static constexpr std::string_view between = " observations in lines, ";
  static constexpr std::string_view behind_replicates = " replicates in columns";

  static bool skip(std::string_view& line, std::string_view word) {
    if (line.substr(0, word.size()) != word) return false;
    line.remove_prefix(word.size());
    return true;
  }
  static bool number(std::string_view& line, std::uint64_t& value) {
    auto const [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return error == std::errc();
  }
};

/// Writes to a temporary file in the same folder and renames it when it is complete, so that no reader sees an
/// incomplete file. An existing file with the temporary name is removed first; if it is a link, the link is removed,
/// not its target.
class UnfinishedFile {
 public:
  UnfinishedFile(char const* function, std::filesystem::path file)
      : function_(function), file_(std::move(file)), unfinished_(file_) {
    unfinished_ += ".unfinished";
    std::error_code ignored;
    std::filesystem::remove(unfinished_, ignored);
    errno = 0;
    stream_ = std::fopen(unfinished_.string().c_str(), "wx");
    check_that(stream_ != nullptr);
  }
  UnfinishedFile(UnfinishedFile const&) = delete;
  UnfinishedFile& operator=(UnfinishedFile const&) = delete;
  ~UnfinishedFile() {
    if (is_finished_) return;
    if (stream_ != nullptr) std::fclose(stream_);
    std::error_code ignored;
    std::filesystem::remove(unfinished_, ignored);
  }

  void write_line(std::string const& line) {
    check_that(std::fwrite(line.data(), 1, line.size(), stream_) == line.size() &&
               std::fputc('\n', stream_) != EOF);
  }

  void finish() {
    bool const is_closed = std::fclose(stream_) == 0;
    stream_ = nullptr;
    check_that(is_closed);
    std::error_code error;
    std::filesystem::rename(unfinished_, file_, error);
    check<std::runtime_error>(!error, function_, file_.string(),
                              ": cannot be written: ", error.message());
    is_finished_ = true;
  }

 private:
  void check_that(bool works) const {
    check<std::runtime_error>(
        works, function_, unfinished_.string(), ": cannot be written: ",
        errno == 0 ? "the stream failed" : std::generic_category().message(errno));
  }

  char const* function_;
  std::filesystem::path file_;
  std::filesystem::path unfinished_;
  std::FILE* stream_ = nullptr;
  bool is_finished_ = false;
};

/// The numbers in a file, in row-major order: one row for each line.
struct TextColumns {
  std::vector<std::int64_t> values;
  std::vector<std::uint64_t> line_numbers;  // line_numbers[i]: the line of observation i, from 1
  std::uint64_t replicates = 0;

  std::uint64_t observations() const { return line_numbers.size(); }
  std::int64_t value(std::uint64_t r, std::uint64_t i) const { return values[i * replicates + r]; }
};

class ColumnReader {
 public:
  ColumnReader(char const* function, std::filesystem::path const& file)
      : function_(function), name_(file.string()) {
    errno = 0;
    stream_.open(file);
    check<std::runtime_error>(!stream_.fail(), function_, name_,
                              ": cannot be read: ", std::generic_category().message(errno));
  }

  TextColumns read() {
    for (std::string line; std::getline(stream_, line);) {
      ++line_number_;
      if (line_number_ == 1) counts_ = FirstLine::from(line);
      read_line(line);
    }
    check<std::runtime_error>(!stream_.bad(), function_, name_, ": cannot be read behind line ",
                              line_number_);
    check_counts();
    return std::move(columns_);
  }

  template <class... Parts>
  void check_line(bool ok, std::uint64_t line, Parts const&... parts) const {
    check<std::runtime_error>(ok, function_, name_, ", line ", line, ": ", parts...);
  }

 private:
  static constexpr std::string_view separators = " \t,\r";

  void read_line(std::string_view line) {
    line = line.substr(0, line.find('#'));
    std::size_t const before = columns_.values.size();
    for (;;) {
      auto const begin = line.find_first_not_of(separators);
      if (begin == std::string_view::npos) break;
      line.remove_prefix(begin);
      auto const end = line.find_first_of(separators);
      columns_.values.push_back(number(line.substr(0, end)));
      line.remove_prefix(end == std::string_view::npos ? line.size() : end);
    }
    add_line(columns_.values.size() - before);
  }

  void add_line(std::uint64_t entries) {
    if (entries == 0) return;
    if (columns_.line_numbers.empty()) columns_.replicates = entries;
    check_line(entries == columns_.replicates, line_number_, "has ", entries, " entries, and line ",
               columns_.line_numbers.empty() ? line_number_ : columns_.line_numbers[0], " has ",
               columns_.replicates, ": must be equal");
    columns_.line_numbers.push_back(line_number_);
  }

  std::int64_t number(std::string_view entry) const {
    std::string_view digits = entry;
    if (digits.substr(0, 1) == "+") digits.remove_prefix(1);
    std::int64_t value = 0;
    auto const* const last = digits.data() + digits.size();
    auto const [end, error] = std::from_chars(digits.data(), last, value);
    check_line(error == std::errc() && end == last, line_number_, '"', entry,
               "\": must be an integer");
    return value;
  }

  void check_counts() {
    if (!counts_) {
      check<std::runtime_error>(!columns_.line_numbers.empty(), function_, name_,
                                ": has no line of numbers");
      return;
    }
    auto const [observations, replicates] = static_cast<ColumnCounts>(*counts_);
    constexpr std::uint64_t most_observations = std::uint64_t{1} << 31;
    check_line(observations < most_observations, 1, "has ", observations,
               " observations: must be fewer than ", most_observations);
    if (replicates == 0) columns_.line_numbers.resize(observations);
    check<std::runtime_error>(columns_.observations() == observations, function_, name_,
                              " ends in line ", line_number_, ", after ", columns_.observations(),
                              " of ", observations, " observations");
    if (observations == 0) columns_.replicates = replicates;
    check_line(columns_.replicates == replicates, line_number_, "has ", columns_.replicates, " of ",
               replicates, " replicates");
  }

  char const* function_;
  std::string name_;
  std::ifstream stream_;
  std::uint64_t line_number_ = 0;
  std::optional<FirstLine> counts_;
  TextColumns columns_;
};

// --- columns of permutations ---
//
// Checks that the columns of a file are permutations, and determines whether indices start at 0 or at 1.

/// Returns the index that stands for observation 0, which is 0 or 1. It is the smallest number in the file, because
/// every permutation contains it.
std::int64_t first_index(ColumnReader const& file, TextColumns const& columns) {
  if (columns.values.empty()) return 1;
  auto const least = std::min_element(columns.values.begin(), columns.values.end());
  auto const line = static_cast<std::uint64_t>(least - columns.values.begin()) / columns.replicates;
  file.check_line(*least == 0 || *least == 1, columns.line_numbers[line], "index ", *least,
                  " is the least of the file: must be 0 or 1");
  return *least;
}

void check_permutations_in(ColumnReader const& file, TextColumns const& columns,
                           std::int64_t first) {
  std::uint64_t const n = columns.observations();
  std::vector<std::uint64_t> line_of(n);  // 0: index not found yet
  for (std::uint64_t r = 0; r < columns.replicates; ++r) {
    std::fill(line_of.begin(), line_of.end(), 0);
    for (std::uint64_t i = 0; i < n; ++i) {
      auto const index = columns.value(r, i);
      auto const line = columns.line_numbers[i];
      auto const image = static_cast<std::uint64_t>(index - first);
      file.check_line(image < n, line, "index ", index, " in column ", r + 1, ": must be at most ",
                      first + static_cast<std::int64_t>(n) - 1, ", as there are ", n,
                      " observations");
      file.check_line(line_of[image] == 0, line, "index ", index, " in column ", r + 1,
                      " is in line ", line_of[image], ", too: a column must be a permutation");
      line_of[image] = line;
    }
  }
}

void check_signs_in(ColumnReader const& file, TextColumns const& columns) {
  for (std::uint64_t k = 0; k < columns.values.size(); ++k) {
    auto const sign = columns.values[k];
    file.check_line(sign == 1 || sign == -1, columns.line_numbers[k / columns.replicates], "sign ",
                    sign, " in column ", k % columns.replicates + 1, ": must be 1 or -1");
  }
}

template <class Value>
auto to_matrix(TextColumns const& columns, std::int64_t first) {
  Kokkos::View<Value**, Kokkos::LayoutRight, Kokkos::HostSpace> const matrix(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "riffle::columns"), columns.replicates,
      columns.observations());
  for (std::uint64_t r = 0; r < columns.replicates; ++r) {
    for (std::uint64_t i = 0; i < columns.observations(); ++i) {
      matrix(r, i) = static_cast<Value>(columns.value(r, i) - first);
    }
  }
  return matrix;
}

}  // namespace

void write_columns(char const* function, std::filesystem::path const& file,
                   ColumnCounts const& counts,
                   std::function<std::int64_t(std::uint64_t, std::uint64_t)> const& value) {
  UnfinishedFile unfinished(function, file);
  unfinished.write_line(FirstLine{counts}.text());
  for (std::uint64_t i = 0; i < counts.observations; ++i) {
    std::string line;
    for (std::uint64_t r = 0; r < counts.replicates; ++r) {
      if (r > 0) line += ' ';
      line += std::to_string(value(r, i));
    }
    unfinished.write_line(line);
  }
  unfinished.finish();
}

}  // namespace detail

Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace> read_permutations(
    std::filesystem::path const& file) {
  detail::ColumnReader reader("read_permutations", file);
  auto const columns = reader.read();
  auto const first = detail::first_index(reader, columns);
  detail::check_permutations_in(reader, columns, first);
  return detail::to_matrix<std::int32_t>(columns, first);
}

Kokkos::View<std::int8_t**, Kokkos::LayoutRight, Kokkos::HostSpace> read_signs(
    std::filesystem::path const& file) {
  detail::ColumnReader reader("read_signs", file);
  auto const columns = reader.read();
  detail::check_signs_in(reader, columns);
  return detail::to_matrix<std::int8_t>(columns, 0);
}

}  // namespace riffle
