#include "text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>

namespace example::text_test {

TEST(Text, quotes_stay_on_one_line_and_short) {
  EXPECT_EQ(in_quotes("abc"), "'abc'");
  EXPECT_EQ(in_quotes("a\nb\x01"), "'a\\x0Ab\\x01'");
  EXPECT_EQ(in_quotes(std::string(200, 'x')), "'" + std::string(60, 'x') + "...'");
}

TEST(Text, escapes_control_characters) {
  EXPECT_EQ(visible("\x1B[31mred\n"), "\\x1B[31mred\\x0A");
  EXPECT_EQ(visible("\x7F\xC2\x9B"
                    "1"),
            "\\x7F\\xC2\\x9B1");
  std::string const fine = "a \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80 \xC2\xA0";
  EXPECT_EQ(visible(fine), fine);
  // Truncated, overlong, a surrogate, and above the last code point.
  for (std::string const text : {"\xC3", "\xE2\x82", "\xC0\x9B", "\xE0\x82\x9B", "\xED\xA0\x80",
                                 "\xF4\x90\x80\x80", "\xFF", "\x9B"}) {
    EXPECT_EQ(visible(text).substr(0, 2), "\\x");
    EXPECT_EQ(visible(text).size(), 4 * text.size());
  }
  EXPECT_EQ(visible(visible("\x1B")), "\\x1B");
}

TEST(Text, quotes_are_cut_between_characters) {
  std::string const umlauts = [] {
    std::string text = "a";
    for (int i = 0; i < 50; ++i) text += "\xC3\xA4";
    return text;
  }();
  EXPECT_EQ(in_quotes(umlauts), "'" + umlauts.substr(0, 59) + "...'");
}

TEST(Text, long_lists_are_cut) {
  EXPECT_EQ(list_in_quotes({"a", "b"}), "'a', 'b'");
  auto const list = list_in_quotes(std::vector<std::string>(20, "x"));
  EXPECT_NE(list.find(" and 8 more"), std::string::npos) << list;
}

TEST(Text, a_number_is_the_whole_text) {
  EXPECT_EQ(to_double("1.5"), 1.5);
  EXPECT_EQ(to_double("-2e3"), -2000.0);
  EXPECT_EQ(to_double("+.5"), 0.5);
  for (auto const* text : {"", "+", "12abc", " 1", "1 ", "1,5", "0x10", "+-1", "--1", "1e", "NA"}) {
    EXPECT_FALSE(to_double(text)) << text;
  }
}

TEST(Text, numbers_out_of_range_are_rejected) {
  EXPECT_FALSE(to_double("1e999"));
  EXPECT_TRUE(std::isinf(to_double("inf").value()));
  EXPECT_TRUE(std::isnan(to_double("nan").value()));
}

TEST(Text, whole_numbers_that_doubles_cannot_represent) {
  for (auto const* text : {"9007199254740993", "-1700000000000000001", "+18014398509481985"}) {
    EXPECT_FALSE(finite_number(text)) << text;
    EXPECT_NE(number_error(text).find("more digits than a double can store"), std::string::npos);
  }
  for (auto const* text : {"9007199254740992", "-1700000000000000000", "0000000000000000000012",
                           "0", "0.1", "1e23", "9007199254740993.5"}) {
    EXPECT_TRUE(finite_number(text)) << text;
  }
}

TEST(Text, errors_of_numbers) {
  EXPECT_EQ(number_error("NA"), " is not a number");
  EXPECT_EQ(number_error("inf"), " is not a finite number");
}

TEST(Text, a_number_does_not_depend_on_the_locale) {
  char const* const before = std::setlocale(LC_ALL, nullptr);
  std::string const old = before;
  // Without that locale, the test checks nothing.
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(to_double("1.5"), 1.5);
  EXPECT_EQ(shortest(1.5), "1.5");
  std::setlocale(LC_ALL, old.c_str());
}

TEST(Text, an_unsigned_number_is_the_whole_text) {
  EXPECT_EQ(to_unsigned("18446744073709551615"), 18446744073709551615U);
  for (auto const* text : {"", "-1", "+1", "10x", "1e3", "1.0", "18446744073709551616"}) {
    EXPECT_FALSE(to_unsigned(text)) << text;
  }
}

TEST(Text, numbers_for_people) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(155117520), "155,117,520");
  EXPECT_EQ(rounded(0.0814479638), "0.08145");
  EXPECT_EQ(rounded(2.6, 4), "2.6");
  EXPECT_EQ(plural(0, "variable"), "0 variables");
  EXPECT_EQ(plural(1, "variable"), "1 variable");
  EXPECT_EQ(plural(2000, "variable"), "2,000 variables");
}

TEST(Text, parts_between_commas) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split_quoted_at_commas(""), Parts{""});
  EXPECT_EQ(split_quoted_at_commas("a"), Parts{"a"});
  EXPECT_EQ(split_quoted_at_commas("a,b c,"), (Parts{"a", "b c", ""}));
  EXPECT_EQ(split_quoted_at_commas(R"("a,b",c)"), (Parts{"a,b", "c"}));
  EXPECT_EQ(split_quoted_at_commas(R"("say ""a, b""","")"), (Parts{R"(say "a, b")", ""}));
  EXPECT_EQ(split_quoted_at_commas(R"(a"b,5")"), (Parts{R"(a"b)", R"(5")"}));
  EXPECT_EQ(split_quoted_at_commas(R"("a,b)"), std::nullopt);
  EXPECT_EQ(split_quoted_at_commas(R"("a"b,c)"), std::nullopt);
}

}  // namespace example::text_test
