# shellcheck shell=bash
# Runs the command.

# The path of the machine's CUDA toolkit in the root.
readonly toolkit_in_root=/usr/local/cuda

# The only folder whose files are deleted when COMMAND ends.
readonly cache_of_command=/var/cache

# Sets `environment`: variables for builds and runs, without those that point to the machine's compilers.
read_environment() {
  local name
  environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
    HOME=/nonexistent XDG_CACHE_HOME="$cache_of_command"
    # By default, git refuses a checkout that belongs to another user.
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory "GIT_CONFIG_VALUE_0=$checkout")
  for name in $(compgen -e); do
    case $name in
      CMAKE_*_PATH | CMAKE_*_COMPILER | CMAKE_*_LAUNCHER | CMAKE_TOOLCHAIN_FILE) ;;
      OMP_* | KOKKOS_* | RIFFLE_* | CMAKE_* | CTEST_* | GTEST_* | BENCHMARK_* | [A-Z]*SAN_OPTIONS | \
        CI | CXXFLAGS | LDFLAGS | NINJA_STATUS | VERBOSE | SOURCE_DATE_EPOCH | \
        TERM | COLORTERM | COLUMNS | CLICOLOR | CLICOLOR_FORCE | NO_COLOR)
        environment+=("$name=${!name}")
        ;;
    esac
  done
  [[ $flavour != hip ]] || environment+=(CXX=hipcc)
  [[ $flavour != cuda ]] || environment+=(CUDAHOSTCXX="/usr/bin/$cuda_host_compiler")
  [[ -z $toolkit ]] || environment+=("CUDACXX=$toolkit_in_root/bin/nvcc")
}

# Runs in its own mount namespace, whose mounts end with its last process. The root is read-only, so that it stays as the
# recipe made it, and COMMAND cannot write files that would be lost: it writes only to folders of the machine. Caches are the
# exception, because programs need a folder for them.
enter_root() {
  local root=$1 checkout=$2 folder=$3 start=$4 user=$5 caches=$6 toolkit=$7 toolkit_in_root=$8 name
  shift 8
  mount --bind "$root" "$root"
  mount --rbind /tmp "$root/tmp"
  mount -t tmpfs -o mode=1777 tmpfs "$root$caches"
  (umask 022 && mkdir -p -- "$root$checkout" ${folder:+"$root$folder"} ${toolkit:+"$root$toolkit_in_root"})
  mount -o remount,bind,ro "$root"
  if [[ -n $toolkit ]]; then
    mount --bind "$toolkit" "$root$toolkit_in_root"
    mount -o remount,bind,ro "$root$toolkit_in_root"
  fi
  for name in proc sys dev; do mount --rbind "/$name" "$root/$name"; done
  mount --rbind "$checkout" "$root$checkout"
  [[ -z $folder ]] || mount --rbind "$folder" "$root$folder"
  exec chroot ${user:+"--userspec=$user"} "$root" /usr/bin/env --ignore-environment --chdir="$start" "$@"
}

# Prints user:group for COMMAND, or nothing for root. If root owns the checkout, COMMAND runs as root, also under sudo.
command_user() {
  [[ -z ${SUDO_UID:-} || -O $checkout ]] || echo "$SUDO_UID:${SUDO_GID:-$SUDO_UID}"
}

# COMMAND must run in the folder of the caller, or a relative path such as in `cmake -B build` would mean another folder.
start_folder() {
  local current
  current=$(pwd -P)
  case $current/ in
    "$checkout"/* | "${folder:-$checkout}"/* | /tmp/*) echo "$current" ;;
    *) fail "the current folder $current is neither in the checkout nor in /tmp: name it by --folder" ;;
  esac
}

run_in_root() {
  local start
  start=$(start_folder)
  exec unshare --mount --propagation private -- \
    bash -euc "$(declare -f enter_root)"$'\n''enter_root "$@"' with-kokkos \
    "$root" "$checkout" "$folder" "$start" "$(command_user)" \
    "$cache_of_command" "$toolkit" "$toolkit_in_root" "${environment[@]}" "$@"
}
