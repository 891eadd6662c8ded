#include <riffle/monte_carlo/design_matrix.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/thrown_message.hpp"

namespace riffle::test::design_matrix_test {
namespace {

using Values = std::vector<double>;
using Names = std::vector<std::string>;

DesignMatrix small_design() {
  DesignMatrix design(4);
  design.add_intercept().add_factor("group", {"treated", "control", "treated", "other"});
  design.add_covariate("age", {30, 40, 50, 20});
  return design;
}

TEST(DesignMatrixTest, CodesFactorsByTheirFirstLevel) {
  auto const design = small_design();
  EXPECT_EQ(design.names(), (Names{"intercept", "group[other]", "group[treated]", "age"}));
  EXPECT_EQ(design.values(), (Values{1, 0, 1, 30,  //
                                     1, 0, 0, 40,  //
                                     1, 0, 1, 50,  //
                                     1, 1, 0, 20}));
  EXPECT_EQ(design.rows(), 4u);
  EXPECT_EQ(design.columns(), 4u);
}

TEST(DesignMatrixTest, CodesFactorsByANamedReference) {
  DesignMatrix design(3);
  design.add_factor("drug", {"x", "y", "z"}, "y");
  EXPECT_EQ(design.names(), (Names{"drug[x]", "drug[z]"}));
  EXPECT_EQ(design.values(), (Values{1, 0, 0, 0, 0, 1}));
}

TEST(DesignMatrixTest, HasGroupMeansCentredCovariatesAndInteractions) {
  DesignMatrix design(4);
  design.add_group_means("g", {"b", "a", "b", "a"}).add_covariate("x", {1, 2, 3, 6}, true);
  design.add_interaction("g", "x");
  EXPECT_EQ(design.names(), (Names{"g[a]", "g[b]", "x", "g[a]:x", "g[b]:x"}));
  EXPECT_EQ(design.values(), (Values{0, 1, -2, 0,  -2,  //
                                     1, 0, -1, -1, 0,   //
                                     0, 1, 0,  0,  0,   //
                                     1, 0, 3,  3,  0}));
  EXPECT_EQ(design.term("g:x"), (Values{0, 0, 0, 1, 0, 0, 0, 0, 0, 1}));
}

TEST(DesignMatrixTest, ReadsContrasts) {
  auto const design = small_design();
  EXPECT_EQ(design.contrast("group[treated]"), (Values{0, 0, 1, 0}));
  EXPECT_EQ(design.contrast("group[treated] - group[other]"), (Values{0, -1, 1, 0}));
  EXPECT_EQ(design.contrast(" -group[treated]+group[other] "), (Values{0, 1, -1, 0}));
  EXPECT_EQ(design.contrast("0.5*group[treated] + 2.5e-1 age - 3 * intercept + age"),
            (Values{-3, 0, 0.5, 1.25}));
  EXPECT_EQ(design.contrast("- 2age"), (Values{0, 0, 0, -2}));
  EXPECT_EQ(design.contrasts({"age", "intercept"}), (Values{0, 0, 0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(design.term("group"), (Values{0, 1, 0, 0, 0, 0, 1, 0}));
}

TEST(DesignMatrixTest, NamesMayHoldSignsSpacesAndDigits) {
  DesignMatrix design(2);
  design.add_factor("cell type", {"CD4-", "CD4+ T"}).add_covariate("2nd age", {1, 2});
  design.add_covariate("age", {1, 2}).add_covariate("age-squared", {1, 4});
  EXPECT_EQ(design.names()[0], "cell type[CD4-]");
  EXPECT_EQ(design.contrast("cell type[CD4-] - 2nd age"), (Values{1, -1, 0, 0}));
  EXPECT_EQ(design.contrast("age-squared"), (Values{0, 0, 0, 1}));
  EXPECT_EQ(design.contrast("age - age-squared"), (Values{0, 0, 1, -1}));
  EXPECT_EQ(design.contrast("2 2nd age"), (Values{0, 2, 0, 0}));
}

TEST(DesignMatrixTest, RejectsContrastsItCannotRead) {
  auto const design = small_design();
  std::string const prefix = "riffle::DesignMatrix: contrast ";
  auto const message = [&](std::string const& text) {
    return thrown_message([&] { design.contrast(text); });
  };
  EXPECT_EQ(message(""), prefix + "'': is empty");
  EXPECT_EQ(message("group[treted]"),
            prefix +
                "'group[treted]': no column is called 'group[treted]'; there are intercept, "
                "group[other], group[treated], age");
  EXPECT_EQ(message("ages"), prefix +
                                 "'ages': no column is called 'ages'; there are intercept, "
                                 "group[other], group[treated], age");
  EXPECT_EQ(message("age -"), prefix + "'age -': a name is expected at its end or before a sign");
  EXPECT_EQ(message("age intercept"),
            prefix + "'age intercept': + or - is expected before 'intercept'");
  EXPECT_EQ(message("2"), prefix + "'2': a name is expected at its end or before a sign");
  EXPECT_EQ(thrown_message([&] { design.term("grup"); }),
            "riffle::DesignMatrix: no term is called 'grup'; there are intercept, group, age");
}

TEST(DesignMatrixTest, RejectsColumnsAndStaysAsItWas) {
  auto design = small_design();
  EXPECT_EQ(thrown_message([&] {
              design.add_covariate("x", {1, 2});
            }),
            "riffle::DesignMatrix: 'x' has 2 values: must have the design's rows, 4");
  EXPECT_EQ(thrown_message([&] {
              design.add_covariate("x", {1, std::numeric_limits<double>::quiet_NaN(), 3, 4});
            }),
            "riffle::DesignMatrix: covariate 'x', row 1: nan must be a finite number");
  EXPECT_EQ(thrown_message([&] {
              design.add_factor("f", {"a", "", "b", "b"});
            }),
            "riffle::DesignMatrix: factor 'f', row 1: is empty");
  EXPECT_EQ(thrown_message([&] {
              design.add_factor("f", {"a", "a", "a", "a"});
            }),
            "riffle::DesignMatrix: factor 'f' has one level, a: two are needed");
  EXPECT_EQ(thrown_message([&] {
              design.add_factor("f", {"a", "b", "a", "a"}, "c");
            }),
            "riffle::DesignMatrix: factor 'f' has no level 'c' for its reference; there are a, b");
  EXPECT_EQ(thrown_message([&] { design.add_intercept(); }),
            "riffle::DesignMatrix: there is a column 'intercept' already");
  EXPECT_EQ(thrown_message([&] {
              design.add_factor("group", {"x", "y", "y", "x"});
            }),
            "riffle::DesignMatrix: there is a term 'group' already");
  EXPECT_EQ(thrown_message([&] { design.add_interaction("group", "sex"); }),
            "riffle::DesignMatrix: no term is called 'sex'; there are intercept, group, age");
  EXPECT_EQ(design.values(), small_design().values());
  EXPECT_EQ(design.names(), small_design().names());
}

}  // namespace
}  // namespace riffle::test::design_matrix_test
