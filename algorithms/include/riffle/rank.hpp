#pragma once

// Ranks of data, by each of the common rules for ties.
//
//   rank/rank.hpp                   sorted data
//   rank/rank_unsorted.hpp          data in any order; scipy.stats.rankdata
//   rank/rank_groups.hpp            sorted data in groups: ranks within each group
//   rank/rank_unsorted_groups.hpp   groups of data in any order
//   rank/rank_rows.hpp              sorted rows or columns of a matrix
//   rank/rank_unsorted_rows.hpp     rows or columns in any order
//   rank/rank_and_count_ties.hpp    ranks, and the counts of ties that rank tests need
//   rank/tie_statistics.hpp         the counts of ties alone
//   rank/ties.hpp                   the rules for ties
//   rank/rank_options.hpp           options
//   rank/ranking_methods.hpp        the default algorithm, as a type that calls accept
// riffle/published/competition_ranking/ has the other algorithms of Liang et al.

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
