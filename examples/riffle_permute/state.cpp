#include "state.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include <riffle/version.hpp>

#include "csv_rows.hpp"
#include "input_error.hpp"
#include "text.hpp"

namespace example::permute {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kind = "riffle_permute state 2";

// The 64-bit hash FNV-1a of Fowler, Noll and Vo (RFC 9923).
class Hash {
 public:
  Hash& add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) add_byte(static_cast<unsigned char>(number >> (8 * byte)));
    return *this;
  }
  Hash& add(double number) {
    // All NaNs hash alike, and so do 0 and -0.
    if (std::isnan(number)) number = std::numeric_limits<double>::quiet_NaN();
    return add(std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number));
  }
  Hash& add(std::string const& text) {
    add(std::uint64_t{text.size()});
    for (char const c : text) add_byte(static_cast<unsigned char>(c));
    return *this;
  }
  template <class T>
  Hash& add(std::vector<T> const& values) {
    add(std::uint64_t{values.size()});
    for (auto const& value : values) add(value);
    return *this;
  }
  Hash& add(int number) { return add(static_cast<std::uint64_t>(number)); }
  Hash& add(bool is) { return add(std::uint64_t{is}); }

  std::string text() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (int shift = 60; shift >= 0; shift -= 4) out += digits[(hash_ >> shift) & 0xFU];
    return out;
  }

 private:
  void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001B3U; }

  std::uint64_t hash_ = 0xCBF29CE484222325U;
};

// A state ends with the checksum of the text before it, as the last member of the JSON object.
constexpr std::string_view before_checksum = ",\"checksum\":\"";
constexpr std::string_view after_checksum = "\"}\n";
constexpr std::size_t length_of_checksum = 16;

std::string checksum_of(std::string const& text) { return Hash().add(text).text(); }

// Whether the text ends with a checksum, and the checksum is right.
bool is_whole(std::string const& text) {
  auto const length = before_checksum.size() + length_of_checksum + after_checksum.size();
  if (text.size() < length) return false;
  auto const body = text.substr(0, text.size() - length);
  return text.substr(body.size()) ==
         std::string(before_checksum) + checksum_of(body) + std::string(after_checksum);
}

// JSON has no infinities.
Json number_or_text(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

double number_of(Json const& json) {
  if (json.is_number_float()) return json.get<double>();
  auto const& text = json.get_ref<std::string const&>();
  for (double const number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    if (number_or_text(number) == text) return number;
  }
  throw std::invalid_argument("maxima");
}

std::uint64_t count_of(Json const& json, std::uint64_t most) {
  if (!json.is_number_unsigned()) throw std::invalid_argument("count");
  auto const count = json.get<std::uint64_t>();
  if (count > most) throw std::invalid_argument("count");
  return count;
}

Counts counts_of(Json const& json) {
  Counts counts;
  counts.done = count_of(json.at("done"), std::numeric_limits<std::uint64_t>::max());
  for (auto const& count : json.at("extreme")) {
    counts.extreme.push_back(count_of(count, counts.done));
  }
  for (auto const& count : json.at("step_down")) {
    counts.step_down.push_back(count_of(count, counts.done));
  }
  for (auto const& maximum : json.at("maxima")) counts.maxima.push_back(number_of(maximum));
  return counts;
}

void check_same(std::string const& file, Json const& saved, char const* part,
                std::string const& now, char const* words) {
  if (saved.at(part).get<std::string>() == now) return;
  throw InputError(file + ": these counts come from " + words + " (" +
                   saved.at(part).get<std::string>() + ", now " + now +
                   "): to continue, only --replicates, --threads, --batch and the output files may "
                   "differ from the first command");
}

void check_counts(std::string const& file, Counts const& counts, Task const& task,
                  Plan const& plan) {
  auto const variables = task.data.variables.size();
  if (counts.extreme.size() != variables || counts.step_down.size() != variables ||
      counts.maxima.size() != counts.done) {
    throw InputError(file + ": has counts of " + plural(counts.extreme.size(), "variable") +
                     " and maxima of " + std::to_string(counts.maxima.size()) + " of " +
                     plural(counts.done, "replicate") + ", but the data have " +
                     plural(variables, "variable"));
  }
  if (counts.done > plan.total) {
    throw InputError(file + ": has counts of " + plural(counts.done, "replicate") +
                     ", more than --replicates " + std::to_string(plan.total));
  }
}

}  // namespace

Fingerprint fingerprint_of(Task const& task, Settings const& settings, Plan const& plan) {
  Hash data;
  data.add(task.data.variables).add(task.data.observations).add(task.data.values);
  Hash design;
  design.add(task.by);
  for (auto const& level : task.blocks) design.add(level.block_of);
  for (auto const& group : task.groups) design.add(group.name);
  for (auto const& term : task.terms) {
    design.add(term.name).add(term.first).add(term.second).add(term.levels).add(term.reference);
    design.add(term.numbers);
  }
  Hash rest;
  rest.add(name_of(settings.statistic)).add(name_of(settings.alternative)).add(settings.seed);
  for (bool const is_permuted : settings.permutes_blocks) rest.add(is_permuted);
  rest.add(settings.permutes_observations).add(settings.blocks_are_pairs);
  rest.add(name_of(settings.errors)).add(settings.contrasts);
  rest.add(name_of(settings.missing))
      .add(settings.term)
      .add(settings.is_f)
      .add(name_of(settings.nuisance))
      .add(plan.is_exact);
  return {data.text(), design.text(), rest.text()};
}

std::string state_text(Fingerprint const& fingerprint, Settings const& settings,
                       Counts const& counts) {
  Json maxima = Json::array();
  for (double const maximum : counts.maxima) maxima.push_back(number_or_text(maximum));
  Json const state{
      {"kind", kind},
      {"riffle_version", RIFFLE_VERSION_STRING},
      {"fingerprint",
       {{"data", fingerprint.data},
        {"design", fingerprint.design},
        {"settings", fingerprint.settings}}},
      {"statistic", name_of(settings.statistic)},
      {"seed", settings.seed},
      {"done", counts.done},
      {"extreme", counts.extreme},
      {"step_down", counts.step_down},
      {"maxima", std::move(maxima)},
  };
  auto body = state.dump();
  body.pop_back();
  return body + std::string(before_checksum) + checksum_of(body) + std::string(after_checksum);
}

Counts load_state(std::string const& place, Fingerprint const& fingerprint, Task const& task,
                  Plan const& plan) {
  auto const file = name_in_messages(place);
  auto const text = text_of_file(place);
  auto const state = Json::parse(text, nullptr, false);
  if (state.is_discarded()) {
    throw InputError(file + ": this is not a state file of riffle_permute, or it is truncated (" +
                     plural(text.size(), "byte") + ")");
  }
  if (!is_whole(text)) {
    throw InputError(file +
                     ": this is not a state file of riffle_permute, or it was changed: its "
                     "checksum does not match its content");
  }
  Counts counts;
  try {
    if (state.at("kind").get<std::string>() != kind) throw std::invalid_argument("kind");
    // Another version may draw other arrangements.
    check_same(file, state, "riffle_version", RIFFLE_VERSION_STRING, "another version of Riffle");
    auto const& saved = state.at("fingerprint");
    check_same(file, saved, "data", fingerprint.data, "other data");
    check_same(file, saved, "design", fingerprint.design, "another design");
    check_same(file, saved, "settings", fingerprint.settings,
               "another statistic, alternative, seed or permutation scheme");
    counts = counts_of(state);
  } catch (InputError const&) {
    throw;
  } catch (std::exception const&) {  // a key is missing or has another type
    throw InputError(file + ": this is not a state file of riffle_permute");
  }
  check_counts(file, counts, task, plan);
  return counts;
}

}  // namespace example::permute
