# shellcheck shell=bash
# Chooses the CUDA toolkit of the flavour `cuda`: the machine's or Debian's.

readonly oldest_nvcc=12.4
readonly debian_toolkit=nvidia-cuda-toolkit

# Only the compiler and headers of Debian's toolkit are installed; its libraries are three quarters of its size.
readonly without_cuda_libraries=(
  --dpkgopt=path-exclude=/usr/lib/\*/lib{cublas,cufft,cupti,curand,cusolver,cusparse,npp,nvblas,nvjpeg}\*
)

nvcc_version() {
  "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p'
}

is_new_enough() {
  [[ -n $1 && $(printf '%s\n' "$oldest_nvcc" "$1" | sort --version-sort | head -n 1) == "$oldest_nvcc" ]]
}

# Prints the folder of a toolkit with all links resolved, if the toolkit is complete. A distribution's nvcc in /usr/bin is
# not, because its headers are elsewhere, and it cannot be mounted in the root.
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

# Sets `toolkit` to a folder of this machine, or to nothing if Debian's toolkit must be installed in the root.
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

# A mirror may have only Debian's main archive.
lacks_debian_toolkit() {
  grep -qE "Unable to locate package $debian_toolkit|'?$debian_toolkit'? has no installation candidate" "$1" ||
    grep -qE 'Failed to fetch .*/(contrib|non-free)/.* 404' "$1"
}
