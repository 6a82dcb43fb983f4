#!/usr/bin/env bash
# A PostgreSQL of one's own: in a temporary folder, on a free port of 127.0.0.1, durable as by default.
#   folder=$(private_postgres.sh start)   private_postgres.sh url "$folder"
#   private_postgres.sh restart "$folder" (also after a kill: same port, same data)
#   private_postgres.sh stop "$folder"    (and forget everything)
set -euo pipefail

bin=/usr/lib/postgresql/15/bin
self=$(realpath "${BASH_SOURCE[0]}")
cd /  # the caller's folder may be closed to the user postgres

# PostgreSQL refuses to run as root.
as_owner() {
  if [[ $(id -u) -eq 0 ]]; then
    runuser -u postgres -- "$@"
  else
    "$@"
  fi
}

launch() {
  as_owner "$bin/pg_ctl" -s -w -t 60 -D "$1/data" -l "$1/log" start
}

start() {
  local port
  folder=$(mktemp -d "${TMPDIR:-/tmp}/callboard-postgres.XXXXXX")
  # A half-made server must not stay behind.
  trap 'rm -rf "$folder"' EXIT
  [[ $(id -u) -ne 0 ]] || chown postgres: "$folder"
  as_owner "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
    --no-sync > "$folder/initdb.log" || { cat "$folder/initdb.log" >&2; return 1; }
  for _ in 1 2 3 4 5 6 7 8; do
    # Below the range that the kernel hands out for outgoing connections.
    port=$((20000 + RANDOM % 12000))
    as_owner tee "$folder/data/postgresql.auto.conf" > /dev/null << END
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$folder'
max_connections = 200
END
    if launch "$folder" 2> /dev/null; then
      echo "postgresql://postgres@127.0.0.1:$port/postgres" > "$folder/url"
      echo "$folder"
      trap - EXIT
      return
    fi
  done
  cat "$folder/log" >&2
  return 1
}

stop() {
  [[ -d $1/data ]] || { echo "$1 holds no PostgreSQL" >&2; return 1; }
  # Its data are thrown away, so it need not end tidily.
  as_owner "$bin/pg_ctl" -s -w -D "$1/data" -m immediate stop 2> /dev/null || true
  rm -rf "$1"
}

restart() {
  as_owner "$bin/pg_ctl" -s -w -D "$1/data" -m fast stop 2> /dev/null || true
  launch "$1"
}

case ${1:-} in
  start) start ;;
  stop) stop "$2" ;;
  restart) restart "$2" ;;
  url) cat "$2/url" ;;
  *)
    sed -n '2,5s/^# \?//p' "$self" >&2
    exit 64
    ;;
esac
