# shellcheck shell=bash
# What a root is made of.

readonly suite=trixie
readonly packages=(g++ cmake ninja-build git gnuplot-nox
  libgtest-dev libbenchmark-dev libcli11-dev nlohmann-json3-dev libcsv-dev zlib1g-dev libboost-dev libeigen3-dev)

# For riffle::mpi: in the default flavour 53 MB; and one of version 4, whose calls count in 64 bits.
readonly mpi=(libopenmpi-dev openmpi-bin)
readonly mpi_of_version_4=(libmpich-dev mpich)

# From sid and experimental comes what is asked for by name, and else only what trixie lacks. (Debian's experimental
# goes by the code name rc-buggy.)
readonly pins='Package: *
Pin: release n=sid
Pin-Priority: 50

Package: *
Pin: release n=rc-buggy
Pin-Priority: 40'

# libkokkos-dev's CMake package names two archives that it does not ship, and that hold nothing elsewhere either.
# shellcheck disable=SC2016 # mmdebstrap's shell expands $1
readonly add_empty_archives='chroot "$1" sh -euc "cd /usr/lib/*/cmake/Kokkos/../..
  for name in algorithms simd; do [ -e libkokkos\$name.a ] || ar rc libkokkos\$name.a; done"'

# shellcheck disable=SC2016 # mmdebstrap's shell expands $1
readonly write_pins='mkdir -p "$1/etc/apt/preferences.d" && echo "'$pins'" >"$1/etc/apt/preferences.d/riffle"'

readonly mmdebstrap_options=(
  --variant=minbase --mode=root --format=directory
  # A mirror that follows sid slowly, or not at all, still serves signed files: their age is no reason to refuse them.
  --aptopt='Acquire::Check-Valid-Until "false"'
  --aptopt='Acquire::Languages "none"'
  --aptopt='APT::Install-Recommends "false"'
  # A root cut short by a power failure is not used, so dpkg need not sync after every file.
  --dpkgopt=force-unsafe-io
  --dpkgopt=path-exclude=/usr/share/man/\*
  --dpkgopt=path-exclude=/usr/share/doc/\*
  --dpkgopt=path-exclude=/usr/share/locale/\*
  --setup-hook="$write_pins"
)

# The oldest compilers that Riffle promises to be compiled by. Debian's last release had the clang, whose libraries of g++ 12
# would be that release's, too, and not fit the compiler.
readonly oldest_compilers=({g++-12,gcc-12-base,libgcc-12-dev,libobjc-12-dev,libstdc++-12-dev}/trixie
  {clang-16,libomp-16-dev}/bookworm)

# Another compiler than g++, and its sanitizers.
readonly clang=(clang-19 {libomp,libclang-rt}-19-dev)

# nvcc takes no g++ that is newer than itself; all that Riffle knows take this one.
readonly cuda_host_compiler=g++-13

# Sets suites, components and recipe: all that decides what a root of this flavour holds, but for the mirror's state
# that day. Sets kind, too, the name that its roots share: two kinds are kept beside each other, two recipes are not.
read_recipe() {
  local include=("${packages[@]}")
  kind=$flavour
  suites=("$suite" sid)
  components=main
  recipe=("${mmdebstrap_options[@]}")
  case $flavour in
    openmp) take_kokkos "${mpi[@]}" ;;
    mpich) take_kokkos "${mpi_of_version_4[@]}" ;;
    clang) take_kokkos "${mpi[@]}" "${clang[@]}" ;;
    compilers)
      suites+=(bookworm)
      take_kokkos "${oldest_compilers[@]}"
      ;;
    cuda)
      include+=(libkokkos-dev/sid "$cuda_host_compiler")
      # Its whole text, so that a root belongs to the configuration that it was given.
      recipe+=(--customize-hook="$(<"$parts/configure-cuda")")
      find_toolkit
      [[ -n $toolkit ]] || take_toolkit_from_debian
      ;;
    kernels)
      suites+=(experimental)
      # trixie's trilinos-dev would do for apt, but Kokkos Kernels' CMake package needs files of experimental's.
      include+=({trilinos-dev,libtrilinos-kokkos-dev,libtrilinos-kokkos-kernels-dev}/experimental)
      include+=(liblapack-dev libblas-dev)
      ;;
    *) usage_error "no flavour '$flavour': openmp, mpich, kernels, clang, compilers and cuda are known" ;;
  esac
  recipe+=(--include="$(IFS=, && echo "${include[*]}")")
}

# take_kokkos PACKAGE...: Debian's Kokkos, and these. In read_recipe, whose variables it changes.
take_kokkos() {
  include+=(libkokkos-dev/sid "$@")
  recipe+=(--customize-hook="$add_empty_archives")
}

# In read_recipe, whose variables it changes.
take_toolkit_from_debian() {
  kind=cuda_debian
  components='main contrib non-free'
  include+=("$debian_toolkit")
  recipe+=("${without_cuda_libraries[@]}")
  space_needed_mb=8000
  time_needed='some minutes and 2 GB of downloads'
}

root_name() {
  local sum
  sum=$(printf '%s\n' "$(uname -m)" "${suites[@]}" "${recipe[@]}" | sha256sum)
  echo "$kind-${sum:0:12}"
}
