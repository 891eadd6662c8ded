# shellcheck shell=bash
# The packages and settings of a root.

readonly suite=trixie
readonly packages=(g++ cmake ninja-build git gnuplot-nox
  libgtest-dev libbenchmark-dev libcli11-dev nlohmann-json3-dev libcsv-dev zlib1g-dev libboost-dev libeigen3-dev)

# For riffle::mpi: Open MPI, and MPICH, whose MPI 4 functions have 64-bit counts.
readonly mpi=(libopenmpi-dev openmpi-bin)
readonly mpi_of_version_4=(libmpich-dev mpich)

# Packages come from sid and experimental only if they are requested by name, or if trixie lacks them. (The code name of
# Debian's experimental is rc-buggy.)
readonly pins='Package: *
Pin: release n=sid
Pin-Priority: 50

Package: *
Pin: release n=rc-buggy
Pin-Priority: 40'

# libkokkos-dev's CMake package names two archives that it does not ship; they are empty in other builds, too.
# shellcheck disable=SC2016 # mmdebstrap's shell expands $1
readonly add_empty_archives='chroot "$1" sh -euc "cd /usr/lib/*/cmake/Kokkos/../..
  for name in algorithms simd; do [ -e libkokkos\$name.a ] || ar rc libkokkos\$name.a; done"'

# shellcheck disable=SC2016 # mmdebstrap's shell expands $1
readonly write_pins='mkdir -p "$1/etc/apt/preferences.d" && echo "'$pins'" >"$1/etc/apt/preferences.d/riffle"'

readonly mmdebstrap_options=(
  --variant=minbase --mode=root --format=directory
  # A mirror that is not up to date still serves signed files, so their age is ignored.
  --aptopt='Acquire::Check-Valid-Until "false"'
  --aptopt='Acquire::Languages "none"'
  --aptopt='APT::Install-Recommends "false"'
  # A partial root is never used, so dpkg need not sync after every file.
  --dpkgopt=force-unsafe-io
  --dpkgopt=path-exclude=/usr/share/man/\*
  --dpkgopt=path-exclude=/usr/share/doc/\*
  --dpkgopt=path-exclude=/usr/share/locale/\*
  --setup-hook="$write_pins"
)

# The oldest compilers that Riffle supports. Only bookworm has clang 16. The packages of g++ 12 are pinned to trixie, because
# bookworm's libraries would not match trixie's compiler.
readonly oldest_compilers=({g++-12,gcc-12-base,libgcc-12-dev,libobjc-12-dev,libstdc++-12-dev}/trixie
  {clang-16,libomp-16-dev}/bookworm)

# clang and its sanitizers.
readonly clang=(clang-19 {libomp,libclang-rt}-19-dev)

# clang for AMD GPUs, the headers of HIP and hipCUB, and what compiling Riffle's public calls needs. All come from sid, because
# trixie's HIP 5.7 is too old for Kokkos 5.2.
readonly hip=(cmake ninja-build hipcc g++ lib{amdhip64,hipcub,rocprim,kokkos,boost,eigen3}-dev)

# nvcc does not support a g++ that is newer than itself; every supported nvcc accepts this one.
readonly cuda_host_compiler=g++-13

# Sets `suites`, `components` and `recipe`, which determine the content of a root of this flavour, except for the state of the
# mirror. Sets `kind`, too, the common name of its roots: roots of different kinds are kept, but only one recipe per kind.
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
      # The whole text of the script is part of the recipe, so that a change of the configuration makes a new root.
      recipe+=(--customize-hook="backend=cuda"$'\n'"$(<"$parts/configure-gpu")")
      find_toolkit
      [[ -n $toolkit ]] || take_toolkit_from_debian
      ;;
    hip)
      suites=(sid)
      include=("${hip[@]}")
      recipe+=(--customize-hook="backend=hip"$'\n'"$(<"$parts/configure-gpu")")
      ;;
    kernels)
      suites+=(experimental)
      # apt would accept trixie's trilinos-dev, but Kokkos Kernels' CMake package needs files of the one in experimental.
      include+=({trilinos-dev,libtrilinos-kokkos-dev,libtrilinos-kokkos-kernels-dev}/experimental)
      include+=(liblapack-dev libblas-dev)
      ;;
    *) usage_error "no flavour '$flavour': openmp, mpich, kernels, clang, compilers, cuda and hip are known" ;;
  esac
  recipe+=(--include="$(IFS=, && echo "${include[*]}")")
}

# take_kokkos PACKAGE...: adds Debian's Kokkos and these packages. Changes variables of read_recipe, its caller.
take_kokkos() {
  include+=(libkokkos-dev/sid "$@")
  recipe+=(--customize-hook="$add_empty_archives")
}

# Changes variables of read_recipe, its caller.
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
