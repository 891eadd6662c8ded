#pragma once

// The ranks that take part in a call, and how data is sent from one rank to another.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(RIFFLE_ENABLE_NCCL)
#include <nccl.h>
#endif

#include <riffle/errors.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>

namespace riffle::mpi {

/// How data is sent from one rank's memory to another rank's memory.
enum class Transport {
  automatic,  ///< direct if MPI can read the memory of the Views, otherwise staged
  direct,  ///< addresses of the data are passed to MPI: of host memory, or of a GPU if MPI is GPU-aware
  staged,  ///< through host memory, which is pinned if Kokkos has a pinned memory space
  nccl,    ///< with NCCL, from GPU to GPU
};

/// How a Communicator transfers data. The options must be equal on all ranks.
struct TransferOptions {
  Transport transport = Transport::automatic;

  /// The maximum number of bytes that a rank sends in one round; at the end of a round the rank
  /// waits for these messages. A round sends at least one byte to each other rank. Staged transfers
  /// need twice this number of bytes in host memory. BucketShuffle packs its data in up to four
  /// batches of min(max_round_bytes, 512 MiB); a batch is packed while the previous batch is being
  /// sent. A message of more than 2^31 - 1 bytes needs MPI 4; with an older MPI it is sent in more
  /// rounds.
  std::size_t max_round_bytes = std::size_t{1} << 30;

#if defined(RIFFLE_ENABLE_NCCL)
  /// An NCCL communicator that contains the same ranks in the same order, for Transport::nccl. It
  /// must outlive this object.
  ncclComm_t nccl = nullptr;
#endif
};

}  // namespace riffle::mpi

namespace riffle::detail::mpi {

// With NCCL, TransferOptions has one more member. Therefore some sources of a program must not be
// compiled with NCCL and others without. The following declaration makes the linker reject such a
// program. monte_carlo/detail/variables/products.hpp does the same for Kokkos Kernels.
#if defined(RIFFLE_ENABLE_NCCL)
[[gnu::used]] inline thread_local char const all_parts_define_riffle_enable_nccl_or_none_does = 0;
#else
[[gnu::used]] inline char const all_parts_define_riffle_enable_nccl_or_none_does = 0;
#endif

}  // namespace riffle::detail::mpi

namespace riffle::mpi {

/// The ranks that take part in a call. The object holds a duplicate of an MPI_Comm, so that
/// Riffle's messages and the caller's messages cannot be confused. Errors of MPI are thrown as
/// std::runtime_error. Movable, not copyable.
///
/// All functions of riffle::mpi are collective: every rank calls the same functions in the same
/// order, with instances of the same back end, from the thread that may call MPI
/// (MPI_THREAD_FUNNELED suffices). If a rank finds an invalid argument, all ranks throw the same
/// exception, whose text names that rank. A View on another GPU than the instance is an invalid
/// argument, too (std::invalid_argument).
class Communicator {
 public:
  /// Collective over `comm`, which is an intracommunicator and is not changed. Throws
  /// std::invalid_argument if `comm` is null, if MPI is not initialised, or if the options differ
  /// between ranks.
  explicit Communicator(MPI_Comm comm, TransferOptions const& options = {}) : options_(options) {
    check_comm(comm);
    detail::mpi::check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    try {
      set_up();
    } catch (...) {
      free();  // the destructor does not run for an object whose constructor throws
      throw;
    }
  }

  /// Collective. Call it before MPI_Finalize; after MPI_Finalize it does nothing.
  ~Communicator() { free(); }

  Communicator(Communicator&& other) noexcept
      : comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
        rank_(other.rank_),
        size_(other.size_),
        options_(other.options_) {}

  Communicator& operator=(Communicator&& other) noexcept {
    if (this == &other) return *this;
    free();
    comm_ = std::exchange(other.comm_, MPI_COMM_NULL);
    rank_ = other.rank_;
    size_ = other.size_;
    options_ = other.options_;
    return *this;
  }

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// The duplicate of the caller's communicator.
  MPI_Comm get() const { return comm_; }

  TransferOptions const& options() const { return options_; }

 private:
  static constexpr char const* function = "mpi::Communicator";

  static void check_comm(MPI_Comm comm) {
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);
    detail::check(is_initialized != 0, function, "MPI is not initialised: call MPI_Init first");
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    detail::check(is_finalized == 0, function, "MPI is finalised already");
    detail::check(comm != MPI_COMM_NULL, function, "comm is MPI_COMM_NULL");
    int is_inter = 0;
    detail::mpi::check_mpi(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
    detail::check(is_inter == 0, function, "comm is an intercommunicator: must be of one group");
  }

  void set_up() {
    using detail::mpi::check_mpi;
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    auto const check_options = [&] {
      detail::check(options_.max_round_bytes > 0, function,
                    "options.max_round_bytes = 0: must be positive");
#if defined(RIFFLE_ENABLE_NCCL)
      detail::check(options_.transport != Transport::nccl || options_.nccl != nullptr, function,
                    "options.nccl is null: Transport::nccl needs a communicator of NCCL");
#else
      detail::check(options_.transport != Transport::nccl, function,
                    "options.transport = nccl: this was compiled without RIFFLE_ENABLE_NCCL");
#endif
    };
    detail::mpi::run_collectively(
        *this, function, check_options,
        {{"options.transport", static_cast<std::uint64_t>(options_.transport)},
         {"options.max_round_bytes", options_.max_round_bytes}});
  }

  void free() noexcept {
    if (comm_ == MPI_COMM_NULL) return;
    int is_finalized = 0;
    if (MPI_Finalized(&is_finalized) == MPI_SUCCESS && is_finalized == 0) MPI_Comm_free(&comm_);
    comm_ = MPI_COMM_NULL;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  TransferOptions options_;
};

/// The indices first, ..., first + count - 1.
struct BlockRange {
  std::uint64_t first;
  std::uint64_t count;
};

/// Divides n elements among P = `ranks` ranks, in blocks whose sizes differ by at most one. Returns
/// the elements that `rank` owns: floor(n rank / P), ..., floor(n (rank + 1) / P) - 1.
inline BlockRange block_of(std::uint64_t n, int rank, int ranks) {
  detail::check(ranks > 0, "mpi::block_of", "ranks = ", ranks, ": must be positive");
  detail::check(0 <= rank && rank < ranks, "mpi::block_of", "rank = ", rank,
                ": must be at least 0 and less than ranks = ", ranks);
  auto const size = static_cast<std::uint64_t>(ranks);
  // Computes floor(n r / P) without the product n r, which could overflow.
  auto const first = [&](std::uint64_t r) { return n / size * r + n % size * r / size; };
  auto const r = static_cast<std::uint64_t>(rank);
  return {first(r), first(r + 1) - first(r)};
}

}  // namespace riffle::mpi
