#include "csv_rows.hpp"

#include <csv.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "encoding.hpp"
#include "file.hpp"
#include "input_error.hpp"
#include "text.hpp"

namespace example {
namespace {

using RowTaker = std::function<void(CsvRow&)>;

// libcsv finds the cells, but does not tell the line on which a row begins. Therefore it is fed one line at a time.
class Parser {
 public:
  Parser(std::string const& file, Delimiter delimiter, RowTaker const& take)
      : file_(file), take_(take) {
    // Strict mode: a quote inside a cell, or one that is never closed, is an error.
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
    csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
  }
  ~Parser() { csv_free(&parser_); }
  Parser(Parser const&) = delete;
  Parser& operator=(Parser const&) = delete;

  void parse(std::string_view text) && {
    while (!text.empty()) {
      ++line_;
      std::size_t const length = line_length(text);
      feed(text.substr(0, length));
      text.remove_prefix(length);
    }
    finish();
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

  // C code calls this function, so it must not throw.
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
      parser.take_(parser.row_);
      parser.row_.line = parser.line_;
      parser.row_.cells.clear();
    });
  }

  std::string const& file_;
  RowTaker const& take_;
  csv_parser parser_{};
  std::size_t line_ = 0;
  CsvRow row_;
  std::exception_ptr failure_;
};

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.substr(0, mark.size()) == mark) text.remove_prefix(mark.size());
  return text;
}

std::string read_file(std::string const& name) {
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) {
    throw InputError(name + ": this is a folder, not a CSV file");
  }
  File const file(std::fopen(name.c_str(), "rb"));
  if (!file) throw std::system_error(errno, std::generic_category());
  return read_to_end(file.get());
}

// Names the delimiter in a message if it is not a comma, which the name CSV suggests.
std::string separated_by(Delimiter delimiter) {
  return delimiter == Delimiter::comma ? "" : " (separated by " + plural_of(delimiter) + ")";
}

}  // namespace

Delimiter for_each_csv_row(std::string const& file, std::string_view text,
                           std::optional<Delimiter> delimiter, RowTaker const& take) {
  text = without_byte_order_mark(text);
  auto const found = delimiter.value_or(detect_delimiter(text));
  Parser(file, found, take).parse(text);
  return found;
}

std::string name_in_messages(std::string const& file) {
  return file == standard_input ? "standard input" : file;
}

std::string text_of_file(std::string const& file) {
  try {
    return decoded(name_in_messages(file),
                   file == standard_input ? read_to_end(stdin) : read_file(file));
  } catch (std::system_error const& error) {
    throw InputError(name_in_messages(file) + ": " + error.code().message());
  }
}

void check_width(std::string const& file, CsvRow const& row, std::size_t width,
                 Delimiter delimiter) {
  if (row.cells.size() == width) return;
  throw InputError(file + ": line " + std::to_string(row.line) + ": " +
                   plural(row.cells.size(), "cell") + ", but the header has " +
                   std::to_string(width) + separated_by(delimiter));
}

}  // namespace example
