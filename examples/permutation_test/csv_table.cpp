#include "csv_table.hpp"

#include <csv.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "file.hpp"
#include "input_error.hpp"
#include "text.hpp"

namespace example {
namespace {

struct Row {
  std::size_t line = 0;  // where it begins in the file
  std::vector<std::string> cells;
};

// libcsv finds the cells; this class knows what it does not: on which line of the file a row
// begins. It therefore feeds libcsv one line at a time.
class Parser {
 public:
  Parser(std::string const& file, Delimiter delimiter) : file_(file) {
    // Strict: a quote that stands inside a cell or is never closed is an error, not a guess.
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
    csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
  }
  ~Parser() { csv_free(&parser_); }
  Parser(Parser const&) = delete;
  Parser& operator=(Parser const&) = delete;

  std::vector<Row> parse(std::string_view text) && {
    while (!text.empty()) {
      ++line_;
      std::size_t const length = line_length(text);
      feed(text.substr(0, length));
      text.remove_prefix(length);
    }
    finish();
    return std::move(rows_);
  }

 private:
  // A line ends with \n, \r\n, or \r alone.
  static std::size_t line_length(std::string_view text) {
    std::size_t const end = text.find_first_of("\r\n");
    if (end == std::string_view::npos) return text.size();
    bool const two = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
    return end + (two ? 2 : 1);
  }

  void feed(std::string_view line) {
    if (row_.cells.empty() && !inside_quotes()) row_.line = line_;
    std::size_t const used =
        csv_parse(&parser_, line.data(), line.size(), &Parser::on_cell, &Parser::on_row, this);
    if (failure_) std::rethrow_exception(failure_);
    if (used == line.size()) return;
    if (csv_error(&parser_) != CSV_EPARSE) throw std::bad_alloc();
    throw InputError(file_ + ": line " + std::to_string(line_) +
                     ": a quote (\") inside a cell that does not begin with one, or text after "
                     "the closing quote");
  }

  void finish() {
    int const status = csv_fini(&parser_, &Parser::on_cell, &Parser::on_row, this);
    if (failure_) std::rethrow_exception(failure_);
    if (status != 0) {
      throw InputError(file_ + ": line " + std::to_string(row_.line) +
                       ": a quote (\") opens here and is never closed");
    }
  }

  bool inside_quotes() const { return parser_.quoted != 0; }

  // Called by C code, through which no exception may pass.
  template <class Action>
  void guard(Action action) noexcept {
    try {
      if (!failure_) action();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  static void on_cell(void* text, std::size_t length, void* self) {
    auto& parser = *static_cast<Parser*>(self);
    parser.guard([&] { parser.row_.cells.emplace_back(static_cast<char const*>(text), length); });
  }

  static void on_row(int, void* self) {
    auto& parser = *static_cast<Parser*>(self);
    parser.guard([&] {
      parser.rows_.push_back(std::move(parser.row_));
      parser.row_ = Row{parser.line_, {}};
    });
  }

  std::string const& file_;
  csv_parser parser_{};
  std::size_t line_ = 0;
  Row row_;
  std::vector<Row> rows_;
  std::exception_ptr failure_;
};

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.substr(0, mark.size()) == mark) text.remove_prefix(mark.size());
  return text;
}

void check_header(std::string const& file, std::vector<std::string> const& columns) {
  std::unordered_set<std::string_view> seen;
  for (auto const& name : columns) {
    if (!seen.insert(name).second) {
      throw InputError(file + ": two columns have the name " + in_quotes(name));
    }
  }
}

std::string count_cells(std::size_t n) { return std::to_string(n) + (n == 1 ? " cell" : " cells"); }

// What a message says of a delimiter that is not what the name of CSV lets one expect.
std::string separated_by(Delimiter delimiter) {
  return delimiter == Delimiter::comma ? "" : " (separated by " + plural_of(delimiter) + ")";
}

void check_width(std::string const& file, Row const& row, std::size_t width, Delimiter delimiter) {
  if (row.cells.size() == width) return;
  throw InputError(file + ": line " + std::to_string(row.line) + ": " +
                   count_cells(row.cells.size()) + " where the header has " +
                   std::to_string(width) + separated_by(delimiter));
}

constexpr std::string_view advice_on_missing = " (--skip-missing leaves such rows out)";

std::string read_file(std::string const& name) {
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) {
    throw InputError(name + ": this is a folder, not a CSV file");
  }
  File const file(std::fopen(name.c_str(), "rb"));
  if (!file) throw std::system_error(errno, std::generic_category());
  return read_to_end(file.get());
}

}  // namespace

CsvTable::CsvTable(std::string file, std::string_view text, std::optional<Delimiter> delimiter)
    : file_(std::move(file)) {
  text = without_byte_order_mark(text);
  delimiter_ = delimiter.value_or(recognise_delimiter(text));
  auto rows = Parser(file_, delimiter_).parse(text);
  if (rows.empty()) throw InputError(file_ + ": the file is empty");
  columns_ = std::move(rows.front().cells);
  check_header(file_, columns_);
  if (rows.size() == 1) throw InputError(file_ + ": no rows below the header");
  lines_.reserve(rows.size() - 1);
  cells_.reserve((rows.size() - 1) * columns_.size());
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    check_width(file_, *row, columns_.size(), delimiter_);
    lines_.push_back(row->line);
    std::move(row->cells.begin(), row->cells.end(), std::back_inserter(cells_));
  }
}

std::size_t CsvTable::column(std::string const& name) const {
  auto const at = std::find(columns_.begin(), columns_.end(), name);
  if (at == columns_.end()) {
    throw InputError(file_ + ": no column " + in_quotes(name) + "; its columns are " +
                     list_in_quotes(columns_));
  }
  return static_cast<std::size_t>(at - columns_.begin());
}

std::string CsvTable::place(std::size_t row, std::size_t column) const {
  return file_ + ": line " + std::to_string(lines_[row]) + ", column " +
         in_quotes(columns_[column]) + ": ";
}

bool CsvTable::is_missing(std::size_t row, std::size_t column) const {
  auto const& found = cell(row, column);
  if (found.empty() || found == "NA") return true;
  auto const number = to_double(found);
  return number && std::isnan(*number);
}

std::string const& CsvTable::text(std::size_t row, std::size_t column) const {
  auto const& found = cell(row, column);
  if (found.empty()) {
    throw InputError(place(row, column) + "the cell is empty" + std::string(advice_on_missing));
  }
  return found;
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  auto const& found = text(row, column);
  auto const number = to_double(found);
  if (number && std::isfinite(*number)) return *number;
  throw InputError(place(row, column) + in_quotes(found) +
                   (number ? " is not a finite number" : " is not a number") +
                   std::string(is_missing(row, column) ? advice_on_missing : ""));
}

CsvTable read_csv(std::string const& file, std::optional<Delimiter> delimiter) {
  bool const is_file = file != standard_input;
  std::string const name = is_file ? file : "standard input";
  try {
    return {name, is_file ? read_file(file) : read_to_end(stdin), delimiter};
  } catch (std::system_error const& error) {
    throw InputError(name + ": " + error.code().message());
  }
}

}  // namespace example
