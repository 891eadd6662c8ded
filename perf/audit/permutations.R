#!/usr/bin/env Rscript
# Writes permutations by R's sample, for `perf_quality audit` and tools/audit.
#
#     permutations.R list
#     permutations.R write GENERATOR N --samples K --seed S   K permutations, drawn one after the other from seed S
#     permutations.R write GENERATOR N --seeds FILE           the first permutation of each seed in FILE
#     permutations.R write GENERATOR N                        the first one of the state in which R starts
#
# Permutations of 0, ..., N - 1 go to standard output as unsigned integers of 32 bits, the least significant byte first. If
# R refuses a seed of a file, all bits of this permutation are 1.

words <- commandArgs(trailingOnly = TRUE)

option <- function(name, default) {
  at <- match(name, words)
  if (is.na(at)) default else words[at + 1]
}

if (words[1] == "list") {
  cat(paste("sample (CPU)", paste("R", getRversion()), "CPU", sep = "\t"), "\n", sep = "")
  quit()
}
out <- pipe("cat", "wb")
n <- as.integer(words[3])
draw <- function() writeBin(sample.int(n) - 1L, out, size = 4, endian = "little")
seed <- option("--seed", NULL)
seeds <- option("--seeds", NULL)
if (!is.null(seeds)) {
  for (seed in readLines(seeds)) {
    accepted <- tryCatch({
      set.seed(as.numeric(seed))
      TRUE
    }, error = function(e) FALSE, warning = function(w) FALSE)
    if (accepted) draw() else writeBin(rep(-1L, n), out, size = 4)
  }
} else {
  if (!is.null(seed)) set.seed(as.numeric(seed))
  for (r in seq_len(as.integer(option("--samples", "1")))) draw()
}
close(out)
