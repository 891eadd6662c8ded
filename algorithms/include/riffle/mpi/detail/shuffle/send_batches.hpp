#pragma once

// Packs what a rank has for the others, and sends it: batch by batch, where there are several, each packed while the one
// before it is under way.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <utility>

#include <riffle/context.hpp>
#include <riffle/mpi/detail/exchange.hpp>
#include <riffle/mpi/detail/shuffle/batches.hpp>
#include <riffle/mpi/detail/shuffle/receives.hpp>
#include <riffle/mpi/detail/shuffle/sends.hpp>

namespace riffle::detail::mpi {

/// Two arrays of as many bytes, of which one is read and the other written.
struct TwoBuffers {
  std::byte* front;
  std::byte* back;

  void swap() { std::swap(front, back); }
};

/// What a rank sends and receives of one View's rows.
template <class Exec, class Leaves>
struct Batches {
  Sends<Exec, Leaves> const& sends;
  Receives<Exec> const& receives;
  Exchange<Exec> const& exchange;
  TwoBuffers buffers;  // what arrives, and what is sent

  int count() const { return sends.shares().batches(); }

  void send(Context<Exec> const& context, int batch) const {
    exchange.run_part(context, sends.shares().part(batch), receives.shares().part(batch),
                      buffers.back, buffers.front);
  }
};

/// All rows, which are packed into `rows`. Of several batches, kernels of `beside` pack the next while the instance
/// of `context` sends one.
template <class Exec, class Leaves, class In, class Rows>
void send_batches(Context<Exec> const& context, Exec const& beside,
                  Batches<Exec, Leaves> const& batches, In const& in, Rows const& rows) {
  int const count = batches.count();
  if (count == 1) {
    batches.sends.pack(context, 0, in, rows);
    batches.exchange.run(context, batches.buffers.back, batches.buffers.front, OwnShare::is_there);
    return;
  }
  Context<Exec> const packing(beside, context.label());
  context.exec().fence("riffle::mpi: rows are ready to be packed");
  for (int next = 0; next <= count; ++next) {
    // An exchange that is enqueued gets its processors before kernels that take all. One that the host waits for leaves
    // the device to them.
    bool const sends_first = batches.exchange.is_enqueued();
    if (next > 0 && sends_first) batches.send(context, next - 1);
    if (next < count) batches.sends.pack(packing, next, in, rows);
    if (next > 0 && !sends_first) batches.send(context, next - 1);
    beside.fence("riffle::mpi: rows are packed");
  }
}

}  // namespace riffle::detail::mpi
