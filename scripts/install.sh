#!/usr/bin/env bash
# Installs the Debian packages of scripts/packages.<list> that are missing: install.sh run test.
# Silent when nothing is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

wanted=()
for list in "$@"; do
  mapfile -t -O "${#wanted[@]}" wanted < "packages.$list"
done

if ! command -v dpkg-query > /dev/null; then
  echo "This is no Debian; these packages must be here already: ${wanted[*]}" >&2
  exit 0
fi

# A package also counts when another one provides it, as some builds of nodejs do npm.
declare -A present=()
while read -r state names; do
  [[ $state == ii* ]] || continue
  for name in ${names//,/ }; do
    present[$name]=1
  done
done < <(dpkg-query -W -f='${db:Status-Abbrev} ${Package}, ${Provides}\n')

missing=()
for package in "${wanted[@]}"; do
  [[ -n ${present[$package]:-} ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo > /dev/null; then
    echo "Missing packages; as root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]}"
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" < /dev/null
}

# Debian starts a database cluster with the first PostgreSQL it installs. Nobody here asked for one.
no_cluster=/etc/postgresql-common/createcluster.d/callboard.conf
if [[ " ${missing[*]} " == *" postgresql-15 "* ]]; then
  "${as_root[@]}" mkdir -p "${no_cluster%/*}"
  echo 'create_main_cluster = false' | "${as_root[@]}" tee "$no_cluster" > /dev/null
  trap '"${as_root[@]}" rm -f "$no_cluster"; "${as_root[@]}" rmdir --ignore-fail-on-non-empty "${no_cluster%/*}"' EXIT
fi

apt update
apt install -y --no-install-recommends "${missing[@]}" > /dev/null
