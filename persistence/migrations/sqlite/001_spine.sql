-- Times are milliseconds since 1970.

-- The last batch that each node committed: a batch whose outcome is in doubt is sent again and finds its own number.
create table writers (
  node text primary key,
  batch integer not null
) strict, without rowid;

-- The last seq and hash of each entity's journal; moved by compare-and-set.
create table heads (
  kind text not null,
  key text not null,
  seq integer not null,
  at integer not null,
  hash blob not null,
  primary key (kind, key)
) strict, without rowid;

-- Never deleted from, so the next position is always greater than the last.
create table journal (
  pos integer primary key,
  kind text not null,
  key text not null,
  seq integer not null,
  type text not null,
  at integer not null,
  subject text,
  actor_type text not null,
  actor_id text not null,
  reason text not null,
  trace text not null,
  request text not null,
  data text not null,
  hash blob not null,
  unique (kind, key, seq)
) strict;
create index journal_subject on journal (subject) where subject is not null;

create table timers (
  kind text not null,
  key text not null,
  shard integer not null,
  due integer not null,
  primary key (kind, key)
) strict, without rowid;
create index timers_due on timers (due);

create table requests (
  digest blob not null primary key,
  fingerprint blob not null,
  status integer not null,
  body text not null,
  at integer not null
) strict;
create index requests_at on requests (at);

create table ids (
  name text primary key,
  next integer not null
) strict, without rowid;

create table applicants (
  id integer primary key,
  name text not null,
  email text not null unique,
  created_at integer not null
) strict;
