# shellcheck shell=bash
# What this machine must have.

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

# A checkout under a folder that the root needs itself could not be mounted at its own path.
check_checkout() {
  case $checkout/ in
    / | /bin/* | /boot/* | /dev/* | /etc/* | /lib*/* | /proc/* | /run/* | /sbin/* | /sys/* | /usr/*)
      fail "the checkout lies in the system folder $checkout: move it elsewhere, below /home or /opt for example"
      ;;
  esac
}

check_mount_point() {
  local point=$root$checkout
  # Through a symbolic link of the root, say /var/run, the mount point would be made on the machine instead.
  [[ $(realpath --canonicalize-missing -- "$point") == "$point" ]] ||
    fail "the checkout's path $checkout runs through a symbolic link of Debian's: move it elsewhere"
  # Folders alone are mount points of checkouts below this one.
  [[ ! -e $point || -z $(find "$point" ! -type d -print -quit) ]] ||
    fail "the checkout's path $checkout is a system folder of Debian's: move it elsewhere"
}
