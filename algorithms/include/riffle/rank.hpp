#pragma once

// Ranks, by every rule for ties.
//
//   rank/rank.hpp                   sorted data, in one pass
//   rank/rank_unsorted.hpp          data in any order, as scipy.stats.rankdata
//   rank/rank_groups.hpp            sorted data in groups: ranks within each
//   rank/rank_unsorted_groups.hpp   the groups' data in any order
//   rank/rank_rows.hpp              sorted rows or columns of a matrix
//   rank/rank_unsorted_rows.hpp     the rows' or columns' data in any order
//   rank/rank_and_count_ties.hpp    ranks, and the ties by which rank tests are corrected
//   rank/tie_statistics.hpp         the ties alone
//   rank/ties.hpp, rank/rank_options.hpp, rank/ranking_methods.hpp   rules, options, and the algorithm by name
// The other algorithms of the paper are in riffle/published/competition_ranking/.

#include <riffle/rank/rank.hpp>
#include <riffle/rank/rank_and_count_ties.hpp>
#include <riffle/rank/rank_groups.hpp>
#include <riffle/rank/rank_options.hpp>
#include <riffle/rank/rank_rows.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/rank/rank_unsorted_groups.hpp>
#include <riffle/rank/rank_unsorted_rows.hpp>
#include <riffle/rank/ranking_methods.hpp>
#include <riffle/rank/tie_statistics.hpp>
#include <riffle/rank/ties.hpp>
