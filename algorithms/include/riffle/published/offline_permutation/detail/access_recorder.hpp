#pragma once

// Records how processors that run in lockstep access memory with banks. Used by
// model_processors.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/published/offline_permutation/memory_machine.hpp>

namespace riffle::detail {

/// Records the accesses of each step, and counts rounds, bank conflicts and races. One thread runs
/// all processors one after the other, so the accesses of a step are recorded processor by
/// processor.
class AccessRecorder {
 public:
  /// Identifies a matrix by the index of its first cell, which is a multiple of the number of rows,
  /// and its number of columns.
  struct Cells {
    std::size_t first;
    std::uint32_t columns;
  };

  explicit AccessRecorder(std::uint32_t rows) : rows_(rows), busy_(rows) {}

  std::uint64_t time() const { return time_; }
  std::uint64_t steps() const { return step_; }
  std::uint64_t conflicts() const { return conflicts_; }
  std::uint64_t races() const { return races_; }

  void run_on(DiscreteMemoryMachine& machine) { machine_ = &machine; }
  void add_cells(std::size_t count) { last_access_.resize(last_access_.size() + count); }

  void begin_step() {
    ++step_;
    rounds_ = 0;
  }
  void begin_processor(std::uint32_t processor) {
    current_ = processor;
    clock_ = 0;
  }
  void end_step() {
    time_ += rounds_;
    if (machine_ != nullptr) run_rounds();
  }

  /// Records that the current processor accesses a cell in its next round.
  void access(Cells const& matrix, std::uint32_t row, std::uint32_t column, bool writes) {
    auto& busy = busy_[row];
    std::uint32_t const round = clock_++;
    rounds_ = std::max(rounds_, clock_);
    if (round >= busy.size()) busy.resize(2 * std::size_t{round} + 64);
    if (busy[round] == step_) ++conflicts_;
    busy[round] = step_;
    // Stored row by row, because most processors access cells in this order.
    note(last_access_[matrix.first + std::size_t{row} * matrix.columns + column], writes);
    if (machine_ != nullptr) {
      recorded_.push_back(
          {round, current_, matrix.first + std::size_t{column} * rows_ + row, writes});
    }
  }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static constexpr std::uint32_t several = nobody - 1;

  /// The processors that read and wrote a cell in the last step that accessed it.
  struct LastAccess {
    std::uint64_t step = 0;
    std::uint32_t reader = nobody;
    std::uint32_t writer = nobody;
  };

  struct Recorded {
    std::uint32_t round;
    std::uint32_t processor;
    std::uint64_t cell;
    bool writes;
  };

  void note(LastAccess& last, bool writes) {
    if (last.step != step_) last = {step_, nobody, nobody};
    bool const written_by_another = last.writer != nobody && last.writer != current_;
    bool const read_by_another = last.reader != nobody && last.reader != current_;
    if (written_by_another || (writes && read_by_another)) ++races_;
    if (writes) {
      last.writer = current_;
    } else {
      last.reader = read_by_another ? several : current_;
    }
  }

  void run_rounds() {
    std::vector<std::vector<std::uint64_t>> cells(rounds_,
                                                  std::vector<std::uint64_t>(rows_, no_address));
    std::vector<bool> writes(rounds_);
    for (auto const& access : recorded_) {
      cells[access.round][access.processor] = access.cell;
      writes[access.round] = writes[access.round] || access.writes;
    }
    for (std::size_t round = 0; round < rounds_; ++round) {
      auto const cell = [&](std::uint64_t processor) { return cells[round][processor]; };
      writes[round] ? machine_->write(rows_, cell) : machine_->read(rows_, cell);
    }
    recorded_.clear();
  }

  std::uint32_t rows_;
  std::uint32_t current_ = 0;
  std::uint32_t clock_ = 0;
  std::uint32_t rounds_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t races_ = 0;
  /// busy_[bank][k] is the last step in which the bank was accessed in round k.
  std::vector<std::vector<std::uint64_t>> busy_;
  std::vector<LastAccess> last_access_;
  DiscreteMemoryMachine* machine_ = nullptr;
  std::vector<Recorded> recorded_;
};

}  // namespace riffle::detail
