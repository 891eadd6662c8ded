#include "simulate.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <random>

#include "output_file.hpp"
#include "program_options.hpp"

namespace example::permute {
namespace {

constexpr double effect = 1.5;
constexpr double batch_effect = 0.5;

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  double uniform() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal() {
    double const radius = std::sqrt(-2 * std::log1p(-uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

std::string sample_name(Simulation const& simulation, std::uint64_t i) {
  bool const treated = i >= simulation.observations / 2;
  auto const number = treated ? i - simulation.observations / 2 : i;
  return (treated ? "treated_" : "control_") + std::to_string(number + 1);
}

std::string gene_name(std::uint64_t g) { return "gene_" + std::to_string(g + 1); }

void append_decimals(std::string& text, double number) {
  std::array<char, 64> buffer{};
  auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                 std::chars_format::fixed, 5)
                       .ptr;
  text.append(buffer.data(), end);
}

std::string data_of(Simulation const& simulation) {
  std::string text = "gene";
  for (std::uint64_t i = 0; i < simulation.observations; ++i) {
    text += "," + sample_name(simulation, i);
  }
  text += '\n';
  Draws draws(simulation.seed);
  for (std::uint64_t g = 0; g < simulation.variables; ++g) {
    double const mean = draws.uniform(4, 12);
    double const scale = draws.uniform(0.2, 1);
    double const of_batch = batch_effect * draws.normal();
    text += gene_name(g);
    for (std::uint64_t i = 0; i < simulation.observations; ++i) {
      double const shift = i % 2 == 1 ? of_batch : 0;
      bool const affected = g < simulation.affected && i >= simulation.observations / 2;
      text += ',';
      append_decimals(text, mean + scale * (draws.normal() + shift + (affected ? effect : 0)));
    }
    text += '\n';
  }
  return text;
}

std::string design_of(Simulation const& simulation) {
  std::string text = "sample,group,batch\n";
  for (std::uint64_t i = 0; i < simulation.observations; ++i) {
    text += sample_name(simulation, i) + "," +
            (i < simulation.observations / 2 ? "control" : "treated") + "," +
            (i % 2 == 1 ? "b" : "a") + "\n";
  }
  return text;
}

}  // namespace

int simulate(Simulation const& simulation) {
  std::string const output = simulation.output.empty() ? standard_output : simulation.output;
  check_files({}, {{"--output", output}, {"--design", simulation.design}});
  Failures failures("riffle_permute");
  failures.attempt([&] { write_file(output, data_of(simulation)); });
  if (!simulation.design.empty()) {
    failures.attempt([&] { write_file(simulation.design, design_of(simulation)); });
  }
  return failures.any() ? 1 : 0;
}

}  // namespace example::permute
