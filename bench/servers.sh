# shellcheck shell=bash disable=SC2034
# Servers and databases for measurements; read by the scripts beside it, which set `set -euo pipefail`.
# Everything started here ends with `clean_up`.

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
root=$(dirname "$here")
built=${CALLBOARD_BUILD:-$root/build/release}
work=$(mktemp -d "${TMPDIR:-/tmp}/callboard-bench.XXXXXX")
postgres=
postmaster=
server_options=()
declare -A server_port=()  # by process id

say() { echo "$*" >&2; }

# The measured programs; a folder configured with tests stays so.
build() {
  [[ -f $built/build.ninja ]] || (cd "$root" && cmake --preset release -D CALLBOARD_TESTS=OFF > /dev/null)
  cmake --build "$built" --target callboard bench_all >&2
}

# field NAME JSON: a number in a line of metrics
field() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" <<< "$2"; }

load() { "$built/bench_load" "$@"; }

start_postgres() {
  postgres=$("$root/scripts/private_postgres.sh" start)
  postmaster=$(head -n 1 "$postgres/data/postmaster.pid")
  database_server=$("$root/scripts/private_postgres.sh" url "$postgres")
  database_server=${database_server%/*}
}

sql() { psql -XqAt -v ON_ERROR_STOP=1 "$database_server/${2:-postgres}" -c "$1"; }

# fresh_store postgres|sqlite NAME: sets store_url. Dirty pages of earlier runs are written first, not during the next.
fresh_store() {
  if [[ $1 == sqlite ]]; then
    store_url=sqlite:$work/$2.db
  else
    sql "create database $2"
    sql checkpoint
    store_url=$database_server/$2
  fi
  sync -f "$work"
}

drop_store() {
  if [[ $1 == sqlite ]]; then
    rm -f "$work/$2.db"*
  else
    sql "drop database $2 with (force)"
  fi
}

free_port() {
  local port
  for _ in {1..50}; do
    port=$((10000 + RANDOM % 10000))
    if ! (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then
      echo "$port"
      return
    fi
  done
  say "no free port"
  return 1
}

# start_server STORE-URL: sets server, the process id; port; and ready, how long it took.
start_server() {
  local since
  port=$(free_port)
  since=$EPOCHREALTIME
  "$built/callboard" serve --http.port="$port" --store="$1" --log.level=warn "${server_options[@]}" \
    > "$work/server.$port.log" 2>&1 &
  server=$!
  server_port[$server]=$port
  if ! ready=$(load ready --port="$port" --since="$since" --timeout=120 --pid="$server"); then
    tail -n 20 "$work/server.$port.log" >&2
    return 1
  fi
}

# stop_server PROCESS
stop_server() {
  [[ -n ${server_port[$1]:-} ]] || return 0
  unset "server_port[$1]"
  kill -TERM "$1" 2> /dev/null || true
  for _ in {1..300}; do
    kill -0 "$1" 2> /dev/null || break
    sleep 0.1
  done
  kill -KILL "$1" 2> /dev/null && say "the server had to be killed"
  wait "$1" 2> /dev/null || true
}

# verified STORE-URL [KIND]: how many events the journal has; fails when rows and journal differ.
verified() {
  local told
  if ! told=$("$built/callboard" verify --store="$1" 2>&1); then
    say "verify: $told"
    return 1
  fi
  sed -n "s/^${2:-opening}: .* entities, \([0-9]*\) events, 0 differences.*/\1/p" <<< "$told"
}

clean_up() {
  local one
  for one in "${!server_port[@]}"; do
    stop_server "$one"
  done
  [[ -z $postgres ]] || "$root/scripts/private_postgres.sh" stop "$postgres"
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

stolen_ticks() { awk '$1 == "cpu" { print $9 }' /proc/stat; }

describe_machine() {
  local changed=
  [[ -z $(git -C "$root" status --porcelain 2> /dev/null) ]] || changed=', with changes'
  echo "- $(date -u +%Y-%m-%dT%H:%MZ), commit $(git -C "$root" rev-parse --short HEAD 2> /dev/null || echo none)$changed"
  echo "- $(nproc) × $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), kernel $(uname -r)," \
    "$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)," \
    "$(/usr/lib/postgresql/15/bin/postgres --version)," \
    "load before: $(cut -d ' ' -f 1 /proc/loadavg)"
}
