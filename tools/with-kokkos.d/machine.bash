# shellcheck shell=bash
# Checks what this machine needs.

check_machine() {
  [[ $(uname -s) == Linux ]] ||
    fail "needs Linux, this is $(uname -s): run it in a Debian virtual machine, $elsewhere"
  [[ $(id -u) == 0 ]] ||
    fail "needs the rights of root (it mounts and calls chroot): prefix it with sudo, $elsewhere"
  local tool
  for tool in unshare mount flock setpriv chroot; do
    have "$tool" || fail "there is no '$tool': install util-linux, mount and coreutils, $elsewhere"
  done
  unshare --mount true 2>/dev/null ||
    fail "may not make a mount namespace: in a container, start that with --privileged, $elsewhere"
}

# check_place WHAT PATH: fails for a path inside a folder that belongs to the root, where it could not be mounted.
check_place() {
  case $2/ in
    / | /bin/* | /boot/* | /dev/* | /etc/* | /lib*/* | /proc/* | /run/* | /sbin/* | /sys/* | /usr/*)
      fail "$1 lies in the system folder $2: move it elsewhere, below /home or /opt for example"
      ;;
  esac
}

# check_mount_point WHAT PATH
check_mount_point() {
  local point=$root$2
  # Through a symbolic link of the root, such as /var/run, the mount point would be made on the machine instead.
  [[ $(realpath --canonicalize-missing -- "$point") == "$point" ]] ||
    fail "$1: its path $2 runs through a symbolic link of Debian's: move it elsewhere"
  # An existing path may hold only folders, made as mount points of paths below it. Paths in /tmp need no mount: /tmp is shared.
  [[ $2/ != /tmp/* ]] || return 0
  [[ ! -e $point || -z $(find "$point" ! -type d -print -quit) ]] ||
    fail "$1: its path $2 is a system folder of Debian's: move it elsewhere"
}
