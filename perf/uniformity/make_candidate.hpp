#pragma once

#include <cstdint>
#include <string>

#include <riffle/uniformity.hpp>
#include <riffle/uniformity/uniformity_battery.hpp>

#include "support/exec.hpp"
#include "uniformity/candidate.hpp"

namespace perf::quality {

/// Converts progress of the battery, which counts to 2 * samples, to a share.
inline riffle::uniformity::Progress report_for_samples(std::uint64_t samples,
                                                       ReportShare const& report_share) {
  if (!report_share) return {};
  return [=](std::uint64_t done) {
    report_share(static_cast<double>(done) / (2 * static_cast<double>(samples)));
  };
}

template <class Test, class Sampler>
Candidate::TestResult run_test(Test const& test, Sampler const& sampler, Draw const& draw) {
  return riffle::uniformity::test(riffle::Context(Exec(), "perf::test"), test, sampler, draw.n,
                                  draw.samples);
}

/// make(draw) returns the sampler.
template <class MakeSampler>
Candidate make_candidate(std::string const& name, MakeSampler const& make) {
  Candidate candidate;
  candidate.name = name;
  candidate.battery = [=](Draw const& draw, ReportShare const& report_share) {
    return riffle::uniformity::battery(riffle::Context(Exec(), "perf::battery"), make(draw), draw.n,
                                       draw.samples,
                                       report_for_samples(draw.samples, report_share));
  };
  candidate.arrangements = [=](Draw const& draw) {
    return run_test(riffle::uniformity::Arrangements{}, make(draw), draw);
  };
  candidate.mallows = [=](Draw const& draw) {
    return run_test(riffle::uniformity::MallowsPaired{}, make(draw), draw);
  };
  return candidate;
}

}  // namespace perf::quality
