#include "csv_table.hpp"

#include <gtest/gtest.h>

#include "input_error.hpp"
#include "program.hpp"

namespace example::csv_table_test {

CsvTable parse(std::string_view text) { return CsvTable("t.csv", text); }

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (InputError const& error) {
    return error.what();
  }
  return "no InputError";
}

std::string message_of_parse(std::string_view text) {
  return message_of([&] { parse(text); });
}

TEST(CsvTable, header_and_cells) {
  auto const table = parse("a,b\n1,x\n2,y\n");
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.number(1, table.column("a")), 2.0);
  EXPECT_EQ(table.text(0, table.column("b")), "x");
}

TEST(CsvTable, every_line_end_and_none_after_the_last_row) {
  for (auto const* text : {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r",
                           "a,b\n1,2\n3,4", "a,b\n\n1,2\n\n\n3,4\n\n"}) {
    auto const table = parse(text);
    EXPECT_EQ(table.rows(), 2U) << text;
    EXPECT_EQ(table.number(1, 1), 4.0) << text;
  }
}

TEST(CsvTable, byte_order_mark_spaces_and_quotes) {
  auto const table = parse(
      "\xEF\xBB\xBF"
      "\"a, b\", c\n\"1\", 2 \n\"3\",\"say \"\"4\"\"\"\n");
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"a, b", "c"}));
  EXPECT_EQ(table.number(0, 0), 1.0);
  EXPECT_EQ(table.number(0, 1), 2.0);
  EXPECT_EQ(table.text(1, 1), "say \"4\"");
}

TEST(CsvTable, lines_are_counted_as_the_file_has_them) {
  auto const lines = {
      std::pair{"a,b\n1,x\n2,y\n", "t.csv: line 3, column 'b': 'y' is not a number"},
      std::pair{"a,b\r\n1,x\r\n2,y\r\n", "t.csv: line 3, column 'b': 'y' is not a number"},
      std::pair{"a,b\n\n\n1,x\n\n2,y\n", "t.csv: line 6, column 'b': 'y' is not a number"},
      std::pair{"a,b\n1,\"x\nx\nx\"\n2,y\n", "t.csv: line 5, column 'b': 'y' is not a number"},
  };
  for (auto const& line : lines) {
    EXPECT_EQ(message_of([&] { parse(line.first).number(1, 1); }), line.second);
  }
}

TEST(CsvTable, a_row_with_line_ends_inside_is_named_by_its_first_line) {
  EXPECT_EQ(message_of([] { parse("a,b\n1,2\n\"x\nx\",3\n").number(1, 0); }),
            "t.csv: line 3, column 'a': 'x\\x0Ax' is not a number");
}

TEST(CsvTable, rejects_files_without_data) {
  EXPECT_EQ(message_of_parse(""), "t.csv: the file is empty");
  EXPECT_EQ(message_of_parse("\xEF\xBB\xBF"), "t.csv: the file is empty");
  EXPECT_EQ(message_of_parse("\n\r\n  \n"), "t.csv: the file is empty");
  EXPECT_EQ(message_of_parse("a,b\n"), "t.csv: no rows below the header");
}

TEST(CsvTable, rejects_ragged_rows) {
  EXPECT_EQ(message_of_parse("a,b\n1,2\n3\n"), "t.csv: line 3: 1 cell, but the header has 2");
  EXPECT_EQ(message_of_parse("a,b\n1,2,3\n"), "t.csv: line 2: 3 cells, but the header has 2");
  EXPECT_EQ(message_of_parse("a,b\n1,2,\n"), "t.csv: line 2: 3 cells, but the header has 2");
}

TEST(CsvTable, rejects_two_columns_of_one_name) {
  EXPECT_EQ(message_of_parse("a,b,a\n1,2,3\n"), "t.csv: two columns have the name 'a'");
}

TEST(CsvTable, rejects_quotes_that_do_not_close) {
  EXPECT_EQ(message_of_parse("a,b\n1,2\n3,\"4\n5,6\n"),
            "t.csv: line 3: a quote (\") opens here and is never closed");
  EXPECT_EQ(message_of_parse("\"a,b\n1,2\n"),
            "t.csv: line 1: a quote (\") opens here and is never closed");
}

TEST(CsvTable, rejects_quotes_inside_cells) {
  for (auto const* text : {"a,b\n1,2\"3\"\n", "a,b\n1,\"2\"3\n"}) {
    EXPECT_NE(message_of_parse(text).find("t.csv: line 2: a quote (\") inside a cell"),
              std::string::npos)
        << message_of_parse(text);
  }
}

TEST(CsvTable, errors_of_missing_columns_list_the_columns) {
  EXPECT_EQ(message_of([] { parse("a,b\n1,2\n").column("c"); }),
            "t.csv: no column 'c'; its columns are 'a', 'b'");
}

TEST(CsvTable, cells_that_are_not_numbers) {
  auto const message = [](std::string const& cell) {
    return message_of([&] { parse("a,b\n1," + cell + "\n").number(0, 1); });
  };
  EXPECT_EQ(message("12abc"), "t.csv: line 2, column 'b': '12abc' is not a number");
  EXPECT_EQ(message("\"1,5\""), "t.csv: line 2, column 'b': '1,5' is not a number");
  EXPECT_EQ(message("inf"), "t.csv: line 2, column 'b': 'inf' is not a finite number");
  EXPECT_EQ(message("-inf"), "t.csv: line 2, column 'b': '-inf' is not a finite number");
  EXPECT_EQ(message(std::string("1\0", 2)), "t.csv: line 2, column 'b': '1\\x00' is not a number");
}

TEST(CsvTable, missing_values) {
  std::string const advice = " (--skip-missing leaves such rows out)";
  auto const table = parse("a,b\n1,\n2,\"\"\n3,NA\n4,NaN\n5,nan\n6,0\n7,na\n8,inf\n9,N/A\n");
  auto const message = [&](std::size_t row) { return message_of([&] { table.number(row, 1); }); };
  EXPECT_EQ(message(0), "t.csv: line 2, column 'b': the cell is empty" + advice);
  EXPECT_EQ(message(1), "t.csv: line 3, column 'b': the cell is empty" + advice);
  EXPECT_EQ(message(2), "t.csv: line 4, column 'b': 'NA' is a missing value" + advice);
  EXPECT_EQ(message(3), "t.csv: line 5, column 'b': 'NaN' is a missing value" + advice);
  EXPECT_EQ(message(4), "t.csv: line 6, column 'b': 'nan' is a missing value" + advice);
  EXPECT_EQ(message(6), "t.csv: line 8, column 'b': 'na' is not a number");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    EXPECT_EQ(table.is_missing(row, 1), row < 5) << row;
    EXPECT_FALSE(table.is_missing(row, 0)) << row;
  }
}

TEST(CsvTable, delimiters) {
  for (auto const* text :
       {"a,b\n1,x y\n2,\"p,q;r\"\n", "a;b\n1;x y\n2;\"p,q;r\"\n", "a\tb\n1\tx y\n2\t\"p,q;r\"\n"}) {
    auto const table = parse(text);
    EXPECT_EQ(static_cast<char>(table.delimiter()), text[1]);
    EXPECT_EQ(table.columns(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(table.number(1, 0), 2.0);
    EXPECT_EQ(table.text(0, 1), "x y");
    EXPECT_EQ(table.text(1, 1), "p,q;r");
  }
  CsvTable const one_column("t.csv", "a;b\n1;x\n", Delimiter::comma);
  EXPECT_EQ(one_column.columns(), (std::vector<std::string>{"a;b"}));
}

TEST(CsvTable, empty_cells_between_tabs) {
  auto const table = parse("a\tb\tc\n\t2\t\n1\t\t3\n");
  EXPECT_EQ(table.number(0, 1), 2.0);
  EXPECT_EQ(table.number(1, 2), 3.0);
  EXPECT_TRUE(table.is_missing(0, 0));
  EXPECT_TRUE(table.is_missing(0, 2));
  EXPECT_TRUE(table.is_missing(1, 1));
}

TEST(CsvTable, errors_of_ragged_rows_name_the_delimiter) {
  EXPECT_EQ(message_of_parse("a;b\n1;2;3\n"),
            "t.csv: line 2: 3 cells, but the header has 2 (separated by semicolons)");
  EXPECT_EQ(message_of_parse("a\tb\n1\n"),
            "t.csv: line 2: 1 cell, but the header has 2 (separated by tabs)");
}

TEST(CsvTable, files_that_cannot_be_read) {
  example_test::TemporaryFolder const folder;
  EXPECT_EQ(message_of([&] { read_csv(folder.path("none.csv")); }),
            folder.path("none.csv") + ": No such file or directory");
  EXPECT_EQ(message_of([&] { read_csv(folder.path("")); }),
            folder.path("") + ": this is a folder, not a CSV file");
  EXPECT_EQ(message_of([&] { read_csv(folder.write("empty.csv", "")); }),
            folder.path("empty.csv") + ": the file is empty");
}

TEST(CsvTable, large_files) {
  std::string text = "a,b\n";
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ",x\n";
  auto const table = parse(text);
  EXPECT_EQ(table.rows(), 100'000U);
  EXPECT_EQ(table.number(99'999, 0), 99'999.0);
}

}  // namespace example::csv_table_test
