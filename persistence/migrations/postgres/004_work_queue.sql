create table work_queues (
  name text primary key,
  paused boolean not null,
  max_in_flight bigint,
  rate_per_s bigint,
  aging_s bigint not null,
  key_path text,
  key_max bigint
) with (fillfactor = 60);

-- Jobs that are not over: what a queue loads. No index but the key: every claim would touch it.
create table work_jobs (
  queue text not null,
  id text not null,
  job_type text not null,
  status text not null,
  weight bigint not null,
  attempts bigint not null,
  max_attempts bigint not null,
  redrives bigint not null,
  run_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  claimed_at bigint,
  worker text,
  token bigint,
  lease_ms bigint,
  lease_until bigint,
  cancel_requested boolean not null,
  ttl_s bigint,
  unique_key text,
  fingerprint text,
  error_code text,
  content bigint not null,
  flow_key text,
  primary key (queue, id)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Jobs that are over, until their retention ends. Written once; `completed_at` only grows, so its index is appended to.
create table work_finished (
  queue text not null,
  id text not null,
  job_type text not null,
  status text not null,
  weight bigint not null,
  attempts bigint not null,
  max_attempts bigint not null,
  redrives bigint not null,
  run_at bigint not null,
  created_at bigint not null,
  completed_at bigint not null,
  claimed_at bigint,
  worker text,
  ttl_s bigint,
  unique_key text,
  content bigint not null,
  primary key (queue, id)
);
create index work_finished_completed on work_finished (completed_at);

-- What a job is about; written once, with the job.
create table work_payloads (
  queue text not null,
  id text not null,
  data text not null,
  metadata text not null,
  priority text not null,
  primary key (queue, id)
);

-- What workers say about a job.
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
