#!/bin/sh
# A worker in sh; it needs curl and jq. The protocol and the variables: docs/workers.md.
api=${CALLBOARD_URL:-http://127.0.0.1:8080}/api/work
lease=${LEASE_S:-60} idle=${IDLE_EXIT_S:-0}
here=$(mktemp -d) stop='' child=''
trap 'rm -rf "$here"' EXIT
trap 'stop=1; [ -z "$child" ] || kill "$child" 2> /dev/null' TERM INT

# Your work: the job is in $here/job; prints results as JSON, or fails with a message on stderr.
work() {
  sleep "$(jq '.data.seconds // 0' "$here/job")"
  jq -e '.attempts >= (.data.failures // 0)' "$here/job" > /dev/null || { echo 'not this time' >&2; return 1; }
  jq '{slept: (.data.seconds // 0)}' "$here/job"
}

# post NAME PATH: sends $here/NAME.body with one key until the answer is definite; sets $status, answers in $here/NAME.
post() {
  key=$(cat /proc/sys/kernel/random/uuid)
  while :; do
    status=$(curl -s -m 60 -o "$here/$1" -w '%{http_code}' -H 'Content-Type: application/json' \
      -H "Idempotency-Key: $key" --data-binary "@$here/$1.body" "$api/$2") || status=000
    case $status in
      000 | 429 | 503) ;;
      409) grep -q '"IN_PROGRESS"' "$here/$1" || return 0 ;;
      *) return 0 ;;
    esac
    [ -z "$stop" ] || return 0
    sleep 1
  done
}

# Renews the lease; ends the work when the lease is lost or a cancel was requested.
beat() {
  while sleep $((lease / 3)) && kill -0 $$; do
    jq '{lease_token}' "$here/job" > "$here/beat.body"
    post beat "$path/heartbeat"
    { [ "$status" = 200 ] && jq -e '.cancel_requested != true' "$here/beat"; } || { kill "$child"; return; }
  done
}

jq -n --arg worker "${WORKER_ID:-sh-$$}" --arg queue "${QUEUE:-default}" --arg types "${JOB_TYPES:-}" --argjson lease "$lease" \
  --argjson wait $((idle > 0 && idle < 20 ? idle : 20)) '{worker_id: $worker, queue: $queue, lease_s: $lease, wait_s: $wait}
  + if $types == "" then {} else {job_types: ($types | split(","))} end' > "$here/claim.body"
while [ -z "$stop" ]; do
  post claim claim
  [ "$status" = 200 ] || { sleep 1; continue; }
  jq -e '.jobs[0] // empty' "$here/claim" > "$here/job" || { [ "$idle" -eq 0 ] && continue; exit 0; }
  path=jobs/$(jq -r '.id | @uri' "$here/job")
  { [ -z "$stop" ] || exit 143; work; } > "$here/results" 2> "$here/error" & child=$!
  beat > /dev/null 2>&1 & beater=$!
  [ -z "$stop" ] || kill "$child" 2> /dev/null
  wait "$child" 2> /dev/null
  case $? in 0) verb=complete ;; 143) verb=release ;; *) verb=fail ;; esac # 143: lost, cancelled or told to stop
  kill "$beater" 2> /dev/null; child=''
  jq --arg verb $verb --slurpfile results "$here/results" --rawfile error "$here/error" '{lease_token}
    + {complete: {results: $results[0]}, release: {}, fail: {error: $error}}[$verb]' "$here/job" > "$here/end.body"
  post end "$path/$verb"
  echo "$(jq -r .id "$here/job") $verb $status"
done
