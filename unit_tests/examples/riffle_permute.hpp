#pragma once

#include <map>
#include <sstream>

#include "csv_table.hpp"
#include "program.hpp"

namespace example_test {

inline std::string permute_data_file(std::string const& name) {
  return std::string(RIFFLE_PERMUTE_DATA) + "/" + name;
}

inline example::Finished run_riffle_permute(std::vector<std::string> arguments,
                                            std::string const& input = {}) {
  arguments.insert(arguments.begin(), RIFFLE_PERMUTE_PROGRAM);
  return example::run_program(arguments, input);
}

/// Twelve specimens of urine.csv (numbers 2 to 7 without crystals and 46 to 51 with), as variables by observations. The design
/// has these groups, three more groups, six pairs, two blocks, an invented covariate, six pairs of one specimen with and one
/// without crystals, and two sites with three of the first pairs each.
class TwelveSpecimens {
 public:
  TwelveSpecimens()
      : data_(folder_.write(
            "data.csv",
            "variable,s02,s03,s04,s05,s06,s07,s46,s47,s48,s49,s50,s51\n"
            "gravity,1.017,1.008,1.011,1.005,1.02,1.012,1.021,1.024,1.024,1.021,1.024,1.026\n"
            "ph,5.74,7.2,5.51,6.52,5.27,5.62,5.94,5.77,5.6,5.53,5.36,5.16\n"
            "osmo,577,321,408,187,668,461,774,698,866,775,853,822\n"
            "cond,20,14.9,12.6,7.5,25.3,17.4,27.9,19.5,29.5,31.2,27.6,26\n"
            "urea,296,101,224,91,252,195,325,354,360,302,364,301\n"
            "calc,4.49,2.36,2.15,1.16,3.34,1.4,6.96,13,5.54,6.19,7.31,14.34\n")),
        design_(folder_.write("design.csv",
                              "sample,crystals,three,alternate,pair,half,age,match,site\n"
                              "s51,yes,c,1,p6,h2,33,m6,y\ns50,yes,b,0,p6,h1,36,m5,y\n"
                              "s49,yes,a,1,p5,h2,48,m4,y\ns48,yes,c,0,p5,h1,55,m3,y\n"
                              "s47,yes,b,1,p4,h2,29,m2,x\ns46,yes,a,0,p4,h1,41,m1,x\n"
                              "s07,no,c,1,p3,h2,60,m6,y\ns06,no,b,0,p3,h1,38,m5,y\n"
                              "s05,no,a,1,p2,h2,52,m4,x\ns04,no,c,0,p2,h1,27,m3,x\n"
                              "s03,no,b,1,p1,h2,45,m2,x\ns02,no,a,0,p1,h1,31,m1,x\n")) {}

  TemporaryFolder const& folder() const { return folder_; }
  std::string const& data() const { return data_; }
  std::string const& design() const { return design_; }

  /// Runs the program on these, with the arguments `more` last.
  example::Finished run(std::vector<std::string> more) const {
    more.insert(more.begin(), {data_, "--design", design_});
    return run_riffle_permute(std::move(more));
  }

  /// The object of --json of a run that must succeed.
  nlohmann::json json(std::vector<std::string> more) const {
    auto const file = folder_.path("result.json");
    more.insert(more.end(), {"--json", file});
    auto const finished = run(std::move(more));
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return nlohmann::json::parse(read_file(file));
  }

 private:
  TemporaryFolder folder_;
  std::string data_;
  std::string design_;
};

}  // namespace example_test
