// Compares messages, bytes and memory of the model's ranks with perf/results/mpi_model.json, from which docs/mpi.md has its
// tables and figure (perf/plot_mpi_model). RIFFLE_WRITE_RECORD=FILE writes a new record, with more ranks than the test has, in
// a minute. Memory is recorded with one thread per rank, since more threads take more.

#include <riffle/mpi.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpi_model/expected_traffic.hpp"
#include "support/model_mpi/model_devices.hpp"
#include "support/model_mpi/model_ranks.hpp"
#include "support/watched_arena.hpp"

namespace riffle::test::mpi_model_record_test {
namespace {

using namespace mpi_model;
using Comm = mpi::Communicator;

constexpr std::uint64_t n = 1 << 22;
constexpr std::uint64_t seed = 1906;

/// A row of the record: the largest traffic and the largest workspace of any rank in a call.
struct Row {
  std::string verb;
  int ranks;
  RankTraffic traffic;
  std::uint64_t workspace_bytes = 0;
};

/// The part of a row that does not depend on the number of threads.
std::string traffic_json(Row const& row) {
  auto const& traffic = row.traffic;
  std::ostringstream text;
  text << "{\"verb\": \"" << row.verb << "\", \"ranks\": " << row.ranks
       << ", \"messages\": " << traffic.messages << ", \"bytes_sent\": " << traffic.bytes_sent
       << ", \"bytes_received\": " << traffic.bytes_received << ", \"rounds\": " << traffic.rounds
       << ", \"collectives\": " << traffic.collectives
       << ", \"collective_bytes\": " << traffic.collective_bytes;
  return text.str();
}

/// The whole row.
std::string json_of(Row const& row) {
  return traffic_json(row) + ", \"workspace_bytes\": " + std::to_string(row.workspace_bytes) + "}";
}

bool has_one_thread() { return Exec().concurrency() == 1; }

RankTraffic larger_of(RankTraffic const& a, RankTraffic const& b) {
  return {std::max(a.messages, b.messages),
          std::max(a.bytes_sent, b.bytes_sent),
          std::max(a.bytes_received, b.bytes_received),
          std::max(a.rounds, b.rounds),
          std::max(a.collectives, b.collectives),
          std::max(a.collective_bytes, b.collective_bytes)};
}

/// prepare(comm, rank) makes the arguments, and returns the call; only the call is counted.
template <class Prepare>
Row count_call(std::string const& verb, int ranks, Prepare const& prepare) {
  using Call = decltype(prepare(std::declval<Comm const&>(), 0));
  struct State {
    std::optional<Comm> comm;
    std::optional<Call> call;
  };
  std::vector<State> states(static_cast<std::size_t>(ranks));
  ModelRanks model(ranks);
  model.run([&](int rank) {
    State& own = states[static_cast<std::size_t>(rank)];
    own.comm.emplace(MPI_COMM_WORLD);
    own.call.emplace(prepare(*own.comm, rank));
  });
  model.clear_traffic();
  Row row{verb, ranks, {}};
  model.run([&](int rank) {
    State& own = states[static_cast<std::size_t>(rank)];
    Workspace<Exec> workspace{Exec()};
    (*own.call)(Context<Exec>(Exec(), workspace), *own.comm);
    // A new workspace grows to the largest amount that is in use at a time.
    row.workspace_bytes = std::max<std::uint64_t>(row.workspace_bytes, workspace.bytes());
  });
  for (int r = 0; r < ranks; ++r) row.traffic = larger_of(row.traffic, model.traffic(r));
  return row;
}

/// The data of all ranks.
struct Data {
  Array<std::uint32_t> p{"p", n};
  Array<double> values{"values", n};  // in random order
  Array<double> sorted{"sorted", n};  // with ties

  Data() {
    random_permutation(Exec(), p, seed, BucketShuffle{});
    for (std::uint64_t i = 0; i < n; ++i) {
      values(i) = static_cast<double>(p(i));
      sorted(i) = static_cast<double>(i / 5);
    }
  }
};

// --- the functions: the arguments of each rank, and the call ---

auto shuffle_of(Data const& data) {
  return [&data](Comm const& of, int rank) {
    auto const in = block_of_all(data.values, rank, of.size());
    Array<double> const out("out", in.extent(0));
    return [in, out](Context<Exec> const& context, Comm const& comm) {
      mpi::shuffle_copy(context, comm, in, out, seed, BucketShuffle{});
    };
  };
}

auto random_permutation_of(Data const&) {
  return [](Comm const& of, int rank) {
    Array<std::uint32_t> const out("out", mpi::block_of(n, rank, of.size()).count);
    return [out](Context<Exec> const& context, Comm const& comm) {
      mpi::random_permutation(context, comm, out, seed, BucketShuffle{});
    };
  };
}

auto scan_of(Data const& data) {
  return [&data](Comm const& of, int rank) {
    auto const values = block_of_all(data.values, rank, of.size());
    return [values](Context<Exec> const& context, Comm const& comm) {
      mpi::inclusive_scan(context, comm, values, values);
    };
  };
}

auto sort_of(Data const& data) {
  return [&data](Comm const& of, int rank) {
    auto const values = block_of_all(data.values, rank, of.size());
    return [values](Context<Exec> const& context, Comm const& comm) {
      mpi::sort(context, comm, values);
    };
  };
}

auto rank_of(Data const& data) {
  return [&data](Comm const& of, int rank) {
    auto const sorted = block_of_all(data.sorted, rank, of.size());
    Array<double> const out("out", sorted.extent(0));
    return [sorted, out](Context<Exec> const& context, Comm const& comm) {
      mpi::rank(context, comm, sorted, out, ties::Fractional{});
    };
  };
}

auto plan_of(Data const& data) {
  return [&data](Comm const& of, int rank) {
    auto const p = block_of_all(data.p, rank, of.size());
    return [p](Context<Exec> const& context, Comm const& comm) {
      mpi::PlannedPermutation<Exec> const plan(context, comm, p);
    };
  };
}

auto permute_of(Data const& data) {
  return [&data](Comm const& of, int rank) {
    auto const in = block_of_all(data.values, rank, of.size());
    Array<double> const out("out", in.extent(0));
    mpi::PlannedPermutation<Exec> const plan(Exec(), of, block_of_all(data.p, rank, of.size()));
    return [in, out, plan](Context<Exec> const& context, Comm const& comm) {
      plan(context, comm, in, out);
    };
  };
}

// --- the record ---

/// A row that can be counted.
struct Case {
  std::string verb;
  int ranks;
  std::function<Row()> count;
};

std::vector<Case> cases_of(Data const& data) {
  std::vector<Case> cases;
  auto const add = [&](std::string const& verb, int max_ranks, auto const& prepare) {
    for (int const ranks : {1, 2, 4, 16, 64, 256, 1024, 4096}) {
      if (ranks > max_ranks) break;
      cases.push_back({verb, ranks, [=] { return count_call(verb, ranks, prepare); }});
    }
  };
  add("shuffle", 4096, shuffle_of(data));
  add("random_permutation", 4096, random_permutation_of(data));
  add("scan", 4096, scan_of(data));
  add("sort", 1024, sort_of(data));  // with 4096 ranks it takes eight minutes to find the cuts
  add("rank", 4096, rank_of(data));
  add("plan", 4096, plan_of(data));
  add("permute", 4096, permute_of(data));
  return cases;
}

void write_record(std::vector<Case> const& cases, std::string const& path) {
  if (!has_one_thread()) throw std::runtime_error("the record is written by one thread");
  std::ofstream file(path);
  file << "{\"elements\": " << n << ", \"element_bytes\": " << sizeof(double) << ", \"rows\": [";
  char const* separator = "\n";
  for (auto const& one : cases) {
    file << separator << json_of(one.count());
    separator = ",\n";
  }
  file << "\n]}\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::string text_of(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::size_t occurrences(std::string const& text, std::string const& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(MpiModelRecord, MatchesTheModel) {
  // More ranks would take too long for a test. The traffic does not depend on the number of threads.
  int const max_ranks = has_one_thread() ? 256 : 64;
  UnwatchedArenas const unwatched;
  // A plan times its methods, and its memory depends on the method: the record has the memory of a schedule.
  detail::planning::MethodTimes const schedule_is_best{3, 2, 1};
  detail::planning::assumed_times = &schedule_is_best;
  Data const data;
  auto const cases = cases_of(data);
  if (char const* const path = std::getenv("RIFFLE_WRITE_RECORD")) write_record(cases, path);
  std::string const record = text_of(RIFFLE_MPI_MODEL_RECORD);
  EXPECT_EQ(occurrences(record, "\"verb\""), cases.size());
  for (auto const& one : cases) {
    if (one.ranks > max_ranks) continue;
    Row const found = one.count();
    std::string const row = has_one_thread() ? json_of(found) : traffic_json(found);
    EXPECT_NE(record.find(row), std::string::npos) << "the record lacks " << row;
  }
  detail::planning::assumed_times = nullptr;
}

}  // namespace
}  // namespace riffle::test::mpi_model_record_test
