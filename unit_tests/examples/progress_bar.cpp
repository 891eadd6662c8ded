#include "progress_bar.hpp"

#include <gtest/gtest.h>

#include <sstream>

using namespace example;

TEST(ProgressBar, line) {
  EXPECT_EQ(progress_line(0, 1000, 0), "[>                             ]   0%  0 of 1,000");
  EXPECT_EQ(
      progress_line(500'000, 1'000'000, 0.25),
      "[===============>              ]  50%  500,000 of 1,000,000  2 million/s  0.25 s left");
  EXPECT_EQ(progress_line(1000, 1000, 1),
            "[==============================] 100%  1,000 of 1,000  0.001 million/s  0 s left");
}

TEST(ProgressBar, does_not_draw_more_often_than_eyes_see) {
  std::ostringstream out;
  {
    ProgressBar bar(out);
    for (std::uint64_t i = 0; i < 1000; ++i) bar.update(i, 1000);
  }
  auto const drawn = out.str();
  EXPECT_LT(std::count(drawn.begin(), drawn.end(), '['),
            2 * 20);  // each draw has two, with clearing
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
