#include "output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <future>

#include "input_error.hpp"
#include "program.hpp"

namespace example::output_file_test {

using example_test::read_file;
using example_test::TemporaryFolder;

namespace fs = std::filesystem;

std::size_t files_in(TemporaryFolder const& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path("")), {}));
}

std::string error_of_output(std::string const& file) {
  try {
    check_output("--output", file);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

bool are_rejected(std::vector<NamedFile> const& inputs, std::vector<NamedFile> const& outputs) {
  try {
    check_files(inputs, outputs);
  } catch (InputError const&) {
    return true;
  }
  return false;
}

TEST(OutputFile, checks_neither_create_nor_open_files) {
  TemporaryFolder const folder;
  EXPECT_EQ(error_of_output(folder.path("new.csv")), "");
  EXPECT_EQ(files_in(folder), 0U);
  fs::create_symlink("nowhere", folder.path("link.csv"));
  EXPECT_EQ(error_of_output(folder.path("link.csv")), "");
  EXPECT_TRUE(fs::is_symlink(folder.path("link.csv")));
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  // Opening the pipe would wait here, and the reader would then see an end of file.
  int const reader = open(folder.path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(error_of_output(folder.path("pipe")), "");
  close(reader);
}

TEST(OutputFile, paths_that_cannot_be_written) {
  TemporaryFolder const folder;
  auto const file = folder.write("file", "");
  fs::create_symlink("loop", folder.path("loop"));
  for (auto const& [place, words] :
       {std::pair{folder.path("none/x"), "No such file or directory"},
        std::pair{file + "/x", "Not a directory"}, std::pair{folder.path(""), "Is a directory"},
        std::pair{folder.path("new/"), "Is a directory"},
        std::pair{folder.path("loop"), "Too many levels of symbolic links"},
        std::pair{std::string(), "a file name is required"}}) {
    EXPECT_NE(error_of_output(place).find(words), std::string::npos)
        << place << ": " << error_of_output(place);
  }
  if (geteuid() == 0) return;  // root may write anywhere
  chmod(folder.path("").c_str(), 0500);
  EXPECT_NE(error_of_output(file).find("does not permit a new file"), std::string::npos);
  chmod(folder.path("").c_str(), 0700);
}

TEST(OutputFile, one_file_of_many_names) {
  TemporaryFolder const folder;
  auto const data = folder.write("data.csv", "1\n");
  fs::create_directory(folder.path("sub"));
  fs::create_symlink(data, folder.path("link.csv"));
  fs::create_hard_link(data, folder.path("hard.csv"));
  fs::create_directory_symlink(folder.path(""), folder.path("sub/up"));
  for (auto const* name :
       {"data.csv", "./data.csv", "sub/../data.csv", "link.csv", "hard.csv", "sub/up/data.csv"}) {
    EXPECT_TRUE(are_rejected({{"FILE", data}}, {{"--output", folder.path(name)}})) << name;
  }
  EXPECT_FALSE(are_rejected({{"FILE", data}}, {{"--output", folder.path("other.csv")}}));
  // Neither of the two files exists yet.
  fs::create_symlink("new.csv", folder.path("to_new.csv"));
  for (auto const* name : {"new.csv", "sub/../new.csv", "sub/up/new.csv", "to_new.csv"}) {
    EXPECT_TRUE(
        are_rejected({}, {{"--output", folder.path("new.csv")}, {"--json", folder.path(name)}}))
        << name;
  }
  EXPECT_FALSE(are_rejected({}, {{"--output", "/dev/null"}, {"--json", "/dev/null"}}));
  EXPECT_FALSE(are_rejected({}, {{"--output", ""}, {"--json", ""}}));
  // A resumed run may save to the file that it resumes.
  EXPECT_FALSE(are_rejected({{"--resume", data}}, {{"--state", data}}));
  EXPECT_TRUE(are_rejected({{"--resume", data}}, {{"--output", data}}));
  EXPECT_TRUE(are_rejected({{"FILE", "-"}, {"--design", data}, {"--resume", "-"}}, {}));
  EXPECT_FALSE(are_rejected({{"FILE", data}, {"--design", data}, {"--resume", "-"}}, {}));
}

TEST(OutputFile, replaces_the_content_and_keeps_mode_and_links) {
  TemporaryFolder const folder;
  auto const file = folder.write("file.csv", "old");
  chmod(file.c_str(), 0640);
  fs::create_symlink("file.csv", folder.path("link.csv"));
  write_file(folder.path("link.csv"), "new");
  EXPECT_EQ(read_file(file), "new");
  EXPECT_TRUE(fs::is_symlink(folder.path("link.csv")));
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
  EXPECT_EQ(files_in(folder), 2U);

  fs::create_symlink("made.csv", folder.path("dangling.csv"));
  write_file(folder.path("dangling.csv"), "made");
  EXPECT_TRUE(fs::is_symlink(folder.path("dangling.csv")));
  EXPECT_EQ(read_file(folder.path("made.csv")), "made");
}

TEST(OutputFile, a_new_file_has_the_mode_of_the_mask) {
  TemporaryFolder const folder;
  mode_t const old = umask(027);
  write_file(folder.path("file.csv"), "new");
  umask(old);
  struct stat status {};
  ASSERT_EQ(stat(folder.path("file.csv").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST(OutputFile, a_name_as_long_as_names_can_be) {
  TemporaryFolder const folder;
  std::string const name(255, 'x');
  write_file(folder.path(name), "new");
  EXPECT_EQ(read_file(folder.path(name)), "new");
}

TEST(OutputFile, a_pipe_is_written_as_it_is) {
  TemporaryFolder const folder;
  auto const pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] { return read_file(pipe); });
  write_file(pipe, "text");
  EXPECT_EQ(reader.get(), "text");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(OutputFile, failures_leave_the_old_file) {
  TemporaryFolder const folder;
  EXPECT_THROW(write_file(folder.path("none/x"), "new"), OutputError);
  fs::create_directory(folder.path("folder"));
  EXPECT_THROW(write_file(folder.path("folder"), "new"), OutputError);
  EXPECT_EQ(files_in(folder), 1U);
  if (fs::exists("/dev/full")) {
    EXPECT_THROW(write_file("/dev/full", "new"), OutputError);
  }
}

TEST(OutputFile, a_new_name_where_one_is_taken) {
  TemporaryFolder const folder;
  auto const stem = folder.path("o.state");
  auto const victim = folder.write("victim", "old");
  fs::create_symlink("victim", stem + ".json");
  EXPECT_EQ(write_new_file(stem, ".json", "1"), stem + "-2.json");
  EXPECT_EQ(write_new_file(stem, ".json", "2"), stem + "-3.json");
  EXPECT_EQ(read_file(victim), "old");
  EXPECT_EQ(read_file(stem + "-2.json"), "1");
  EXPECT_THROW(write_new_file(folder.path("none/o"), ".json", "1"), OutputError);
}

}  // namespace example::output_file_test
