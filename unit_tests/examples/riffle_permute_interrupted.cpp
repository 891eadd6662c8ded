// A run that is interrupted, saved and resumed has the results of one run.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>

#include "riffle_permute.hpp"

extern char** environ;  // NOLINT: declared by POSIX

namespace example::riffle_permute_interrupted_test {

using namespace example_test;

using Arguments = std::vector<std::string>;

class Interrupted : public ::testing::Test {
 protected:
  Arguments command(Arguments more) const {
    more.insert(more.begin(), {specimens_.data(), "--group", specimens_.design() + ":crystals",
                               "--no-enumerate", "--replicates", "20000"});
    return more;
  }
  std::string path(std::string const& name) const { return specimens_.folder().path(name); }

  // Saves the counts of the first replicates; returns the file.
  std::string saved() const {
    auto const state = path("saved.json");
    auto const finished =
        run_riffle_permute(command({"--state", state, "--batch", "1000", "--stop-after", "6000"}));
    EXPECT_EQ(finished.exit_code, 130);
    EXPECT_EQ(finished.output, "");
    EXPECT_NE(finished.errors.find("--resume " + state), std::string::npos) << finished.errors;
    return state;
  }

  void expect_error(Arguments const& arguments, std::vector<std::string> const& words) const {
    auto const finished = run_riffle_permute(arguments);
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_EQ(finished.output, "");
    for (auto const& word : words) {
      EXPECT_NE(finished.errors.find(word), std::string::npos) << word << "\nin\n"
                                                               << finished.errors;
    }
  }

  TwelveSpecimens specimens_;
};

TEST_F(Interrupted, resumed_runs_equal_one_run) {
  EXPECT_EQ(run_riffle_permute(command({"--output", path("once.csv")})).exit_code, 0);
  auto const state = saved();
  auto const finished = run_riffle_permute(
      command({"--resume", state, "--output", path("twice.csv"), "--threads", "1"}));
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_NE(finished.output.find("come from an earlier run"), std::string::npos);
  EXPECT_EQ(read_file(path("once.csv")), read_file(path("twice.csv")));
}

TEST_F(Interrupted, more_replicates_later) {
  auto const state = path("state.json");
  EXPECT_EQ(run_riffle_permute(command({"--state", state})).exit_code, 0);
  auto more = command({"--resume", state, "--output", path("more.csv")});
  auto all = command({"--output", path("all.csv")});
  more[5] = all[5] = "30000";
  ASSERT_EQ(more[4], "--replicates");
  EXPECT_EQ(run_riffle_permute(more).exit_code, 0);
  EXPECT_EQ(run_riffle_permute(all).exit_code, 0);
  EXPECT_EQ(read_file(path("all.csv")), read_file(path("more.csv")));
}

TEST_F(Interrupted, enumerations_too) {
  auto const run = [&](Arguments more) {
    more.insert(more.begin(), {specimens_.data(), "--design", specimens_.design(), "--statistic",
                               "one-sample-t", "--batch", "1000"});
    return run_riffle_permute(more);
  };
  EXPECT_EQ(run({"--output", path("once.csv")}).exit_code, 0);
  auto const state = path("state.json");
  EXPECT_EQ(run({"--state", state, "--stop-after", "1500"}).exit_code, 130);
  EXPECT_EQ(run({"--output", path("twice.csv"), "--resume", state}).exit_code, 0);
  EXPECT_EQ(read_file(path("once.csv")), read_file(path("twice.csv")));
}

TEST_F(Interrupted, rejects_counts_of_other_runs) {
  auto const state = saved();
  expect_error(command({"--resume", state, "--seed", "1"}), {state, "seed"});
  expect_error(command({"--resume", state, "--alternative", "less"}), {state, "alternative"});
  expect_error(command({"--resume", state, "--groups", "no,yes"}), {state, "another design"});
  auto fewer = command({"--resume", state});
  fewer[5] = "1000";
  expect_error(fewer, {state, "more than --replicates 1000"});
  auto data = read_file(specimens_.data());
  data.replace(data.find("5.74"), 4, "5.75");
  specimens_.folder().write("data.csv", data);
  expect_error(command({"--resume", state}), {state, "other data"});
}

TEST_F(Interrupted, rejects_files_that_are_not_a_state) {
  auto const text = read_file(saved());
  for (std::size_t const length : {std::size_t{0}, std::size_t{10}, text.size() / 2}) {
    auto const cut = specimens_.folder().write("cut.json", text.substr(0, length));
    expect_error(command({"--resume", cut}), {"cut.json", "truncated"});
  }
  expect_error(command({"--resume", specimens_.folder().write("other.json", "{\"a\": 1}")}),
               {"other.json: this is not a state file of riffle_permute"});
  expect_error(command({"--resume", path("none.json")}), {"none.json", "No such file"});
}

TEST_F(Interrupted, rejects_a_state_with_a_changed_byte) {
  auto const text = read_file(saved());
  auto const expect_rejected = [&](std::string const& changed) {
    expect_error(command({"--resume", specimens_.folder().write("changed.json", changed)}),
                 {"changed.json: this is not a state file of riffle_permute"});
  };
  auto const begin_of = [&](std::string const& key) {
    return text.find("\"" + key + "\":") + key.size() + 3;
  };
  for (auto const* key : {"extreme", "step_down", "maxima"}) {
    for (std::string const number : {"-1", "1.5", "1e300", "\"nan\"", "7"}) {
      auto const begin = begin_of(key) + 1;
      auto changed = text;
      expect_rejected(changed.replace(begin, text.find_first_of(",]", begin) - begin, number));
    }
  }
  auto changed = text;
  expect_rejected(changed.replace(begin_of("done"), 4, "5999"));
  expect_rejected(text + "\n");
  expect_rejected(text.substr(0, text.size() - 1));
}

TEST_F(Interrupted, keeps_the_counts_of_another_run) {
  auto const output = path("o.csv");
  auto const other = specimens_.folder().write("o.csv.state.json", "of another run");
  auto const stop = [&](Arguments more) {
    more.insert(more.end(), {"--output", output, "--batch", "1000"});
    return run_riffle_permute(command(more));
  };
  EXPECT_EQ(stop({"--stop-after", "6000"}).exit_code, 130);
  EXPECT_EQ(read_file(other), "of another run");
  auto const state = output + ".state-2.json";
  EXPECT_TRUE(std::filesystem::exists(state));
  EXPECT_EQ(stop({"--resume", state, "--stop-after", "9000"}).exit_code, 130);
  EXPECT_TRUE(std::filesystem::exists(output + ".state-3.json"));
  EXPECT_EQ(stop({"--resume", state}).exit_code, 0);
}

class InterruptedBySignal : public Interrupted, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, InterruptedBySignal, ::testing::Values(SIGINT, SIGHUP));

TEST_P(InterruptedBySignal, saves_counts) {
  auto const output = path("never.csv");
  auto const data = path("many.csv");
  auto const design = path("many_design.csv");
  run_riffle_permute({"--simulate", "5000,40,1,0", "--output", data, "--design", design});
  Arguments arguments{RIFFLE_PERMUTE_PROGRAM, data,       "--group",  design + ":group",
                      "--replicates",         "10000000", "--output", output};
  std::vector<char*> argv;
  for (auto& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // A test runner in the background may ignore the signal.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, GetParam());
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ), 0);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  sleep(2);
  kill(child, GetParam());
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + GetParam());
  EXPECT_FALSE(std::filesystem::exists(output));
  auto const state = nlohmann::json::parse(read_file(output + ".state.json"), nullptr, false);
  ASSERT_FALSE(state.is_discarded());
  EXPECT_GT(state.at("done"), 0);
}

}  // namespace example::riffle_permute_interrupted_test
