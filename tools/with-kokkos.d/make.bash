# shellcheck shell=bash
# Makes the root.

check_space() {
  local free_mb
  free_mb=$(df --block-size=1M --output=avail -- "$cache" | tail -n 1)
  ((free_mb >= space_needed_mb)) ||
    fail "$cache has ${free_mb// /} MB free, $space_needed_mb MB are needed: make room, or set XDG_CACHE_HOME"
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

need_mmdebstrap() {
  local missing=()
  have mmdebstrap || missing+=(mmdebstrap)
  [[ -n $(debian_keyring) ]] || missing+=(debian-archive-keyring)
  ((${#missing[@]})) || return 0
  have apt-get ||
    fail "there is neither mmdebstrap nor apt-get, so no Debian root can be made: use a Debian machine, $elsewhere"
  say "installing ${missing[*]} with apt-get"
  if ! apt_install "${missing[@]}" >"$log" 2>&1 </dev/null; then
    # The package lists are missing or old.
    { apt-get update && apt_install "${missing[@]}"; } >"$log" 2>&1 </dev/null ||
      fail_with_log "apt's sources" "apt-get cannot install ${missing[*]}: install by hand, $elsewhere"
  fi
}

debian_keyring() {
  local file
  for file in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
    [[ ! -e $file ]] || { echo "$file" && return; }
  done
}

# Prints the cause if the log shows one (no space, or the mirror could not be reached), otherwise the message.
fail_with_log() {
  local source=$1 message=$2
  tail -n 8 "$log" | sed 's/^/  | /' >&2
  if grep -q 'No space left on device' "$log"; then
    fail "the disk of $cache is full: make room, or set XDG_CACHE_HOME; the log is $log"
  elif grep -qE 'Failed to fetch|Could not (connect|resolve|handshake)|Temporary failure' "$log"; then
    fail "cannot fetch from $source: check network and proxy; the log is $log"
  else
    fail "$message; the log is $log"
  fi
}

# mmdebstrap has its own mount and process namespaces, which end with this script, even if it is killed.
run_mmdebstrap() {
  local target=$1 sources=() transport=() name
  for name in "${suites[@]}"; do sources+=("deb $mirror $name $components"); done
  mapfile -t transport < <(apt_transport_options)
  (
    umask 022
    exec setpriv --pdeathsig KILL \
      unshare --mount --propagation private --pid --mount-proc --fork --kill-child -- \
      mmdebstrap "${recipe[@]}" "${transport[@]/#/--aptopt=}" --keyring="$(debian_keyring)" \
      "${suites[0]}" "$target" "${sources[@]}"
  ) >"$log" 2>&1 </dev/null &
  maker=$!
  # Bash runs its traps during a wait, but not during a command in the foreground.
  wait "$maker"
}

# If this script is interrupted, mmdebstrap is ended first, and then the partial root is removed.
abandon() {
  local partial=$1 children=''
  if [[ -n ${maker:-} ]] && kill -0 "$maker" 2>/dev/null; then
    read -r children <"/proc/$maker/task/$maker/children" || true
    # shellcheck disable=SC2086 # a list of process ids
    kill -KILL ${children:-$maker} || true
    wait "$maker" || true
  fi
  remove_tree "$partial"
}

# Whether anything is mounted at or below a path. rm's --one-file-system does not protect bind mounts.
holds_mount() {
  local path=$1
  path=${path//\\/\\134}
  path=${path// /\\040}
  cut -d ' ' -f 2 /proc/self/mounts | grep -F -- "$path" >/dev/null
}

remove_tree() {
  ! holds_mount "$1" || { say "something is mounted in $1: it stays" && return; }
  rm -rf --one-file-system -- "$1"
}

# This process holds the lock, so no other process is making a root of this kind.
remove_partial_roots() {
  local old
  for old in "$cache/$kind"-*.partial.*; do
    [[ ! -d $old ]] || remove_tree "$old"
  done
}

# Removes roots of earlier recipes, except those in which a command runs, which holds a lock on its root.
remove_old_roots() {
  local old handle
  for old in "$cache/$kind"-*; do
    [[ -d $old && $old != "$root" ]] || continue
    exec {handle}<"$old"
    if flock --nonblock "$handle"; then
      mv -T -- "$old" "$old.partial.$$" && remove_tree "$old.partial.$$"
    fi
    exec {handle}<&-
  done
}

# apt's messages if packages do not exist, or need others that do not exist.
lacks_package() {
  grep -qE "Unable to locate package|has no installation candidate|unmet dependencies|Unable to satisfy dependencies" "$1"
}

fail_to_make() {
  if [[ $kind == cuda_debian ]] && lacks_debian_toolkit "$log"; then
    local none="this machine has no nvcc $oldest_nvcc or later, and $mirror has no package $debian_toolkit"
    say "$none (of Debian's non-free archive): name a toolkit by RIFFLE_CUDA_TOOLKIT, or a mirror by RIFFLE_DEBIAN_MIRROR"
    exit 4
  elif [[ $kind == hip ]] && lacks_package "$log"; then
    tail -n 8 "$log" | sed 's/^/  | /' >&2
    local dated=https://snapshot.debian.org/archive/debian/YYYYMMDDT000000Z
    say "Debian's sid on $mirror lacks a package of the flavour hip at present: sid changes daily, so try again on another \
day, or name a dated archive ($dated) by RIFFLE_DEBIAN_MIRROR; the log is $log"
    exit 4
  fi
  fail_with_log "$mirror (RIFFLE_DEBIAN_MIRROR can name another)" "mmdebstrap cannot make the root"
}

make_root() {
  local partial=$root.partial.$$
  log=$cache/$kind.log
  need_mmdebstrap
  find_mirror
  remove_partial_roots
  check_space
  say "making the '$kind' root from $mirror, once, in $time_needed (log: $log)"
  # shellcheck disable=SC2064 # the name as it is now
  trap "abandon $(printf %q "$partial")" EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  run_mmdebstrap "$partial" || fail_to_make
  sync --file-system "$partial"
  mv -T -- "$partial" "$root"
  trap - EXIT INT TERM HUP
  remove_old_roots
  say "made $root in $SECONDS s"
}

# Only one process makes a root at a time. A second one waits, and then finds the finished root.
ensure_root() {
  [[ ! -d $root ]] || return 0
  local handle
  mkdir -p -- "$cache" 2>/dev/null ||
    fail "cannot make the folder $cache: set XDG_CACHE_HOME to a folder that can be written"
  exec {handle}>"$cache/$kind.lock"
  flock --nonblock "$handle" || { say "waiting for another process that makes this root" && flock "$handle"; }
  [[ -d $root ]] || make_root
  exec {handle}>&-
}

# Holds a shared lock on the root, through exec and until COMMAND's last process ends. If the root is removed between the
# check and the lock, it is made again.
hold_root() {
  local handle
  while true; do
    ensure_root
    exec {handle}<"$root" && flock --shared "$handle"
    [[ ! /dev/fd/$handle -ef $root ]] || return 0
    exec {handle}<&-
  done
}
