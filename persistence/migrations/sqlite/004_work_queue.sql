create table work_queues (
  name text primary key,
  paused integer not null,
  max_in_flight integer,
  rate_per_s integer,
  aging_s integer not null,
  key_path text,
  key_max integer
) strict;

-- Unfinished jobs: what a queue loads. No index but the key, because every claim would update it.
create table work_jobs (
  queue text not null,
  id text not null,
  job_type text not null,
  status text not null,
  weight integer not null,
  attempts integer not null,
  max_attempts integer not null,
  redrives integer not null,
  run_at integer not null,
  created_at integer not null,
  updated_at integer not null,
  claimed_at integer,
  worker text,
  token integer,
  lease_ms integer,
  lease_until integer,
  cancel_requested integer not null,
  ttl_s integer,
  unique_key text,
  fingerprint text,
  error_code text,
  content integer not null,
  flow_key text,
  primary key (queue, id)
) strict, without rowid;

-- Finished jobs until their retention ends. Written once; `completed_at` only grows, so its index is appended to.
create table work_finished (
  queue text not null,
  id text not null,
  job_type text not null,
  status text not null,
  weight integer not null,
  attempts integer not null,
  max_attempts integer not null,
  redrives integer not null,
  run_at integer not null,
  created_at integer not null,
  completed_at integer not null,
  claimed_at integer,
  worker text,
  ttl_s integer,
  unique_key text,
  content integer not null,
  primary key (queue, id)
) strict, without rowid;
create index work_finished_completed on work_finished (completed_at);

-- A job's data and metadata; written once, with the job.
create table work_payloads (
  queue text not null,
  id text not null,
  data text not null,
  metadata text not null,
  priority text not null,
  primary key (queue, id)
) strict, without rowid;

-- What workers report about a job.
create table work_reports (
  queue text not null,
  id text not null,
  progress text,
  message text,
  checkpoint text,
  results text,
  error text,
  error_code text,
  reason text,
  primary key (queue, id)
) strict, without rowid;
