#include "delimiter.hpp"

#include <gtest/gtest.h>

namespace example::delimiter_test {

TEST(Delimiter, by_name_and_by_character) {
  for (auto const* text : {"comma", ","}) EXPECT_EQ(to_delimiter(text), Delimiter::comma) << text;
  for (auto const* text : {"semicolon", ";"}) {
    EXPECT_EQ(to_delimiter(text), Delimiter::semicolon) << text;
  }
  for (auto const* text : {"tab", "\t", "\\t"})
    EXPECT_EQ(to_delimiter(text), Delimiter::tab) << text;
  for (auto const* text : {"", "|", "Comma", "commas", ",,", "\n"}) {
    EXPECT_FALSE(to_delimiter(text)) << text;
  }
}

TEST(Delimiter, of_the_header) {
  EXPECT_EQ(detect_delimiter("a,b\n1;2;3;4\n"), Delimiter::comma);
  EXPECT_EQ(detect_delimiter("a;b\n1,5;2,5,5\n"), Delimiter::semicolon);
  EXPECT_EQ(detect_delimiter("a\tb\r\n1\t2"), Delimiter::tab);
  EXPECT_EQ(detect_delimiter("a;b\r1,2,3"), Delimiter::semicolon);
  EXPECT_EQ(detect_delimiter("\n \r\n\ta;b"), Delimiter::semicolon);
}

TEST(Delimiter, the_most_frequent_one) {
  EXPECT_EQ(detect_delimiter("height, m;weight;age"), Delimiter::semicolon);
  EXPECT_EQ(detect_delimiter("a,b;c"), Delimiter::comma);
  EXPECT_EQ(detect_delimiter("a;b\tc"), Delimiter::semicolon);
  EXPECT_EQ(detect_delimiter("a"), Delimiter::comma);
  EXPECT_EQ(detect_delimiter(""), Delimiter::comma);
}

TEST(Delimiter, quoted_ones_are_text) {
  EXPECT_EQ(detect_delimiter("\"a,b,c\";d\n"), Delimiter::semicolon);
  EXPECT_EQ(detect_delimiter("\"a\n,,,\"\tb"), Delimiter::tab);
  EXPECT_EQ(detect_delimiter("\"a;\"\";;\",b"), Delimiter::comma);
}

}  // namespace example::delimiter_test
