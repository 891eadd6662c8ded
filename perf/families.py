"""The rows of perf/results that perf/behind compares, and the reasons why they are comparable.

A family is the rows of one program. The name of a row is an algorithm, such as `SortCopy`, and a problem, such as
`/ties/n:1048576`. Two rows of a file have the same problem if their names are equal after the algorithm, and they are comparable
if a Comparison names both algorithms. Add each new row of a benchmark here: perf/behind fails for unknown rows.
"""

import re
from dataclasses import dataclass, field
from typing import Callable, Optional


@dataclass(frozen=True)
class Comparison:
    """Algorithms that compute the same result."""

    own: tuple  # Riffle's default
    peers: tuple = ()  # alternatives from elsewhere
    named: tuple = ()  # algorithms of Riffle that must be chosen by name
    by_indices: tuple = ()  # gathers or scatters by stored indices; the computation of the indices is not timed
    reason: str = ""  # why these are comparable, if this is not obvious
    # Reasons why Riffle is slower, from perf/notes or docs/performance.md: {text in "FILE OTHER/PROBLEM": reason}.
    known: dict = field(default_factory=dict)
    # The algorithm of `named` that the default used for a problem, for files without a row of the default.
    default_of: Optional[Callable[[str], str]] = None


@dataclass(frozen=True)
class Family:
    files: tuple  # prefixes of its file names
    problem: str  # regular expression of the problem in a row name
    comparisons: tuple = ()
    alone: tuple = ()  # algorithms of Riffle without a measured peer
    limits: tuple = ()  # limits, or parts of limits
    published: tuple = ()  # algorithms of papers, kept for comparison; neither recommended nor peers


# Prefixes of the files of perf/results in which Riffle is not compared with others.
NOT_COMPARED = {
    "audit": "p-values of generators",
    "fewest_rounds": "rounds with which a generator passes its tests",
    "memory_machine": "time units of a machine on paper",
    "mpi_model": "messages and bytes that a model of ranks counts",
    "portable": "times of the portable forms of kernels, which no program uses",
    "rounds": "p-values against the number of rounds",
    "uniformity": "p-values of generators",
}

# The algorithm of riffle::DefaultShuffle at the commits of files without a row of it.
MIN_IN_BUCKETS = 2**23


def default_shuffle(rows):
    return "PermutationGather" if rows < MIN_IN_BUCKETS else "BucketShuffle"


def default_of_elements(problem):
    return default_shuffle(int(re.search(r"/n:(\d+)", problem)[1]))


def default_of_rows(problem):
    """The algorithm of the default for perf_shuffle_rows on a GPU, where all rows together have 2^31 bytes."""
    kind, bits, columns = re.match(r"/([a-z]+)(\d+).*/columns:(\d+)", problem).groups()
    return default_shuffle(2**31 // (int(bits) // 8 * int(columns)))


BY_NUMBER = "The default depends only on the number of elements; for 2^23 or more it is `BucketShuffle`"

SHUFFLE = Family(
    files=("shuffle",),
    problem=r"/n:\d+",
    comparisons=(
        Comparison(
            own=("Riffle",),
            peers=("CubSortShuffle", "DartThrowing", "MergeShuffle", "RaoSandelius", "SortShuffle", "StdShuffle",
                   "StdShuffle<SplitMix64>", "ThrustShuffleCopy"),
            named=("Bijective0<VariablePhilox>", "Bijective1<VariablePhilox>", "Bijective2<VariablePhilox>", "BucketShuffle",
                   "FisherYates", "PermutationGather"),
            by_indices=("Gather",),
            reason="All write a random permutation of the input to the output. The permutations differ, but serve the same purpose.",
            known={r"_xeon_.* Gather/n:8388609$": "The elements fit that machine's third-level cache"},
        ),
    ),
    limits=("Copy",),
    # Their permutations fail most tests of docs/uniformity.md, so they are not alternatives.
    published=("Bijective1<LinearCongruential>", "Bijective2<LinearCongruential>"),
)

SHUFFLE_ELEMENTS = Family(
    files=("shuffle_elements",),
    problem=r"<\w+>/n:\d+",
    comparisons=(
        Comparison(
            own=("Riffle",),
            named=("BucketShuffle", "PermutationGather"),
            by_indices=("Gather",),
            known={r" (BucketShuffle|PermutationGather)\b": BY_NUMBER},
            default_of=default_of_elements,
        ),
    ),
    alone=("BucketShuffle (in place)", "Riffle (in place)"),
    limits=("Copy",),
)

SHUFFLE_ROWS = Family(
    files=("shuffle_rows",),
    problem=r"/\w+(/left|/right)?/columns:\d+",
    comparisons=(
        Comparison(
            own=("Riffle",),
            named=("BucketShuffle", "PermutationGather"),
            by_indices=("Gather",),
            reason="The gather has one thread per row, as a user would write it.",
            known={r" (BucketShuffle|PermutationGather)\b": BY_NUMBER},
            default_of=default_of_rows,
        ),
    ),
)

SCAN = Family(
    files=("scan",),
    problem=r"<\w+>/n:\d+",
    comparisons=(
        Comparison(
            own=("InclusiveScan",),
            peers=("CubInclusiveSum", "KokkosInclusiveScan", "KokkosParallelScan", "StdInclusiveScan", "StdSequential",
                   "ThrustInclusiveScan"),
        ),
        Comparison(own=("ExclusiveScan",), peers=("CubExclusiveSum",)),
        Comparison(own=("InPlaceScan",), peers=("ParlayInPlaceScan",)),
    ),
    limits=("Copy",),
)

SORT = Family(
    files=("sort",),
    problem=r"(/[a-z]\w*)?/n:\d+",
    comparisons=(
        Comparison(
            own=("Sort", "SortCopy"),
            peers=("CubSortKeys", "KokkosSort", "ParlaySort", "StdSort", "StdSortPar"),
            reason="The time of in-place sorts includes a copy of the input, so all rows sort from one array to another.",
        ),
        Comparison(
            own=("SortByKey",),
            peers=("CubSortPairs", "KokkosSortByKey"),
            known={r"_h200 CubSortPairs/(ties|equal)": "Riffle moves 16 bytes per pair three times, for every input"},
        ),
        Comparison(
            own=("SortCopyFloat",),
            peers=("CubSortFloat",),
            known={
                r"n:2097152$": "Riffle uses samplesort up to this size; CUB's radix sort is faster if few digits differ",
                r"_h200 ": "Riffle calls CUB's sort with 64-bit indices, and ran two more kernels, which moved NaNs",
            },
        ),
        Comparison(
            own=("SortCopyInt32",),
            peers=("CubSortInt32",),
            known={r"_h200 ": "Riffle calls CUB's sort with 64-bit indices"},
        ),
        Comparison(
            own=("SortByComparison",),
            peers=("CubMergeSort",),
        ),
    ),
)

RANK = Family(
    files=("rank",),
    problem=r"/p:[\d.]+/n:\d+",
    comparisons=(
        Comparison(
            own=("Riffle",),
            peers=("CubScan", "Sequential", "SequentialBranchFree"),
            named=("HybridRanking", "NaivePrefixRanking", "PackedScanRanking", "SegmentSearchRanking"),
            reason="Competition ranks only, because the peers do not implement other rules for ties.",
        ),
    ),
    alone=("CompetitionAndTies", "Dense", "Fractional", "ModifiedCompetition", "Ordinal"),
    limits=("Copy",),
)

RANK_GROUPS = Family(
    files=("rank_groups",),
    problem=r"/size:\d+/n:\d+",
    alone=("Columns", "Groups", "Rows", "Segments"),
    limits=("Rank",),  # one group of all elements
)

RANK_UNSORTED = Family(
    files=("rank_unsorted",),
    problem=r"(/[a-z]\w*)?/n:\d+",
    comparisons=(
        Comparison(
            own=("Argsort",),
            peers=("CubSortPairs", "KokkosSortByKey"),
            reason="A sort of values with indices also computes their order. It is a part of a ranking, so not a peer of it.",
        ),
        Comparison(own=("Competition",), peers=("StdSort",)),
    ),
    alone=("Dense", "Fractional"),
)

PARTITION = Family(
    files=("partition",),
    problem=r"/labels:\d+/n:\d+",
    comparisons=(Comparison(own=("PartitionByLabel",), peers=("ArgsortCountsGather",)),),
)

PERMUTE = Family(
    files=("permute",),
    problem=r"(<\w+>)?/[\w-]+/side:\d+/n:\d+",
    comparisons=(
        Comparison(
            own=("Regular",),
            named=("Coloured", "Planned", "Scheduled"),
            by_indices=("DDesignated", "SDesignated"),
            reason="A permutation that has a formula can also be stored as indices or applied by a plan.",
        ),
    ),
    alone=("AnyPlan", "ColouredPlan", "Plan", "ScheduledInverse"),
    limits=("Copy",),
)

PERMUTE_REGULAR = Family(
    files=("permute_regular",),
    problem=r"/\w+/log_n:\d+",
    comparisons=(
        Comparison(
            own=("BitReversal",),
            named=("BitReversal/ByElements",),
            by_indices=("BitReversal/Gather", "BitReversal/Scatter"),
        ),
    ),
    alone=("BitReversalInPlace", "PerfectShuffle", "RandomAffine", "RandomBits", "Rectangle",
           "RectangleInPlace", "Transpose", "TransposeInPlace"),
    limits=("Copy",),
)

TEAM_SORT = Family(
    files=("team_sort",),
    problem=r"/(Random|Sorted|Reversed|Equal|Adversarial)/tile:\d+/n:\d+",
    comparisons=(
        Comparison(
            own=("TeamSort", "TeamSortScratch"),
            peers=("CubBlockMergeSort", "CubBlockRadixSort", "KokkosSortTeam", "StdSort"),
            reason="All sort tiles from one array to another, with or without scratch memory. The adversarial input is made for a "
                   "merge sort with the number of threads of the row, so it differs between rows.",
            known={
                r"_h200 Cub.*/tile:4352/": "A size between powers of two takes as long as the next power of two",
                r"_h200 Cub.*/tile:16384/": "Riffle sorts two halves and merges them, because this version of Kokkos limits scratch memory to 48 KiB per team",
            },
        ),
    ),
)

TEAM_MATRIX = Family(
    files=("team_matrix",),
    problem=r"/tile:\d+/n:\d+",
    comparisons=(
        Comparison(own=("TeamSort",), named=("MatrixShearsort", "MatrixSort"), reason="All use one warp, as the sorts of matrices do."),
    ),
    alone=("Partition", "Permute"),
)

PERMUTATION_TEST = Family(
    files=("permutation_test", "enumeration"),
    problem=r"(/[A-Z]\w*)?/n:\d+",
    comparisons=(
        Comparison(own=("DifferenceOfMeans",), peers=("KokkosPool", "OwnLoop")),
        Comparison(
            own=("Functor",),
            peers=("KokkosPool", "OwnLoop"),
            reason="Riffle's own statistics are not an alternative to a functor, which may compute any statistic.",
            known={r"_h200 ": "A point takes 16 to 24 rounds of some eight operations, a step of xorshift three",
                   r"_cpu .*/n:20$": "Making a permutation of 40 points and its tables takes as long as evaluating some hundred values"},
        ),
        Comparison(own=("PairedDifference",), peers=("KokkosPoolOfPairs", "OwnLoopOfPairs")),
        Comparison(own=("Enumerated",), peers=("OwnLoop",), reason="The same test with random arrangements computes a different p-value."),
    ),
    alone=("Random", "WelchT"),
    limits=("Limit", "LimitOfPairs"),
)

PERMUTATION_TESTS = Family(
    files=("permutation_tests",),
    problem=r"/n:\d+(/G:\d+)?",
    comparisons=(
        Comparison(own=("Count", "Tests"), peers=("OwnKernel", "Unfused"), reason="Their labels are drawn by Riffle."),
    ),
    limits=("Draw", "Limit"),
)

SMALL_CALLS = Family(
    files=("small_calls",),
    problem=r"/n:\d+",
    comparisons=(
        Comparison(own=("InclusiveScan",), peers=("CubInclusiveSum", "StdSequential")),
        Comparison(own=("SortCopy",), peers=("CubSortKeys", "StdSort")),
        Comparison(own=("ShuffleCopy",), peers=("CubSortShuffle", "StdShuffle", "ThrustShuffleCopy")),
        Comparison(own=("Rank",), peers=("CubScan", "Sequential", "SequentialBranchFree")),
    ),
    limits=("Launch",),
)

MPI = Family(
    files=("mpi",),
    problem=r"/[mn]:\d+",
    alone=("InclusiveScan", "PermutationTest", "PermutationTests", "PermutationTestsNoMaxima", "Permute",
           "PermuteInverse", "PlanPermutation", "RandomPermutation", "Rank", "RankUnsorted", "ShuffleCopy", "Sort", "SortByKey"),
    # Rows that are parts of limits, such as the function for one device on a rank's own elements.
    limits=("Exchange", "LocalGather", "LocalInclusiveScan", "LocalRandomPermutation", "LocalRank", "LocalRankUnsorted",
            "LocalShuffleCopy", "LocalSort", "LocalSortByKey", "Merge", "PermutationTestAlone", "PermutationTestsAlone",
            "PermutationTestsNoMaximaAlone", "PermutationTestsNoMaximaOneDevice", "PermutationTestsOneDevice"),
)

FAMILIES = (SHUFFLE, SHUFFLE_ELEMENTS, SHUFFLE_ROWS, SCAN, SORT, RANK, RANK_GROUPS, RANK_UNSORTED, PARTITION, PERMUTE,
            PERMUTE_REGULAR, TEAM_SORT, TEAM_MATRIX, PERMUTATION_TEST, PERMUTATION_TESTS, SMALL_CALLS, MPI)


def algorithms_of(family):
    """All algorithms of the family."""
    compared = [name for c in family.comparisons for names in (c.own, c.peers, c.named, c.by_indices) for name in names]
    return {*compared, *family.alone, *family.limits, *family.published}


class UnknownFile(Exception):
    pass


class UnknownRow(Exception):
    pass


def family_of(stem):
    """The family of a file by the longest matching prefix, or None if the file is not of a benchmark."""
    begins = {begin: family for family in FAMILIES for begin in family.files} | dict.fromkeys(NOT_COMPARED)
    fitting = [begin for begin in begins if stem == begin or stem.startswith(begin + "_")]
    if not fitting:
        raise UnknownFile(stem)
    return begins[max(fitting, key=len)]


def split_name(family, name):
    """The algorithm and the problem of a row."""
    fitting = [(algorithm, name[len(algorithm):]) for algorithm in algorithms_of(family) if name.startswith(algorithm)]
    fitting = [(algorithm, problem) for algorithm, problem in fitting if re.fullmatch(family.problem, problem)]
    if len(fitting) != 1:
        raise UnknownRow(name)
    return fitting[0]
