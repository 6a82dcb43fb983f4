-- Title, settings and phase of an opening; changes seldom.
create table openings (
  id integer primary key,
  title text not null,
  description text,
  capacity integer not null,
  ack_window_s integer not null,
  offer_on_apply integer not null,
  ack_window_on_apply_s integer not null,
  phase text not null,
  owner text,
  created_at integer not null
) strict;
create index openings_created on openings (created_at, id);

-- Counters and waitlist state of an opening; changes with every event, so it is small and apart.
create table opening_counts (
  id integer primary key,
  active integer not null,
  pending integer not null,
  waiting integer not null,
  total integer not null,
  tail integer not null,
  cooling integer,
  cools_until integer,
  promotions text not null,
  promotion_count integer not null,
  promotion_ms integer not null,
  acknowledgment_count integer not null,
  acknowledgment_ms integer not null,
  decays integer not null,
  version integer not null
) strict;

-- An application's id contains its opening, so an opening's applications are a range of ids.
create table applications (
  id integer primary key,
  applicant integer not null,
  status text not null,
  rank integer,
  penalty integer not null,
  applied_at integer not null,
  promoted_at integer,
  deadline integer,
  since integer not null,
  reason text
) strict;
create index applications_applicant on applications (applicant);
