#include "progress_bar.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace example::progress_bar_test {

TEST(ProgressBar, line) {
  EXPECT_EQ(progress_line(0, 1000, 0, 100), "[>                             ]   0%  0 of 1,000");
  EXPECT_EQ(
      progress_line(500'000, 1'000'000, 0.25, 100),
      "[===============>              ]  50%  500,000 of 1,000,000  2 million/s  0.25 s left");
  EXPECT_EQ(progress_line(1000, 1000, 1, 100),
            "[==============================] 100%  1,000 of 1,000  1,000/s  0 s left");
}

TEST(ProgressBar, line_fits_the_terminal) {
  std::uint64_t const total = 29'999'999;
  for (int columns = 2; columns < 130; ++columns) {
    auto const line = progress_line(total / 3, total, 0.5, columns);
    EXPECT_LT(line.size(), static_cast<std::size_t>(columns));
  }
  EXPECT_EQ(progress_line(total / 3, total, 0.5, 80),
            "[===>        ]  33%  9,999,999 of 29,999,999  20 million/s  1 s left");
  EXPECT_EQ(progress_line(total / 3, total, 0.5, 60),
            " 33%  9,999,999 of 29,999,999  20 million/s  1 s left");
}

TEST(ProgressBar, resumed_work_does_not_count_for_the_rate) {
  EXPECT_EQ(progress_line(750, 1000, 0.25, 100, 500),
            "[======================>       ]  75%  750 of 1,000  1,000/s  0.25 s left");
  EXPECT_EQ(progress_line(500, 1000, 0.25, 40, 500), " 50%  500 of 1,000");
}

TEST(ProgressBar, says_minutes_and_hours) {
  EXPECT_NE(progress_line(1, 4, 30, 100).find("  1 min 30 s left"), std::string::npos);
  EXPECT_NE(progress_line(1, 2, 59, 100).find("  59 s left"), std::string::npos);
  EXPECT_NE(progress_line(1, 3, 3690, 100).find("  2 h 3 min left"), std::string::npos);
}

TEST(ProgressBar, limits_the_rate_of_drawing) {
  std::ostringstream out;
  {
    ProgressBar bar(out);
    for (std::uint64_t i = 0; i < 1000; ++i) bar.update(i, 1000);
  }
  auto const drawn = out.str();
  EXPECT_LT(std::count(drawn.begin(), drawn.end(), '['),
            2 * 20);  // each draw writes twice, with clearing
}

TEST(ProgressBar, leaves_an_empty_line) {
  std::ostringstream out;
  { ProgressBar(out).update(1, 2); }
  std::string const clear = "\r\x1B[K";
  EXPECT_EQ(out.str().substr(out.str().size() - clear.size()), clear);
}

TEST(ProgressBar, writes_nothing_where_there_was_no_progress) {
  std::ostringstream out;
  { ProgressBar const bar(out); }
  EXPECT_EQ(out.str(), "");
}

}  // namespace example::progress_bar_test
