# shellcheck shell=bash
# Where the CUDA compiler of the flavour `cuda` is from: the machine's toolkit, or Debian's.

readonly oldest_nvcc=12.4
readonly debian_toolkit=nvidia-cuda-toolkit

# Debian's toolkit is compiled with, and never linked: the libraries are three quarters of it.
readonly without_cuda_libraries=(
  --dpkgopt=path-exclude=/usr/lib/\*/lib{cublas,cufft,cupti,curand,cusolver,cusparse,npp,nvblas,nvjpeg}\*
)

nvcc_version() {
  "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p'
}

is_new_enough() {
  [[ -n $1 && $(printf '%s\n' "$oldest_nvcc" "$1" | sort --version-sort | head -n 1) == "$oldest_nvcc" ]]
}

# Prints the folder of a toolkit with all links resolved, if what it holds is whole: a distribution's own nvcc in
# /usr/bin has its headers elsewhere, and cannot be taken along.
usable_toolkit() {
  local nvcc
  nvcc=$(realpath --canonicalize-existing --quiet -- "$1/bin/nvcc") || return 1
  local folder=${nvcc%/bin/nvcc}
  [[ $folder != /usr && -e $folder/include/cuda_runtime.h && -d $folder/nvvm ]] || return 1
  is_new_enough "$(nvcc_version "$nvcc")" || return 1
  echo "$folder"
}

toolkits_of_machine() {
  local nvcc
  nvcc=$(realpath --quiet -- "$(command -v nvcc)") && echo "${nvcc%/bin/nvcc}"
  printf '%s\n' "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda
}

# Sets toolkit: a folder of this machine, or nothing where Debian's toolkit is to be installed in the root.
find_toolkit() {
  local candidate wanted=${RIFFLE_CUDA_TOOLKIT:-}
  toolkit=''
  if [[ $wanted == debian ]]; then
    return
  elif [[ -n $wanted ]]; then
    toolkit=$(usable_toolkit "$wanted") ||
      fail "RIFFLE_CUDA_TOOLKIT=$wanted is no whole CUDA toolkit with nvcc $oldest_nvcc or later: name another, or debian"
    return
  fi
  while read -r candidate; do
    [[ -z $candidate ]] || ! toolkit=$(usable_toolkit "$candidate") || return 0
  done < <(toolkits_of_machine)
}

# A mirror may hold Debian's main archive alone.
lacks_debian_toolkit() {
  grep -qE "Unable to locate package $debian_toolkit|'?$debian_toolkit'? has no installation candidate" "$1" ||
    grep -qE 'Failed to fetch .*/(contrib|non-free)/.* 404' "$1"
}
