#pragma once

// The model's MPI reports no support of GPUs. This header precedes the one of an installed MPI.
