-- Title, settings and phase of an opening; changes seldom.
create table openings (
  id bigint primary key,
  title text not null,
  description text,
  capacity bigint not null,
  ack_window_s bigint not null,
  offer_on_apply boolean not null,
  ack_window_on_apply_s bigint not null,
  phase text not null,
  owner text,
  created_at bigint not null
) with (fillfactor = 60);
create index openings_created on openings (created_at, id);

-- Counters and waitlist state of an opening; changes with every event, so it is small and apart.
create table opening_counts (
  id bigint primary key,
  active bigint not null,
  pending bigint not null,
  waiting bigint not null,
  total bigint not null,
  tail bigint not null,
  cooling bigint,
  cools_until bigint,
  promotions text not null,
  promotion_count bigint not null,
  promotion_ms bigint not null,
  acknowledgment_count bigint not null,
  acknowledgment_ms bigint not null,
  decays bigint not null,
  version bigint not null
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- An application's id contains its opening, so an opening's applications are a range of ids. No index on the status,
-- because every change would update it.
create table applications (
  id bigint primary key,
  applicant bigint not null,
  status text not null,
  rank bigint,
  penalty bigint not null,
  applied_at bigint not null,
  promoted_at bigint,
  deadline bigint,
  since bigint not null,
  reason text
) with (fillfactor = 60);
create index applications_applicant on applications (applicant);
