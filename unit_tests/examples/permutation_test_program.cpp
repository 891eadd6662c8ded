// permutation_test on its own data, compared with SciPy and with counts.
//
// Constants "scipy" are from Debian 12's python3-scipy 1.10.1, where x and y are the two groups or columns:
//   scipy.stats.permutation_test((x, y), f, vectorized=True, n_resamples=np.inf, alternative=...)
//   f: np.mean(x, axis) - np.mean(y, axis); stats.ttest_ind(x, y, axis=axis, equal_var=False).statistic;
//      stats.f_oneway(*groups, axis=axis).statistic; stats.mannwhitneyu(x, y, axis=axis,
//      method="asymptotic").statistic; stats.kruskal(*groups).statistic;
//   and for correlations permutation_test((x,), r, permutation_type="pairings", ...), where r is the correlation with y, or
//   stats.spearmanr(x, y).correlation.
// n_resamples=np.inf evaluates all arrangements; if they are too many, it was 999,999 random ones.
//
// Constants "counted" are exact where SciPy is random: the measurements are multiples of 1/8 or 1/10, so that a dynamic program
// with Python's integers counts the subsets of the pooled values by their sum. Of Darwin's C(30, 15) = 155,117,520 arrangements,
// 153,476,355 have a difference of means of at most the observed one, and 1,712,228 of at least that;
// --replicates 155117520 gives the same p = 0.0220765262, but takes too long for a test. Sums of ranks were counted as sums of
// twice the ranks.
//
// Constants of pairs are from the same program with permutation_type="samples". For Darwin's plants they are also in Fisher
// (1935, section 21): 863 of 32,768 sums of differences are at least the observed one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "program.hpp"

namespace example::permutation_test_program_test {

using namespace example_test;

using Arguments = std::vector<std::string>;

Arguments sleep(Arguments more = {}) {
  Arguments arguments{data_file("sleep.csv"), "--value", "extra", "--group", "group"};
  if (std::find(more.begin(), more.end(), "--groups") == more.end()) {
    arguments.insert(arguments.end(), {"--groups", "1,2"});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Arguments darwin(Arguments more = {}) {
  Arguments arguments{data_file("darwin.csv"), "--x", "crossed", "--y", "selfed"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Arguments iris(Arguments more) {
  more.insert(more.begin(), data_file("iris.csv"));
  return more;
}

double p_of(nlohmann::json const& object) { return object.at("p_value"); }
double statistic_of(nlohmann::json const& object) { return object.at("statistic").at("value"); }

void expect_exact(Arguments const& arguments, std::uint64_t arrangements, double statistic,
                  double p) {
  auto const object = run_json(arguments);
  EXPECT_EQ(object.at("exact"), true);
  EXPECT_EQ(object.at("replicates"), arrangements);
  EXPECT_NEAR(statistic_of(object), statistic, 1e-12);
  EXPECT_NEAR(p_of(object), p, 1e-12);
  EXPECT_EQ(object.at("p_interval").at("lower"), object.at("p_value"));
}

// A random p-value is `sides` times b/m, and agrees with `p` within five standard errors; `error` is the standard error of `p`
// itself.
void expect_random(Arguments const& arguments, double statistic, double p, double error = 0) {
  auto const object = run_json(arguments);
  EXPECT_EQ(object.at("exact"), false);
  EXPECT_NEAR(statistic_of(object), statistic, 1e-12 * std::max(1.0, std::abs(statistic)));
  double const m = object.at("replicates");
  double const sides = object.at("alternative") == "two-sided-doubled" ? 2 : 1;
  double const q = p / sides;
  double const own = sides * std::sqrt(q * (1 - q) / m);
  EXPECT_NEAR(p_of(object), p, 5 * std::hypot(own, error) + 1.0 / m);
  EXPECT_LT(object.at("p_interval").at("lower"), p_of(object));
  EXPECT_GT(object.at("p_interval").at("upper"), p_of(object));
}

TEST(PermutationTestProgram, sleep_is_exact) {
  constexpr double difference = -1.58;  // scipy: -1.5799999999999996
  expect_exact(sleep(), 184'756, difference, 0.081447963800904979);
  expect_exact(sleep({"--alternative", "less"}), 184'756, difference, 0.04072398190045249);
  expect_exact(sleep({"--alternative", "greater"}), 184'756, difference, 0.96138149775920678);
  expect_exact(sleep({"--statistic", "welch-t"}), 184'756, -1.8608134674868526,
               0.081447963800904979);
}

TEST(PermutationTestProgram, darwins_pairs_are_exact) {
  constexpr double difference = 2.6166666666666667;
  expect_exact(darwin({"--paired"}), 32'768, difference, 1726.0 / 32768);
  expect_exact(darwin({"--paired", "--alternative", "greater"}), 32'768, difference,
               0.026336669921875);
  expect_exact(darwin({"--paired", "--alternative", "less"}), 32'768, difference,
               0.974517822265625);
  auto const object = run_json(darwin({"--statistic", "paired-difference"}));
  EXPECT_EQ(p_of(object), 0.05267333984375);
  EXPECT_EQ(object.at("statistic").at("name"), "paired-difference");
  auto const text = run_permutation_test(darwin({"--paired"})).output;
  EXPECT_NE(text.find("0.05267 (two-sided by |T|, exact: all 32,768 sign patterns)"),
            std::string::npos)
      << text;
}

TEST(PermutationTestProgram, pairs_at_random) {
  expect_random(darwin({"--paired", "--no-enumerate"}), 2.6166666666666667, 1726.0 / 32768);
  // One less than the number of sign changes, so that they are not enumerated.
  expect_random(darwin({"--paired", "--replicates", "32767"}), 2.6166666666666667, 1726.0 / 32768);
}

TEST(PermutationTestProgram, groups_of_two_sizes) {
  // scipy: group 1, and the first six values of group 2.
  TemporaryFolder const folder;
  auto const lines = read_file(data_file("sleep.csv"));
  auto const file = folder.write("sleep16.csv", lines.substr(0, lines.find("5.5,2,7")));
  Arguments const columns{file, "--value", "extra", "--group", "group", "--groups", "1,2"};
  auto const with = [&](Arguments more) {
    more.insert(more.begin(), columns.begin(), columns.end());
    return more;
  };
  constexpr double difference = -0.6166666666666669;
  constexpr double t = -0.7007123349443485;
  Arguments const doubled{"--alternative", "two-sided-doubled"};
  expect_exact(with(doubled), 8008, difference, 0.504995004995005);
  // By magnitude, counted in rational arithmetic.
  expect_exact(with({}), 8008, difference, 4045.0 / 8008);
  expect_exact(with({"--statistic", "welch-t"}), 8008, t, 3936.0 / 8008);
  expect_exact(with({"--alternative", "less"}), 8008, difference, 0.2524975024975025);
  expect_exact(with({"--statistic", "welch-t", "--alternative", "two-sided-doubled"}), 8008, t,
               0.47527472527472525);
  expect_exact(with({"--statistic", "welch-t", "--alternative", "greater"}), 8008, t,
               0.7628621378621379);
}

// Counted: ten of the seventy arrangements are at least as extreme on each side.
TEST(PermutationTestProgram, whole_numbers_near_1e15) {
  TemporaryFolder const folder;
  std::string text = "v,g\n";
  for (int i : {0, 1, 2, 3}) text += "100000000000000" + std::to_string(i) + ",a\n";
  for (int i : {2, 3, 4, 5}) text += "100000000000000" + std::to_string(i) + ",b\n";
  auto const file = folder.write("whole.csv", text);
  expect_exact({file, "--value", "v", "--group", "g"}, 70, 2, 10 / 70.);
  expect_exact({file, "--value", "v", "--group", "g", "--statistic", "welch-t"}, 70,
               2.1908902300206643, 10 / 70.);
  expect_exact({file, "--value", "v", "--group", "g", "--statistic", "f"}, 70, 4.8, 10 / 70.);
}

// Thirds are not decimals. Exactly tied sums differ as doubles, but by no more than the error bound.
TEST(PermutationTestProgram, uncertain_comparisons_are_not_called_exact) {
  TemporaryFolder const folder;
  auto const file = folder.write("thirds.csv",
                                 "v,g\n0.3333333333333333,a\n1.3333333333333333,a\n"
                                 "1.6666666666666667,a\n0,b\n0.6666666666666666,b\n"
                                 "2.3333333333333335,b\n2.6666666666666665,b\n");
  auto const object = run_json({file, "--value", "v", "--group", "g", "--alternative", "greater"});
  EXPECT_EQ(object.at("exact"), false);
  EXPECT_EQ(object.at("enumerated"), true);
  EXPECT_EQ(object.at("uncertain"), 2);  // {0, 2, 8} and {1, 2, 7} thirds tie with {1, 4, 5}
  EXPECT_NEAR(p_of(object), 14 / 35., 1e-12);
  EXPECT_NEAR(object.at("p_interval").at("lower"), 12 / 35., 1e-12);
  auto const text = run_permutation_test({file, "--value", "v", "--group", "g"}).output;
  EXPECT_NE(
      text.find("exact up to the rounding of the data: all 35 arrangements, 2 of them uncertain"),
      std::string::npos)
      << text;
}

TEST(PermutationTestProgram, f_of_three_small_groups_is_exact) {
  // scipy: the first three flowers of each species.
  TemporaryFolder const folder;
  auto const file = folder.write("nine.csv",
                                 "w,s\n3.5,setosa\n3.0,setosa\n3.2,setosa\n3.2,versicolor\n"
                                 "3.2,versicolor\n3.1,versicolor\n3.3,virginica\n2.7,virginica\n"
                                 "3.0,virginica\n");
  expect_exact({file, "--value", "w", "--group", "s", "--statistic", "f"}, 1680,
               0.82978723404255439, 0.56785714285714284);
}

TEST(PermutationTestProgram, correlation_of_seven_pairs_is_exact) {
  // scipy: Darwin's first seven pairs.
  TemporaryFolder const folder;
  auto const lines = read_file(data_file("darwin.csv"));
  auto const file = folder.write("seven.csv", lines.substr(0, lines.find("3,8,")));
  Arguments const arguments{file, "--x", "crossed", "--y", "selfed", "--statistic", "correlation"};
  auto const with = [&](Arguments more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return more;
  };
  constexpr double r = -0.57756524953149524;
  expect_exact(with({"--alternative", "two-sided-doubled"}), 5040, r, 0.12857142857142856);
  expect_exact(with({}), 5040, r, 792.0 / 5040);  // by magnitude, counted in rational arithmetic
  expect_exact(with({"--alternative", "less"}), 5040, r, 0.064285714285714279);
  expect_exact(with({"--alternative", "greater"}), 5040, r, 0.93809523809523809);
}

TEST(PermutationTestProgram, spearman) {
  // scipy: Darwin's first seven pairs.
  TemporaryFolder const folder;
  auto const lines = read_file(data_file("darwin.csv"));
  auto const file = folder.write("seven.csv", lines.substr(0, lines.find("3,8,")));
  auto const seven = [&](char const* alternative) {
    return Arguments{file,          "--x",      "crossed",       "--y",      "selfed",
                     "--statistic", "spearman", "--alternative", alternative};
  };
  constexpr double rho = -0.545544725589981;
  expect_exact(seven("two-sided-doubled"), 5040, rho, 0.21904761904761905);
  expect_exact(seven("less"), 5040, rho, 0.10952380952380952);
  expect_exact(seven("greater"), 5040, rho, 0.9015873015873016);
  // scipy, 999,999 random pairings, and 99,999.
  expect_random(darwin({"--statistic", "spearman", "--replicates", "99999", "--alternative",
                        "two-sided-doubled"}),
                -0.33483470406718746, 0.22003, 0.0006);
  expect_random(iris({"--x", "sepal_length", "--y", "sepal_width", "--statistic", "spearman",
                      "--replicates", "99999", "--alternative", "two-sided-doubled"}),
                -0.166777658283235, 0.04088, 0.0009);
}

TEST(PermutationTestProgram, darwin_at_random) {
  // Counted; scipy with 999,999 replicates gave 0.022344, 0.989431, 0.011034, and 0.022004 for Welch's t.
  constexpr double difference = 2.6166666666666667;
  expect_random(darwin(), difference, 0.0220765262364);
  expect_random(darwin({"--alternative", "less"}), difference, 0.989419860503);
  expect_random(darwin({"--alternative", "greater"}), difference, 0.0110382631182);
  // For groups of equal size, t is a monotone function of the difference.
  expect_random(darwin({"--statistic", "welch-t"}), 2.4371126507178857, 0.0220765262364);
  // scipy, 999,999 random pairings.
  expect_random(darwin({"--statistic", "correlation", "--replicates", "99999", "--alternative",
                        "two-sided-doubled"}),
                -0.33475525708544074, 0.199678, 0.0006);
}

TEST(PermutationTestProgram, iris_at_random) {
  Arguments const two{"--value",  "sepal_width",          "--group",    "species",
                      "--groups", "versicolor,virginica", "--statistic"};
  auto const by = [&](char const* statistic) {
    auto more = two;
    more.emplace_back(statistic);
    return iris(more);
  };
  // Counted; scipy with 999,999 replicates gave 0.00194 for F.
  expect_random(by("difference-of-means"), -0.204, 0.001962742406);
  expect_random(by("welch-t"), -3.2057607502218186, 0.001962742406);
  expect_random(by("f"), 10.276901987662784, 0.00196274240597);
  // scipy, 999,999 random pairings.
  expect_random(iris({"--x", "sepal_length", "--y", "sepal_width", "--statistic", "correlation",
                      "--replicates", "99999", "--alternative", "two-sided-doubled"}),
                -0.11756978413300201, 0.151604, 0.0006);
}

TEST(PermutationTestProgram, mann_whitney_u) {
  // scipy; R's wilcox.test(extra ~ group, sleep) has W = 25.5, too.
  auto const sleep_u = [](char const* alternative) {
    return sleep({"--statistic", "mann-whitney-u", "--alternative", alternative});
  };
  expect_exact(sleep_u("less"), 184'756, 25.5, 0.03290826820238585);
  expect_exact(sleep_u("greater"), 184'756, 25.5, 0.9702093572062612);
  expect_exact(sleep_u("two-sided"), 184'756, 25.5, 0.0658165364047717);
  // Counted.
  expect_random(darwin({"--statistic", "mann-whitney-u"}), 185.5, 0.001714648351778703);
  expect_random(
      iris({"--value", "sepal_width", "--group", "species", "--groups", "versicolor,virginica",
            "--statistic", "mann-whitney-u", "--alternative", "less"}),
      841, 0.0021161177635006475);
}

TEST(PermutationTestProgram, kruskal_wallis_h) {
  // scipy: the first three flowers of each species.
  TemporaryFolder const folder;
  auto const file = folder.write("nine.csv",
                                 "w,s\n3.5,setosa\n3.0,setosa\n3.2,setosa\n3.2,versicolor\n"
                                 "3.2,versicolor\n3.1,versicolor\n3.3,virginica\n2.7,virginica\n"
                                 "3.0,virginica\n");
  expect_exact({file, "--value", "w", "--group", "s", "--statistic", "kruskal-wallis-h"}, 1680,
               0.904347826086957, 0.675);
  // Counted: for two groups, H increases with the distance of U from its mean.
  expect_random(iris({"--value", "sepal_width", "--group", "species", "--groups",
                      "versicolor,virginica", "--statistic", "kruskal-wallis-h"}),
                8.06104822517247, 0.004232235527001295);
  // scipy.stats.kruskal: H = 63.57, and 1.6e-14 from its chi-square.
  auto const all = run_json(iris({"--value", "sepal_width", "--group", "species", "--statistic",
                                  "kruskal-wallis-h", "--replicates", "9999"}));
  EXPECT_NEAR(statistic_of(all), 63.571146104163795, 1e-10);
  EXPECT_EQ(p_of(all), 0.0001);
  EXPECT_EQ(all.at("alternative"), "greater");
}

TEST(PermutationTestProgram, the_smallest_p_is_one_in_m_plus_one) {
  // scipy with 9,999 replicates gave 0.0001 for both.
  auto const f = run_json(iris({"--value", "sepal_width", "--group", "species", "--statistic", "f",
                                "--replicates", "9999"}));
  EXPECT_NEAR(statistic_of(f), 49.160040089612075, 1e-10);
  EXPECT_EQ(p_of(f), 0.0001);
  EXPECT_EQ(f.at("alternative"), "greater");
  EXPECT_EQ(f.at("p_interval").at("lower"), 0.0);
  auto const r =
      run_json(iris({"--x", "petal_length", "--y", "petal_width", "--statistic", "correlation",
                     "--alternative", "greater", "--replicates", "9999"}));
  EXPECT_NEAR(statistic_of(r), 0.96286543140279612, 1e-12);
  EXPECT_EQ(p_of(r), 0.0001);
}

TEST(PermutationTestProgram, json_has_the_parameters) {
  auto const object = run_json(darwin({"--seed", "7", "--level", "0.9"}));
  EXPECT_EQ(object.at("file"), data_file("darwin.csv"));
  EXPECT_EQ(object.at("rows"), 15);
  EXPECT_EQ(object.at("columns").at(0).at("name"), "crossed");
  EXPECT_NEAR(object.at("columns").at(0).at("mean"), 20.191666666666666, 1e-12);
  EXPECT_EQ(object.at("columns").at(1).at("size"), 15);
  EXPECT_EQ(object.at("statistic").at("name"), "difference-of-means");
  EXPECT_EQ(object.at("seed"), 7);
  EXPECT_EQ(object.at("replicates"), 999'999);
  EXPECT_EQ(object.at("p_interval").at("level"), 0.9);
  EXPECT_GT(object.at("replicates_per_second"), 0.0);
  EXPECT_GE(object.at("concurrency"), 1);
  EXPECT_FALSE(object.at("execution_space").get<std::string>().empty());
  EXPECT_FALSE(object.at("kokkos_version").get<std::string>().empty());
  EXPECT_FALSE(object.at("riffle_version").get<std::string>().empty());
}

// The statistic is the second group in sorted order minus the first, for any order in the file.
TEST(PermutationTestProgram, groups_are_in_one_order) {
  TemporaryFolder const folder;
  for (std::string const rows : {"9,b\n4,a\n7,b\n1,a\n", "4,a\n9,b\n1,a\n7,b\n"}) {
    auto const file = folder.write("two.csv", "v,g\n" + rows);
    expect_exact({file, "--value", "v", "--group", "g", "--alternative", "greater"}, 6, 5.5,
                 1.0 / 6);
    expect_exact({file, "--value", "v", "--group", "g", "--groups", "a,b"}, 6, -5.5, 2.0 / 6);
  }
}

// A single value and four others: it is the largest, in 1 of 4 and 1 of 5 places.
TEST(PermutationTestProgram, a_single_value_is_a_sample) {
  TemporaryFolder const folder;
  auto const file = folder.write("one.csv", "v,g\n9,b\n4,a\n7,a\n1,a\n");
  for (std::string const statistic : {"mann-whitney-u", "difference-of-means"}) {
    auto const object = run_json({file, "--value", "v", "--group", "g", "--statistic", statistic,
                                  "--alternative", "greater"});
    EXPECT_EQ(p_of(object), 0.25);
    EXPECT_EQ(object.at("replicates"), 4);
  }
  // Three values tie. The single one is farthest from the mean in 1 of 4 arrangements.
  auto const tied = folder.write("tied.csv", "g,v\nx,10\nx,10\nx,10\ny,0\n");
  for (std::string const statistic : {"mann-whitney-u", "difference-of-means"}) {
    auto const object = run_json({tied, "--value", "v", "--group", "g", "--statistic", statistic});
    EXPECT_EQ(p_of(object), 0.25);
  }
}

TEST(PermutationTestProgram, twice_the_smaller_tail_has_its_name) {
  TemporaryFolder const folder;
  auto const file = folder.write("few.csv", "v,g\n1,b\n2,b\n9,b\n2,a\n3,a\n4,a\n5,a\n");
  Arguments arguments{file, "--value", "v", "--group", "g", "--alternative", "two-sided-doubled"};
  expect_exact(arguments, 35, 0.5, 32.0 / 35);
  auto const finished = run_permutation_test(arguments);
  EXPECT_NE(finished.output.find("(two-sided by twice the smaller tail, exact"), std::string::npos)
      << finished.output;
  EXPECT_EQ(run_json(arguments).at("alternative"), "two-sided-doubled");
  arguments.resize(5);
  expect_exact(arguments, 35, 0.5, 33.0 / 35);
  arguments.insert(arguments.end(), {"--statistic", "mann-whitney-u"});
  EXPECT_NE(run_permutation_test(arguments).output.find("(two-sided by |U - mean|, exact"),
            std::string::npos);
}

TEST(PermutationTestProgram, text_says_the_same) {
  auto const finished = run_permutation_test(sleep({"--seed", "7"}));
  EXPECT_EQ(finished.exit_code, 0);
  for (auto const* words : {"sleep.csv, 20 rows", "group '1': 10 values, mean 0.75",
                            "difference of means of extra, 1 - 2: -1.58",
                            "0.08145 (two-sided by |T|, exact: all 184,756 arrangements)",
                            "permutations per second", "Kokkos ", "Riffle ", "seed          7"}) {
    EXPECT_NE(finished.output.find(words), std::string::npos) << words << '\n' << finished.output;
  }
}

TEST(PermutationTestProgram, random_test_where_an_exact_one_is_possible) {
  auto const object = run_json(sleep({"--no-enumerate", "--replicates", "99999"}));
  EXPECT_EQ(object.at("exact"), false);
  EXPECT_NEAR(p_of(object), 0.081447963800904979, 0.0065);
}

TEST(PermutationTestProgram, results_depend_on_the_seed_alone) {
  auto const p = [](Arguments const& more) { return p_of(run_json(darwin(more))); };
  auto const with_seed_1 = p({"--seed", "1"});
  EXPECT_EQ(p({"--seed", "1"}), with_seed_1);
  EXPECT_NE(p({"--seed", "2"}), with_seed_1);
  EXPECT_EQ(p({"--seed", "1", "--batch", "77777"}), with_seed_1);
  EXPECT_EQ(p({"--seed", "1", "--kokkos-num-threads=1"}), with_seed_1);
}

TEST(PermutationTestProgram, kokkos_takes_its_own_flags) {
  auto const object = run_json(sleep({"--kokkos-num-threads=2"}));
  auto const space = object.at("execution_space").get<std::string>();
  if (space == "OpenMP" || space == "Threads") {
    EXPECT_EQ(object.at("concurrency"), 2);
  }
  auto const help = run_permutation_test({"--kokkos-help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE((help.output + help.errors).find("--kokkos-num-threads"), std::string::npos);
}

TEST(PermutationTestProgram, little_work_has_one_thread_and_no_warning) {
  auto const json = [](Arguments const& chosen, Arguments const& more) {
    Arguments command{
        "env", "-u", "OMP_PROC_BIND", "-u", "OMP_NUM_THREADS", "-u", "KOKKOS_NUM_THREADS"};
    command.insert(command.end(), chosen.begin(), chosen.end());
    command.emplace_back(RIFFLE_PERMUTATION_TEST_PROGRAM);
    auto const of_test = darwin(more);
    command.insert(command.end(), of_test.begin(), of_test.end());
    command.emplace_back("--json");
    auto const finished = example::run_program(command, "");
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_EQ(finished.errors, "");
    return nlohmann::json::parse(finished.output);
  };
  auto const little = json({}, {"--paired"});
  EXPECT_EQ(little.at("concurrency"), 1);
  EXPECT_EQ(little.at("p_value"), 1726 / 32768.0);
  auto const much = json({}, {"--replicates", "999999"});
  auto const space = much.at("execution_space").get<std::string>();
  if (space == "OpenMP" && std::thread::hardware_concurrency() > 1) {
    EXPECT_GT(much.at("concurrency"), 1);
    EXPECT_EQ(json({"OMP_NUM_THREADS=2"}, {"--paired"}).at("concurrency"), 2);
  }
}

TEST(PermutationTestProgram, groups_are_subtracted_in_the_order_asked_for) {
  auto const object = run_json(sleep({"--groups", "2,1"}));
  EXPECT_NEAR(statistic_of(object), 1.58, 1e-12);
  EXPECT_NEAR(p_of(object), 0.081447963800904979, 1e-12);
  EXPECT_EQ(object.at("groups").at(0).at("name"), "2");
}

TEST(PermutationTestProgram, f_of_two_columns) {
  auto const object = run_json(darwin({"--statistic", "f"}));
  EXPECT_NEAR(statistic_of(object), 2.4371126507178857 * 2.4371126507178857, 1e-10);
  EXPECT_NEAR(p_of(object), 0.0220765262364, 0.0008);
}

TEST(PermutationTestProgram, files_from_other_systems) {
  TemporaryFolder const folder;
  std::string text = "\xEF\xBB\xBF";
  for (char const c : read_file(data_file("sleep.csv")))
    text += c == '\n' ? "\r\n" : std::string{c};
  text.replace(text.find("extra"), 5, "\"extra\"");
  auto const file = folder.write("sleep.csv", text);
  expect_exact({file, "--value", "extra", "--group", "group"}, 184'756, 1.58, 0.081447963800904979);
}

TEST(PermutationTestProgram, standard_input) {
  auto const text = read_file(data_file("sleep.csv"));
  auto const object = run_json({"-", "--value", "extra", "--group", "group"}, text);
  EXPECT_EQ(object.at("file"), "standard input");
  EXPECT_NEAR(statistic_of(object), 1.58, 1e-12);
  EXPECT_NEAR(p_of(object), 0.081447963800904979, 1e-12);
}

TEST(PermutationTestProgram, other_delimiters) {
  for (char const delimiter : {';', '\t'}) {
    auto text = read_file(data_file("sleep.csv"));
    std::replace(text.begin(), text.end(), ',', delimiter);
    for (Arguments const& more : {Arguments{}, Arguments{"--delimiter", {delimiter}}}) {
      Arguments arguments{"-", "--value", "extra", "--group", "group"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      auto const object = run_json(arguments, text);
      EXPECT_EQ(object.at("delimiter"), std::string(1, delimiter));
      EXPECT_NEAR(p_of(object), 0.081447963800904979, 1e-12);
    }
  }
}

TEST(PermutationTestProgram, skips_missing_values) {
  auto const text = read_file(data_file("sleep.csv")) + "NA,1,11\n,2,11\n3.5,,12\n";
  auto const object =
      run_json({"-", "--value", "extra", "--group", "group", "--skip-missing"}, text);
  EXPECT_EQ(object.at("rows"), 23);
  EXPECT_EQ(object.at("rows_with_missing"), 3);
  EXPECT_EQ(object.at("groups").at(0).at("size"), 10);
  EXPECT_NEAR(p_of(object), 0.081447963800904979, 1e-12);
}

TEST(PermutationTestProgram, help) {
  auto const finished = run_permutation_test({"--help"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.output.find("--replicates"), std::string::npos);
  EXPECT_EQ(finished.errors, "");
}

TEST(PermutationTestProgram, histogram) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot here";
  TemporaryFolder const folder;
  auto const file = folder.path("it's a picture.svg");
  auto const object = run_json(darwin({"--histogram", file, "--bins", "40"}));
  EXPECT_EQ(object.at("histogram"), file);
  auto const svg = read_file(file);
  for (auto const* words :
       {"<svg", "observed 2.617", "Null distribution of the difference of means",
        "Difference of means, crossed", "</svg>"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  run_json(darwin({"--histogram", file, "--paired"}));
  auto const of_pairs = read_file(file);
  for (auto const* words : {"Null distribution of the mean difference of pairs",
                            "share of 32,768 sign patterns", "15 pairs"}) {
    EXPECT_NE(of_pairs.find(words), std::string::npos) << words;
  }
}

}  // namespace example::permutation_test_program_test
