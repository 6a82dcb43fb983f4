create table work_queues (
  name text primary key,
  paused boolean not null,
  max_in_flight bigint,
  rate_per_s bigint,
  aging_s bigint not null,
  key_path text,
  key_max bigint
) with (fillfactor = 60);

-- Unfinished jobs: what a queue loads. No index but the key, because every claim would update it. Columns are ordered by
-- size, so that rows are not padded.
create table work_jobs (
  run_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  content bigint not null,
  claimed_at bigint,
  token bigint,
  lease_until bigint,
  lease_ms integer,
  ttl_s integer,
  weight smallint not null,
  attempts smallint not null,
  max_attempts smallint not null,
  redrives smallint not null,
  cancel_requested boolean not null,
  queue text not null,
  id text not null,
  job_type text not null,
  status text not null,
  worker text,
  unique_key text,
  fingerprint text,
  error_code text,
  flow_key text,
  primary key (queue, id)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Finished jobs until their retention ends; written once, in the order of `completed_at`.
create table work_finished (
  run_at bigint not null,
  created_at bigint not null,
  completed_at bigint not null,
  content bigint not null,
  claimed_at bigint,
  ttl_s integer,
  weight smallint not null,
  attempts smallint not null,
  max_attempts smallint not null,
  redrives smallint not null,
  queue text not null,
  id text not null,
  job_type text not null,
  status text not null,
  worker text,
  unique_key text,
  primary key (queue, id)
);
create index work_finished_completed on work_finished using brin (completed_at) with (pages_per_range = 32, autosummarize = on);

-- A job's data and metadata; written once, with the job.
create table work_payloads (
  queue text not null,
  id text not null,
  data text not null,
  metadata text not null,
  priority text not null,
  primary key (queue, id)
);

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
) with (fillfactor = 80);
