// Random faults around permutation_test and riffle_permute: changed data, designs and states, files that cannot be written or are
// the same, failing system calls, signals, invalid option values, and names with control characters.
//
//   fuzz_programs [SEED [ROUNDS]]       each round has every kind of fault; equal seeds give equal faults
//
// Requirements for every run: it ends by itself, with exit code 0, 1 or 2, or by the signal that was sent; an error is one line;
// inputs and files that are not named are unchanged; a table is complete and correct, or there is none; saved counts lead to
// the correct table. Violations are printed with the command; the exit code is 1 then.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

constexpr auto longest_run = std::chrono::seconds(60);

std::string read(fs::path const& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(fs::path const& file, std::string const& text) {
  std::ofstream(file, std::ios::binary) << text;
}

struct Run {
  Words command;
  Environment environment;
  int signal = 0;  // sent after `delay`
  int delay_in_ms = 0;
  std::string output = "stdout";  // in the current folder, or a device
  std::string error_file = "stderr";

  int exit_code = -1;
  int death = 0;  // the signal that ended it
  bool hangs = false;
  std::string out;
  std::string errors;
};

void exec(Run const& run, Words const& words) {
  int const out = open(run.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  int const errors = open(run.error_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  int const in = open("/dev/null", O_RDONLY);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  for (int const descriptor : {in, out, errors}) close(descriptor);
  for (auto const& [name, value] : run.environment) setenv(name.c_str(), value.c_str(), 1);
  for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_DFL);
  rlimit const no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::vector<char*> argv;
  for (auto const& word : words)
    argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: execv does not modify its arguments
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

pid_t begin(Run const& run) {
  pid_t const child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) exec(run, run.command);
  return child;
}

void follow(Run& run, pid_t child) {
  using Clock = std::chrono::steady_clock;
  auto const begin = Clock::now();
  bool is_sent = run.signal == 0;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    auto const now = Clock::now() - begin;
    if (!is_sent && now >= std::chrono::milliseconds(run.delay_in_ms)) {
      kill(child, run.signal);
      is_sent = true;
    }
    if (now > longest_run && !run.hangs) {
      run.hangs = true;
      kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.death = WTERMSIG(status);
  if (run.output.rfind("stdout", 0) == 0) run.out = read(run.output);
  run.errors = read(run.error_file);
}

class Fuzzer {
 public:
  explicit Fuzzer(std::uint64_t seed) : random_(seed) {
    std::string pattern = (fs::temp_directory_path() / "riffle-fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = fs::canonical(pattern);
    fs::current_path(folder_);
    fs::create_directory("tmp");
    fs::create_directory("clean");
    setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
    // AddressSanitizer must accept that the library with the failing calls is loaded first.
    char const* const options = std::getenv("ASAN_OPTIONS");
    std::string const more = "verify_asan_link_order=0";
    setenv("ASAN_OPTIONS", (options == nullptr ? more : options + (":" + more)).c_str(), 1);
    prepare();
  }
  ~Fuzzer() {
    std::error_code ignored;
    fs::current_path("/", ignored);
    fs::remove_all(folder_, ignored);
  }
  Fuzzer(Fuzzer const&) = delete;
  Fuzzer& operator=(Fuzzer const&) = delete;

  void round() {
    for (auto const& [name, kind, times] : kinds_) {
      kind_ = name;
      for (int i = 0; i < times; ++i) {
        clean();
        (this->*kind)();
        check_that_inputs_are_the_same();
      }
    }
  }

  int report(std::uint64_t rounds) const {
    std::cout << rounds << " rounds, " << runs_ << " runs, " << failures_ << " faults;";
    for (auto const& [code, count] : exit_codes_)
      std::cout << " exit code " << code << ": " << count << ";";
    std::cout << " counts saved and resumed: " << resumed_ << "\n";
    return failures_ == 0 ? 0 : 1;
  }

 private:
  // --- random choices ---

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool coin() { return below(2) == 0; }
  template <class T>
  T const& pick(std::vector<T> const& values) {
    return values[below(values.size())];
  }

  std::string mutated(std::string text) {
    auto const changes = 1 + below(3);
    for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
      auto const at = below(text.size());
      switch (below(8)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.erase(at, 1 + below(20)); break;
        case 2: text.insert(at, text.substr(below(text.size()), 1 + below(20))); break;
        case 3: text.resize(at); break;
        case 4: replace_number(text, at); break;
        case 5: text.insert(at, 1, "\0\"\n,\r;\t-.e"[below(11)]); break;
        case 6: text[at] = static_cast<char>(text[at] ^ (1 << below(8))); break;
        default: std::swap(text[at], text[below(text.size())]); break;
      }
    }
    return text;
  }

  void replace_number(std::string& text, std::size_t at) {
    auto const begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    auto const end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    text.replace(begin, end - begin,
                 pick<std::string>({"0", "1", "-1", "1.5", "1e300", "nan", "inf", "\"nan\"", "NA",
                                    "18446744073709551615", "18446744073709551616", "1e-320", "[]",
                                    "null", "99999999"}));
  }

  // --- runs ---

  Words permute(Words more) const {
    more.insert(more.begin(),
                {RIFFLE_PERMUTE_PROGRAM, "data.csv", "--group", "design.csv:group",
                 "--no-enumerate", "--replicates", "3000", "--batch", "256", "--threads", "1"});
    return more;
  }

  Run run(Words command, Environment environment = {}) {
    Run run;
    run.command = std::move(command);
    run.environment = std::move(environment);
    return start(std::move(run));
  }

  Run start(Run run) {
    follow(run, begin(run));
    return check(std::move(run));
  }

  Run check(Run run) {
    ++runs_;
    ++exit_codes_[run.death != 0 ? 128 + run.death : run.exit_code];
    expect(!run.hangs, "it does not end", run);
    bool const was_sent = run.death != 0 && (run.death == run.signal || is_killed_on_purpose(run));
    expect(run.death == 0 || was_sent, "a signal ended it", run);
    bool const is_interrupted = run.signal != 0 && run.exit_code == 128 + run.signal;
    bool const is_stopped = run.exit_code == 130;  // by --stop-after
    expect(was_sent || is_interrupted || is_stopped || (run.exit_code >= 0 && run.exit_code <= 2),
           "its exit code", run);
    auto const lines = std::count(run.errors.begin(), run.errors.end(), '\n');
    if (run.exit_code == 2) {
      expect(lines == 1 && run.out.empty(), "an error is not one line", run);
    }
    if (run.exit_code == 1) expect(lines >= 1, "it fails and does not say so", run);
    expect(!has_control_characters(run.errors) && !has_control_characters(run.out),
           "control characters", run);
    expect(run.errors.find("Sanitizer") == std::string::npos &&
               run.errors.find("runtime error") == std::string::npos &&
               run.errors.find("Backtrace") == std::string::npos,
           "a sanitizer or Kokkos speaks", run);
    return run;
  }

  static bool is_killed_on_purpose(Run const& run) {
    return run.death == SIGKILL && !run.hangs &&
           std::find(run.environment.begin(), run.environment.end(),
                     std::pair<std::string, std::string>("RIFFLE_FAIL_HOW", "kill")) !=
               run.environment.end();
  }

  static bool has_control_characters(std::string const& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      auto const byte = static_cast<unsigned char>(text[i]);
      if ((byte < 0x20 && byte != '\n') || byte == 0x7F) return true;
      if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
        return true;
      }
    }
    return false;
  }

  void expect(bool holds, std::string const& what, Run const& run) {
    if (holds) return;
    ++failures_;
    std::cout << "FAULT (" << kind_ << "): " << what << "; exit code " << run.exit_code
              << ", signal " << run.death << "\n ";
    for (auto const& [name, value] : run.environment) std::cout << ' ' << name << '=' << value;
    for (auto const& word : run.command) std::cout << " '" << word << "'";
    std::cout << "\n  " << run.errors << std::endl;
  }

  // Resumes from the file that the message names, and compares the table.
  void expect_that_counts_are_saved(Run const& failed, std::string const& table) {
    std::string const words = "counts are saved in ";
    auto const at = failed.errors.find(words);
    expect(at != std::string::npos, "it does not say where the counts are", failed);
    if (at == std::string::npos) return;
    auto const begin = at + words.size();
    auto const state = failed.errors.substr(begin, failed.errors.find(':', begin) - begin);
    auto command = failed.command;
    leave_out(command, {"--state", "--output", "--json", "--resume", "--stop-after"});
    command.insert(command.end(), {"--resume", state, "--output", "resumed.csv"});
    auto const resumed = run(command);
    expect(resumed.exit_code == 0 && read("resumed.csv") == table,
           "its counts do not lead to the table", failed);
    ++resumed_;
  }

  static void leave_out(Words& command, Words const& options) {
    for (auto const& option : options) {
      auto const at = std::find(command.begin(), command.end(), option);
      if (at != command.end()) command.erase(at, at + 2);
    }
  }

  // --- files ---

  void prepare() {
    kind_ = "preparation";
    run({RIFFLE_PERMUTE_PROGRAM, "--simulate", "8,12,5,2", "--output", "clean/data.csv", "--design",
         "clean/design.csv"});
    write("clean/pairs.csv", "x,y,g\n1.5,2,a\n2,2.5,a\n3,1,b\n4,6,b\n5,5.5,b\n7,1,a\n");
    clean();
    auto const once = run(permute({"--output", "once.csv"}));
    table_ = read("once.csv");
    auto const stopped = run(permute({"--state", "stopped.json", "--stop-after", "1000"}));
    state_ = read("stopped.json");
    if (once.exit_code != 0 || stopped.exit_code != 130 || table_.empty() || state_.empty()) {
      throw std::runtime_error("the programs do not work: " + once.errors + stopped.errors);
    }
    write("clean/stopped.json", state_);
    write("clean/victim", "not to be touched\n");
  }

  void clean() {
    for (auto const& entry : fs::directory_iterator(".")) {
      if (entry.path().filename() != "clean") fs::remove_all(entry.path());
    }
    fs::create_directory("tmp");
    for (auto const& entry : fs::directory_iterator("clean")) {
      fs::copy_file(entry.path(), entry.path().filename());
    }
    may_change_.clear();
  }

  void check_that_inputs_are_the_same() {
    for (auto const& entry : fs::directory_iterator("clean")) {
      auto const name = entry.path().filename();
      if (name == may_change_) continue;
      if (read(name) == read(entry.path())) continue;
      ++failures_;
      std::cout << "FAULT (" << kind_ << "): " << name << " has changed" << std::endl;
    }
  }

  // --- kinds of faults ---

  void mutated_state() {
    may_change_ = "stopped.json";
    auto const state = mutated(state_);
    write("stopped.json", state);
    auto const resumed = run(permute({"--resume", "stopped.json", "--output", "table.csv"}));
    bool const is_right = resumed.exit_code == 0 && read("table.csv") == table_;
    expect(is_right || (resumed.exit_code == 2 && !fs::exists("table.csv")), "a mutated state",
           resumed);
    expect(state == state_ || resumed.exit_code == 2, "a mutated state is believed", resumed);
    expect(read("stopped.json") == state, "a state was changed", resumed);
  }

  void mutated_data() {
    std::string const file = pick<std::string>({"data.csv", "design.csv", "pairs.csv"});
    may_change_ = file;
    auto const text = mutated(read(file));
    write(file, text);
    Words const of_pairs{RIFFLE_PERMUTATION_TEST_PROGRAM, "pairs.csv", "--replicates", "100",
                         "--kokkos-num-threads=1"};
    Words command = permute({"--output", "table.csv"});
    if (file == "pairs.csv") {
      command = of_pairs;
      auto const more =
          pick<Words>({{"--x", "x", "--y", "y"},
                       {"--value", "x", "--group", "g"},
                       {"--value", "x", "--group", "g", "--statistic", "f", "--json"}});
      command.insert(command.end(), more.begin(), more.end());
    }
    if (coin()) command.emplace_back("--skip-missing");
    auto const finished = run(command);
    expect(finished.exit_code == 0 || finished.exit_code == 2, "mutated data", finished);
    expect(finished.exit_code == 0 || !fs::exists("table.csv"), "a table of bad data", finished);
    expect(read(file) == text, "data were changed", finished);
  }

  // Another name of the same file.
  std::string alias_of(std::string const& name) {
    std::string const alias = "alias-" + std::to_string(below(1000));
    switch (below(5)) {
      case 0: return "./" + name;
      case 1: return "tmp/../" + name;
      case 2: return (folder_ / name).string();
      case 3: fs::create_symlink(name, alias); return alias;
      default:
        if (!fs::exists(name)) return name;
        fs::create_hard_link(name, alias);
        return alias;
    }
  }

  void equal_files() {
    auto const input = pick<std::string>({"data.csv", "design.csv", "stopped.json", "new.csv"});
    auto const alias = alias_of(input);
    Words command;
    if (input == "new.csv") {
      auto const second = pick<std::string>({"--json", "--state"});
      command =
          coin() ? permute({"--output", "new.csv", second, alias}) : Words{RIFFLE_PERMUTE_PROGRAM,
                                                                           "--simulate",
                                                                           "3,6,1,0",
                                                                           "--output",
                                                                           "new.csv",
                                                                           "--design",
                                                                           alias};
    } else {
      auto const option = pick<std::string>({"--output", "--json"});
      command = permute({"--resume", "stopped.json", option, alias});
    }
    auto const rejected = run(command);
    expect(rejected.exit_code == 2, "one file of two names", rejected);
    expect(!fs::exists("new.csv"), "a file is left by a check", rejected);
  }

  void odd_places() {
    write("file", "a file\n");
    write("old.csv", "old\n");
    chmod("old.csv", 0640);
    fs::create_symlink("old.csv", "link.csv");
    fs::create_symlink("missing.csv", "dangling.csv");
    fs::create_symlink("loop.csv", "loop.csv");
    struct Odd {
      std::string name;
      int exit_code;
      std::string target;  // of the table
    };
    auto const odd = pick<Odd>({{"none/t.csv", 2, ""},
                                {"file/t.csv", 2, ""},
                                {"tmp", 2, ""},
                                {"new/", 2, ""},
                                {"loop.csv", 2, ""},
                                {"/dev/full", 1, ""},
                                {"/dev/null", 0, ""},
                                {"link.csv", 0, "old.csv"},
                                {"dangling.csv", 0, "missing.csv"},
                                {"old.csv", 0, "old.csv"}});
    auto const option = pick<std::string>({"--output", "--state", "--json"});
    auto command = permute({option, odd.name});
    if (option != "--output") command.insert(command.end(), {"--output", "table.csv"});
    if (option != "--json") command.insert(command.end(), {"--json", "results.json"});
    auto const finished = run(command);
    expect(finished.exit_code == odd.exit_code, "a place of odd kind", finished);
    expect(fs::is_symlink("dangling.csv") && fs::is_symlink("link.csv"), "a link is gone",
           finished);
    if (odd.exit_code == 2) {
      expect(!fs::exists("table.csv") && !fs::exists("results.json"), "written at once", finished);
      return;
    }
    if (option != "--output")
      expect(read("table.csv") == table_, "another result is lost", finished);
    if (option != "--json")
      expect(!read("results.json").empty(), "another result is lost", finished);
    if (!odd.target.empty()) {
      expect(!read(odd.target).empty() && read(odd.target) != "old\n", "not written", finished);
      if (option == "--output") expect(read(odd.target) == table_, "another table", finished);
    }
    struct stat status {};
    expect(stat("old.csv", &status) == 0 && (status.st_mode & 07777U) == 0640, "its mode",
           finished);
    if (odd.exit_code == 1) expect_that_counts_are_saved(finished, table_);
  }

  // A default file name is a link to another file, or is the state of another run.
  void existing_files() {
    for (auto const* name : {"table.csv.state.json", "riffle_permute.state.json"}) {
      if (coin()) {
        fs::create_symlink("victim", name);
      } else {
        fs::create_hard_link("victim", name);
      }
    }
    auto const of_full_disk = run(permute({"--output", "table.csv", "--json", "/dev/full"}));
    expect(of_full_disk.exit_code == 1 && read("table.csv") == table_, "a full disk", of_full_disk);
    expect_that_counts_are_saved(of_full_disk, table_);
    auto const stopped = run(permute({"--stop-after", "500", "--output", "table.csv"}));
    expect(stopped.exit_code == 130, "it does not stop", stopped);
    expect_that_counts_are_saved(stopped, table_);
  }

  void failing_calls() {
    auto const how = pick<std::string>({"once", "once", "on", "short", "kill"});
    auto const code = pick<int>({ENOSPC, EIO, EACCES, EDQUOT, EROFS});
    bool const is_stopped = below(4) == 0;
    write("table.csv", "old\n");
    auto command = permute({"--output", "table.csv", "--json", "results.json"});
    if (coin()) command.insert(command.end(), {"--state", "state.json"});
    if (is_stopped) command.insert(command.end(), {"--stop-after", "1000"});
    auto const finished = run(command, {{"LD_PRELOAD", RIFFLE_FAILING_CALLS},
                                        {"RIFFLE_FAIL_AT", std::to_string(1 + below(25))},
                                        {"RIFFLE_FAIL_HOW", how},
                                        {"RIFFLE_FAIL_WITH", std::to_string(code)}});
    auto const table = read("table.csv");
    expect(table == "old\n" || table == table_, "a table is torn", finished);
    bool const works = finished.exit_code == 0 || finished.exit_code == 130;
    expect(how != "short" || works, "a write of a part is taken for a failure", finished);
    if (finished.exit_code == 0) expect(table == table_, "another table", finished);
    for (auto const* state : {"state.json", "table.csv.state.json"}) {
      if (!fs::exists(state)) continue;
      auto const resumed = run(permute({"--resume", state, "--output", "resumed.csv"}));
      expect(resumed.exit_code == 2 || read("resumed.csv") == table_, "a torn state", resumed);
    }
    bool const is_lost = finished.errors.find("and are lost") != std::string::npos;
    expect(!is_lost || how == "on", "counts are lost by one failure", finished);
    if ((finished.exit_code == 1 && !is_lost) || finished.exit_code == 130) {
      expect_that_counts_are_saved(finished, table_);
    }
    if (finished.death != 0) return;
    for (auto const& entry : fs::directory_iterator(".")) {
      auto const name = entry.path().filename().string();
      expect(name.rfind(".riffle-", 0) != 0, "a temporary file is left", finished);
    }
  }

  void full_standard_output() {
    if (!fs::exists("/dev/full")) return;
    Run run;
    run.output = "/dev/full";
    run.command = permute({"--output", "table.csv"});
    if (coin()) {
      run.command = {RIFFLE_PERMUTATION_TEST_PROGRAM, "pairs.csv", "--x", "x", "--y", "y"};
      expect(start(run).exit_code == 1, "a full standard output", run);
      return;
    }
    auto const finished = start(run);
    expect(finished.exit_code == 1 && read("table.csv") == table_, "a full output", finished);
    expect_that_counts_are_saved(finished, table_);
  }

  void signals() {
    Run run;
    run.command = permute({"--output", "table.csv"});
    run.command[6] = "60000";
    if (long_table_.empty()) {
      auto const whole = start(run);
      long_table_ = read("table.csv");
      expect(whole.exit_code == 0, "a longer run", whole);
      fs::remove("table.csv");
    }
    run.signal = pick<int>({SIGINT, SIGTERM, SIGHUP, SIGKILL});
    run.delay_in_ms = static_cast<int>(below(250));
    auto const finished = start(run);
    auto const table = read("table.csv");
    expect(table.empty() || table == long_table_, "a table is torn", finished);
    expect(finished.exit_code != 0 || table == long_table_, "no table", finished);
    if (finished.exit_code > 2) expect_that_counts_are_saved(finished, long_table_);
  }

  // Two runs write the same file; the counts of both must be saved.
  void two_at_once() {
    std::array<Run, 2> runs;
    std::array<pid_t, 2> children{};
    for (std::size_t i = 0; i < 2; ++i) {
      runs[i].command = permute({"--output", "table.csv", "--json", "/dev/full"});
      runs[i].output += std::to_string(i);
      runs[i].error_file += std::to_string(i);
      children[i] = begin(runs[i]);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      follow(runs[i], children[i]);
      runs[i] = check(std::move(runs[i]));
    }
    expect(runs[0].errors != runs[1].errors, "two save counts to one file", runs[0]);
    for (auto const& each : runs) {
      expect(each.exit_code == 1 && read("table.csv") == table_, "two at once", each);
      expect_that_counts_are_saved(each, table_);
    }
  }

  void values_of_options() {
    auto const number = pick<std::string>({"0", "-1", "513", "20000", "4294967297", "1e3", "2x",
                                           "99999999999999999999", "", " 2", "0x2", "2.0"});
    Words command{RIFFLE_PERMUTATION_TEST_PROGRAM,
                  "pairs.csv",
                  "--x",
                  "x",
                  "--y",
                  "y",
                  "--replicates",
                  "100"};
    Environment environment;
    switch (below(6)) {
      case 0:
        command = permute({});
        command.back() = number;
        break;
      case 1: command.push_back("--kokkos-num-threads=" + number); break;
      case 2: environment.emplace_back("KOKKOS_NUM_THREADS", number); break;
      case 3:
        environment.emplace_back("OMP_NUM_THREADS", pick<std::string>({"513", "20000", "2,600"}));
        break;
      case 4:
        command.push_back(pick<std::string>(
            {"--kokkos-none", "--kokkos-device-id=q", "--kokkos-map-device-id-by=x",
             "--kokkos-print-configuration=maybe", "--kokkos-num-threads", "--kokkos-device-id="}));
        break;
      default:
        command = permute(
            {pick<std::string>({"--output", "--state", "--resume", "--json", "--plot", "--design"}),
             ""});
    }
    auto const rejected = run(command, environment);
    expect(rejected.exit_code == 2, "a value that is none", rejected);
  }

  void names_with_control_characters() {
    auto const odd = pick<std::string>({"\x1B[31mred\x1B[0m", "a\x07", "b\x7F",
                                        "\xC2\x9B"
                                        "31m",
                                        "\xFF\xFE", "tab\tbed", "\rback"});
    std::string const quoted = "\"" + odd + "\"";
    std::string const file = coin() ? "odd" + odd + ".csv" : "odd.csv";
    write(file,
          "x,y," + quoted + "\n1,2," + quoted + "\n2,4," + quoted + "\n3,1,b\n4,6,b\n5,5,b\n");
    Words command{RIFFLE_PERMUTATION_TEST_PROGRAM, file, "--kokkos-num-threads=1"};
    auto const more = pick<Words>({{"--value", "x", "--group", odd},
                                   {"--value", "x", "--group", odd, "--json"},
                                   {"--value", "x", "--group", "none"},
                                   {"--value", odd, "--group", "x"},
                                   {"--x", "x", "--y", "y", "--" + odd},
                                   {"--x", "x", "--y", "y", "--seed", odd}});
    command.insert(command.end(), more.begin(), more.end());
    run(command);
    write("odd_data.csv", "s,v" + odd.substr(0, 1) + "\n" + "1,1\n2,5\n3,2\n4,7\n");
    write("odd_design.csv", "s," + quoted + "\n1," + quoted + "\n2," + quoted + "\n3,u\n4,u\n");
    run({RIFFLE_PERMUTE_PROGRAM, "odd_data.csv", "--observations-in-rows", "--design",
         "odd_design.csv", "--by", odd, "--threads", "1", "--json", "odd" + odd + ".json"});
  }

  std::mt19937_64 random_;
  fs::path folder_;
  std::string kind_;
  std::string table_;
  std::string long_table_;
  std::string state_;
  fs::path may_change_;
  std::uint64_t runs_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t resumed_ = 0;
  std::map<int, std::uint64_t> exit_codes_;

  struct Kind {
    char const* name;
    void (Fuzzer::*run)();
    int times;  // per round
  };
  std::vector<Kind> const kinds_{
      {"mutated state", &Fuzzer::mutated_state, 4},
      {"mutated data", &Fuzzer::mutated_data, 4},
      {"equal files", &Fuzzer::equal_files, 1},
      {"odd places", &Fuzzer::odd_places, 1},
      {"existing files", &Fuzzer::existing_files, 1},
      {"failing calls", &Fuzzer::failing_calls, 2},
      {"full standard output", &Fuzzer::full_standard_output, 1},
      {"signals", &Fuzzer::signals, 1},
      {"two at once", &Fuzzer::two_at_once, 1},
      {"values of options", &Fuzzer::values_of_options, 1},
      {"names with control characters", &Fuzzer::names_with_control_characters, 1},
  };
};

std::uint64_t number(char const* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
  try {
    std::uint64_t const seed = argc > 1 ? number(argv[1]) : 1;
    std::uint64_t const rounds = argc > 2 ? number(argv[2]) : 12;
    Fuzzer fuzzer(seed);
    for (std::uint64_t i = 0; i < rounds; ++i) fuzzer.round();
    return fuzzer.report(rounds);
  } catch (std::exception const& error) {
    std::cout << "fuzz_programs: " << error.what() << '\n';
    return 1;
  }
}
