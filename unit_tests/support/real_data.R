# Writes data of R packages, and results of R, as CSV files to a folder, for tests (real_data.hpp):
#   Rscript --vanilla real_data.R FOLDER
# Packages that are not installed are left out. Debian: r-bioc-multtest (golub, GPL), r-cran-vegan (dune, varespec, GPL).

folder <- commandArgs(TRUE)[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
options(digits = 17)

# Other processes never see an incomplete file.
write <- function(table, name) {
  temporary <- tempfile(tmpdir = folder)
  write.csv(table, temporary, row.names = FALSE, quote = FALSE)
  file.rename(temporary, file.path(folder, name))
}
has <- function(package) suppressMessages(requireNamespace(package, quietly = TRUE))

if (has("multtest")) {
  data(golub, package = "multtest")
  samples <- sprintf("s%02d", seq_along(golub.cl))
  colnames(golub) <- samples
  write(data.frame(gene = sprintf("g%04d", 1:nrow(golub)), golub), "golub.csv")
  write(data.frame(sample = samples, class = golub.cl), "golub_design.csv")
}

if (has("vegan")) {
  data(dune, dune.env, varespec, varechem, package = "vegan")
  write(data.frame(site = rownames(dune), dune), "dune.csv")
  write(data.frame(site = rownames(dune), management = dune.env$Management), "dune_design.csv")
  tests <- lapply(dune, function(x) kruskal.test(x, dune.env$Management)$statistic)
  f <- lapply(dune, function(x) anova(lm(x ~ dune.env$Management))[1, "F value"])
  write(data.frame(species = names(dune), h = unlist(tests), f = unlist(f)), "dune_results.csv")
  write(data.frame(site = rownames(varespec), varespec), "varespec.csv")
  write(data.frame(site = rownames(varespec), ph = varechem$pH), "varespec_design.csv")
  write(data.frame(species = names(varespec),
                   rho = c(cor(varespec, varechem$pH, method = "spearman")),
                   r = c(cor(varespec, varechem$pH))), "varespec_results.csv")
}

# mt.maxT with random permutations; the species are in the order of the data.
if (has("multtest") && has("vegan")) {
  found <- multtest::mt.maxT(t(dune), as.integer(dune.env$Management) - 1, test = "f", B = 10000)
  found <- found[order(found$index), ]
  write(data.frame(species = names(dune), raw = found$rawp, adjusted = found$adjp), "dune_max_t.csv")
}
