# shellcheck shell=bash
# Finds the mirror of the packages.

# The address of Debian's main archive; security, updates and backports are not used.
mirror_of_apt() {
  local origin label release component uri
  while IFS='|' read -r origin label release component uri; do
    if [[ $origin == Debian && $label == Debian && $component == main && $release != *[-/]* ]]; then
      echo "${uri%/}"
      return
    fi
  done < <(
    # shellcheck disable=SC2016 # apt-get's placeholders
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(RELEASE)|$(COMPONENT)|$(REPO_URI)' 'Created-By: Packages'
  )
}

# Sets `mirror`. apt lists its archives only after `apt-get update`, which container images often have not run.
find_mirror() {
  mirror=${RIFFLE_DEBIAN_MIRROR:-$(mirror_of_apt)}
  [[ -z $mirror ]] || return 0
  apt-get update >"$log" 2>&1 </dev/null || true
  mirror=$(mirror_of_apt)
  [[ -n $mirror ]] ||
    fail_with_log "apt's sources" "apt knows no mirror of Debian's main archive: set RIFFLE_DEBIAN_MIRROR, $elsewhere"
}

# apt options of this machine for the mirror, such as proxies and date checks; mmdebstrap does not read them itself.
apt_transport_options() {
  apt-config dump --no-empty --format='%F "%v"%n' \
    Acquire::http Acquire::https Acquire::Retries Acquire::Check-Date
}
