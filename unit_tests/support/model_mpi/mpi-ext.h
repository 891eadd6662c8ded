#pragma once

// The model's MPI says nothing of GPUs. This is found in place of the one of an MPI that is installed.
