// The programs with files from practice: missing values in every column, and names that do not match.

#include <algorithm>
#include <cmath>

#include "riffle_permute.hpp"

namespace example::input_files_test {

using namespace example_test;

using Arguments = std::vector<std::string>;

std::string case_file(std::string const& name) {
  return std::string(RIFFLE_EXAMPLE_TEST_DATA) + "/" + name;
}

Arguments joined(Arguments arguments, Arguments const& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void expect_words(std::string const& text, std::vector<std::string> const& words) {
  for (auto const& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << word << "\nin\n" << text;
  }
}

/// One line on standard error, and exit code 2.
void expect_error(example::Finished const& finished, std::vector<std::string> const& words) {
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1) << finished.errors;
  expect_words(finished.errors, words);
}

/// The object of --json of a run of riffle_permute that must succeed.
nlohmann::json permute_json(Arguments arguments) {
  TemporaryFolder const folder;
  auto const file = folder.path("result.json");
  auto const finished = run_riffle_permute(joined(std::move(arguments), {"--json", file}));
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  return finished.exit_code == 0 ? nlohmann::json::parse(read_file(file)) : nlohmann::json();
}

/// Thirteen penguins with known sex and four without. Computed by hand in rationals: F of the thirteen, and the p-value.
constexpr double f_of_penguins = 10.999201805936192;
constexpr double p_of_penguins = 10 / 1716.0;

Arguments penguins(Arguments const& more) {
  return joined({case_file("penguins_matrix.csv"), "--observations-in-rows", "--design",
                 case_file("penguins_design.csv")},
                more);
}

Arguments genes(std::string const& design) {
  return {case_file("genes.csv"), "--group", case_file(design) + ":grp"};
}

TEST(MissingGroups, permutation_test) {
  Arguments const arguments{
      case_file("penguins.csv"), "--value", "body_mass_g", "--group", "sex", "--statistic", "f"};
  expect_error(run_permutation_test(arguments),
               {"penguins.csv: line 9, column 'sex': 'NA' is a missing value (--skip-missing"});
  auto const object = run_json(joined(arguments, {"--skip-missing"}));
  EXPECT_NEAR(object.at("statistic").at("value"), f_of_penguins, 1e-9);
  EXPECT_NEAR(object.at("p_value"), p_of_penguins, 1e-12);
  EXPECT_EQ(object.at("groups").size(), 2U);
  EXPECT_EQ(object.at("missing_values").at("sex"), 4);
  EXPECT_EQ(object.at("missing_values").at("body_mass_g"), 0);
  expect_words(run_permutation_test(joined(arguments, {"--skip-missing"})).output,
               {"17 rows; 4 with a missing value left out (4 in 'sex')"});
}

TEST(MissingGroups, riffle_permute) {
  for (auto const& arguments :
       {penguins({"--by", "sex", "--statistic", "f"}), penguins({"--term", "sex"})}) {
    auto const rejected = run_riffle_permute(arguments);
    if (rejected.errors.find("need Eigen") != std::string::npos) continue;
    expect_error(rejected, {"penguins_design.csv: line 9, column 'sex': 'NA' is a missing value"});
    auto const skipping = joined(arguments, {"--skip-missing"});
    auto const object = permute_json(skipping);
    EXPECT_NEAR(object.at("results").at("statistic").at(3), f_of_penguins, 1e-5);
    EXPECT_NEAR(object.at("results").at("p").at(3), p_of_penguins, 1e-12);
    EXPECT_EQ(object.at("observations_with_missing_design"), 4);
    expect_words(run_riffle_permute(skipping).output,
                 {"4 observations with a missing value in the design left out"});
  }
}

// Two of the twelve have no row in the design, and one has no group there.
TEST(MissingGroups, are_left_out_before_groups_are_picked) {
  TemporaryFolder const folder;
  auto const design = folder.write(
      "d.csv", "s,g\ns1,a\ns2,a\ns3,a\ns4,NaN\ns5,b\ns6,b\ns7,b\ns8,c\ns9,c\ns10,b\n,b\nNA,a\n");
  Arguments const arguments{case_file("genes.csv"), "--group", design + ":g", "--groups", "b,a"};
  expect_error(run_riffle_permute(arguments), {"d.csv: line 12, column 's': the cell is empty"});
  auto const object = permute_json(joined(arguments, {"--skip-missing"}));
  EXPECT_EQ(object.at("observations"), 7);
  EXPECT_EQ(object.at("observations_of_other_groups"), 2);
  EXPECT_EQ(object.at("observations_without_design"), 2);
  EXPECT_EQ(object.at("observations_with_missing_design"), 1);
  auto const report = run_riffle_permute(joined(arguments, {"--skip-missing"})).output;
  expect_words(report, {"2 observations without a row in the design left out",
                        "(2 rows without an observation)"});
}

TEST(MissingValues, in_every_column_of_a_design) {
  TwelveSpecimens const specimens;
  auto const text = read_file(specimens.design());
  TemporaryFolder const folder;
  for (auto const& [column, cell, options] :
       {std::tuple{"pair", ",p5,", Arguments{"--by", "alternate", "--block", "pair", "--pairs"}},
        std::tuple{"half", ",h2,", Arguments{"--by", "crystals", "--block", "half"}},
        std::tuple{"match", ",m4,", Arguments{"--by", "crystals", "--pair", "match"}},
        std::tuple{"age", ",48,", Arguments{"--by", "age", "--statistic", "pearson"}},
        std::tuple{"age", ",48,", Arguments{"--contrast", "age", "--terms", "age"}},
        std::tuple{"site", ",y\n", Arguments{"--term", "site", "--terms", "site"}}}) {
    for (std::string const missing : {"NA", "", "nan"}) {
      auto changed = text;
      auto const at = changed.find(cell, changed.find("s49")) + 1;
      changed.replace(at, std::string(cell).size() - 2, missing);
      auto const file = folder.write("gap.csv", changed);
      Arguments const arguments = joined({specimens.data(), "--design", file}, options);
      auto const rejected = run_riffle_permute(arguments);
      if (rejected.errors.find("need Eigen") != std::string::npos) continue;
      std::string const what =
          missing.empty() ? "the cell is empty" : "'" + missing + "' is a missing value";
      expect_error(rejected, {"gap.csv: line ", ", column '" + std::string(column) + "': " + what});
    }
  }
}

TEST(Names, that_match_nothing_are_rejected) {
  expect_error(run_riffle_permute(genes("genes_other_names.csv")),
               {"genes_other_names.csv: no name in the first column, 'sample', is the name of "
                "an observation: it has 'S1', 'S2', 'S6', ..., but the names in ",
                "genes.csv are 's1', 's2', 's3', ... (--by-order matches rows by order)"});
}

// Computed by hand in rationals: 64 of 924.
TEST(Names, match_in_any_order) {
  auto const object = permute_json(genes("genes_design.csv"));
  EXPECT_NEAR(object.at("results").at("p").at(0), 64 / 924.0, 1e-12);
  EXPECT_EQ(object.at("design_matched_by_name"), true);
  EXPECT_EQ(object.at("settings").at("by_order"), false);
}

TEST(Names, are_ignored_on_request) {
  auto const arguments = joined(genes("genes_other_names.csv"), {"--by-order"});
  expect_words(run_riffle_permute(arguments).output,
               {"genes_other_names.csv, rows matched by order\n"});
  auto const object = permute_json(arguments);
  EXPECT_EQ(object.at("design_matched_by_name"), false);
  EXPECT_EQ(object.at("settings").at("by_order"), true);
  TemporaryFolder const folder;
  auto const rows = folder.write("in_order.csv", "g\nx\nx\nx\ny\nx\ny\nx\ny\nx\ny\ny\ny\n");
  auto const same = permute_json(
      {case_file("genes.csv"), "--design", rows, "--by", "g", "--by-order", "--reference", "g=x"});
  EXPECT_EQ(same.at("results").at("p"), object.at("results").at("p"));
}

TEST(Names, that_are_too_few) {
  TemporaryFolder const folder;
  auto const few = folder.write("few.csv", "s,g\ns1,a\ns2,b\ns3,a\n");
  Arguments const arguments{case_file("genes.csv"), "--group", few + ":g"};
  expect_error(run_riffle_permute(arguments),
               {"few.csv: observation 's4' of ",
                "genes.csv has no row: it is not in the first column, 's'", "--skip-missing"});
  expect_error(run_riffle_permute(joined(arguments, {"--by-order"})),
               {"few.csv: 3 rows, but ",
                "genes.csv has 12 observations: --by-order needs the same number of rows"});
  expect_error(
      run_riffle_permute({case_file("genes.csv"), "--by-order", "--statistic", "one-sample-t"}),
      {"--by-order needs --design FILE"});
}

// In a shell: --groups '"a, b",c'.
TEST(NamesWithCommas, stand_in_double_quotes) {
  TemporaryFolder const folder;
  std::string const rows = R"(1,"a, b"
2,"a, b"
5,"say ""c"""
7,"say ""c"""
9,d
)";
  auto const object = run_json(
      {"-", "--value", "v", "--group", "g", "--groups", R"("say ""c""","a, b")"}, "v,g\n" + rows);
  EXPECT_EQ(object.at("groups").at(0).at("name"), R"(say "c")");
  EXPECT_EQ(object.at("groups").at(1).at("name"), "a, b");
  expect_error(run_permutation_test({"-", "--value", "v", "--group", "g", "--groups", "\"a, b,d"},
                                    "v,g\n" + rows),
               {"--groups '\"a, b,d'", "in double quotes"});
  expect_error(
      run_permutation_test({"-", "--value", "v", "--group", "g", "--groups", "d,"}, "v,g\n" + rows),
      {"--groups 'd,'", "a name is empty"});
}

TEST(NamesWithCommas, of_columns_and_levels) {
  TemporaryFolder const folder;
  auto const design = folder.write("d.csv", R"(s,"g, h","site, year",n
s1,"a, b",x,1
s2,"a, b",x,2
s3,"a, b",y,1
s4,"a, b",y,2
s5,c,x,3
s6,c,x,1
s7,c,y,2
s8,c,y,1
s9,d,x,2
s10,d,x,3
s11,d,y,1
s12,d,y,2
)");
  Arguments const base{case_file("genes.csv"), "--design", design};
  auto const picked = permute_json(
      joined(base, {"--by", "g, h", "--groups", R"(c,"a, b")", "--block", R"("site, year")"}));
  EXPECT_EQ(picked.at("observations"), 8);
  EXPECT_EQ(picked.at("groups").at(1).at("name"), "c");
  EXPECT_EQ(picked.at("settings").at("blocks").at(0), "site, year");
  EXPECT_EQ(picked.at("arrangements"), 36);
  auto const whole =
      permute_json(joined(base, {"--by", "g, h", "--statistic", "f", "--block", R"("site, year")",
                                 "--exchange", R"("site, year",observations)"}));
  EXPECT_EQ(whole.at("settings").at("exchange").at(0), "site, year");
  Arguments const model{"--contrast", "g, h[c] - g, h[d]", "--terms",  R"("g, h",n)", "--factor",
                        "n",          "--reference",       "g, h=a, b"};
  auto const finished = run_riffle_permute(joined(base, model));
  if (finished.errors.find("need Eigen") != std::string::npos) GTEST_SKIP() << finished.errors;
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  expect_words(finished.output, {"intercept, g, h, n", "t of 'g, h[c] - g, h[d]'"});
}

TEST(Compressed, by_gzip) {
  auto const packed = read_file(case_file("three_genes.csv.gz"));
  Arguments const arguments{"--group", case_file("three_genes_design.csv") + ":grp"};
  auto const run = [&](std::string const& bytes) {
    return run_riffle_permute(joined({"-"}, arguments), bytes);
  };
  auto const finished = run_riffle_permute(joined({case_file("three_genes.csv.gz")}, arguments));
#ifdef RIFFLE_EXAMPLES_HAVE_ZLIB
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  expect_words(finished.output, {"three_genes.csv.gz, 3 variables of 8 observations",
                                 "all 70 arrangements: exact", "g1", "2.2653"});
  EXPECT_EQ(run(packed).exit_code, 0);
  std::string const compressed = "standard input: this file is compressed by gzip, and it is ";
  expect_error(run(packed.substr(0, packed.size() - 1)), {compressed + "truncated"});
  expect_error(run(packed.substr(0, 12)), {compressed + "truncated"});
  auto damaged = packed;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);
  expect_error(run(damaged), {compressed + "damaged"});
  expect_error(run(packed + "more"), {compressed + "damaged"});
  // The second file's header becomes a row of data.
  expect_error(run(packed + packed), {"standard input: line 5, column 's1': 's1' is not a"});
  EXPECT_EQ(run(packed + std::string(512, '\0')).exit_code, 0);
#else
  expect_error(finished, {"three_genes.csv.gz: this file is compressed by gzip, which this "
                          "program was built without (zlib)"});
#endif
}

TEST(Compressed, otherwise_is_named) {
  std::string const zeros(20, '\0');
  for (auto const& [bytes, word] : {std::pair{"PK\x03\x04" + zeros, "a zip file"},
                                    std::pair{"BZh91AY&SY" + zeros, "compressed by bzip2"},
                                    std::pair{"\xFD"
                                              "7zXZ" +
                                                  zeros,
                                              "compressed by xz"},
                                    std::pair{"\x28\xB5\x2F\xFD" + zeros, "compressed by zstd"}}) {
    expect_error(run_permutation_test({"-", "--x", "a", "--y", "b"}, bytes),
                 {"standard input: this ", word});
  }
}

TEST(Compressed, headers_are_not_mistaken_for_it) {
  EXPECT_EQ(run_permutation_test({"-", "--x", "BZh1", "--y", "b"}, "BZh1,b\n1,2\n3,5\n").exit_code,
            0);
}

TEST(Encodings, that_are_not_utf_8_are_named) {
  std::u16string const text = u"a,b\n1,2\n3,5\n";
  for (int const width : {2, 4}) {
    for (bool const is_little : {true, false}) {
      std::string bytes;
      auto const append = [&](char32_t c) {
        for (int byte = 0; byte < width; ++byte) {
          int const place = is_little ? byte : width - 1 - byte;
          bytes += static_cast<char>(static_cast<std::uint32_t>(c) >> (8 * place) & 0xFFU);
        }
      };
      for (char16_t const c : text) append(c);
      auto const expect_rejected = [&](std::string const& input, std::string const& word) {
        expect_error(run_permutation_test({"-", "--x", "a", "--y", "b"}, input),
                     {"standard input: this file is " + word + ": UTF-8 is required"});
      };
      std::string const name = "UTF-" + std::to_string(8 * width);
      expect_rejected(bytes, name + (is_little ? "LE" : "BE"));
      auto const without_mark = bytes;
      bytes.clear();
      append(0xFEFF);
      expect_rejected(bytes + without_mark, name);
    }
  }
  EXPECT_EQ(run_permutation_test({"-", "--x", "a", "--y", "b"},
                                 "\xEF\xBB\xBF"
                                 "a,b\n1,2\n3,5\n")
                .exit_code,
            0);
}

}  // namespace example::input_files_test
