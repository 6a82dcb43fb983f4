-- A board on which jobs are found, and its number of crawls.
create table boards (
  id text primary key,
  gone boolean not null,
  company text not null,
  ats text,
  career_page_url text not null,
  created_at bigint not null,
  crawls bigint not null
) with (fillfactor = 60);

-- An id consists of the board and a number.
create table crawls (
  board text not null,
  n bigint not null,
  status text not null,
  cause text not null,
  started_at bigint not null,
  completed_at bigint,
  fetched bigint not null,
  fresh bigint not null,
  updated bigint not null,
  removed bigint not null,
  primary key (board, n)
) with (fillfactor = 60);
create index crawls_started on crawls (started_at);

-- A deleted job keeps its row: its runs refer to it, and its claims are counted on if it is ingested again.
create table board_jobs (
  board text not null,
  job_id text not null,
  gone boolean not null,
  title text not null,
  url text not null,
  location text not null,
  department text not null,
  tags text not null,
  content_hash text not null,
  status text not null,
  moved_by text not null,
  discovered_at bigint not null,
  updated_at bigint not null,
  told_seen_at bigint not null,
  applied_at bigint,
  applied_run_id text,
  late_success boolean not null,
  claims bigint not null,
  primary key (board, job_id)
) with (fillfactor = 60);
-- Lists by time of discovery: all, by board, by status, by both.
create index board_jobs_discovered on board_jobs (discovered_at, board, job_id) where not gone;
create index board_jobs_of_board on board_jobs (board, discovered_at, job_id) where not gone;
create index board_jobs_of_status on board_jobs (status, discovered_at, board, job_id) where not gone;
create index board_jobs_of_both on board_jobs (board, status, discovered_at, job_id) where not gone;
-- Claimable jobs, the oldest first: claim_next must not scan the older ones, which were applied to long ago.
create index board_jobs_claimable on board_jobs (discovered_at, board, job_id) where status = 'discovered' and not gone;

-- When a job was last seen; written by every crawl, so it is a small table of its own.
create table board_job_sightings (
  board text not null,
  job_id text not null,
  last_seen_at bigint not null,
  primary key (board, job_id)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

create table runs (
  run_id text primary key,
  board text not null,
  job_id text not null,
  n bigint not null,
  variant_id text,
  user_id text,
  status text not null,
  ended text,
  started_at bigint not null,
  completed_at bigint,
  late boolean not null,
  lease_ms bigint,
  lease_until bigint,
  error text,
  confirmation_url text
) with (fillfactor = 60);
create index runs_of_job on runs (board, job_id, n);
create index runs_of_job_anywhere on runs (job_id, started_at);
-- Runs that hold a lock: few, and a heartbeat does not change the index.
create index runs_holding on runs (run_id) where lease_until is not null;
create index runs_succeeded on runs (run_id) where status = 'success';

create table run_artifacts (
  run_id text primary key,
  artifacts text not null
);

create table profiles (
  user_id text primary key,
  updated_at bigint not null,
  interest_tags text not null,
  default_answers text not null,
  resumes text not null
);
