#pragma once

namespace riffle {

/// Which replicates count as at least as extreme as the observed one; one whose statistic is NaN always does.
enum class Alternative { less, greater, two_sided };

}  // namespace riffle
