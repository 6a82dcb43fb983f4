-- Times are milliseconds since 1970. Tables that are updated have a fillfactor, so that an update stays in its page and
-- changes no index.

-- The last batch that each node committed: a batch whose outcome is in doubt is sent again and finds its own number.
create table writers (
  node text primary key,
  batch bigint not null
) with (fillfactor = 60);

-- The last seq and hash of each entity's journal; moved by compare-and-set.
create table heads (
  kind text not null,
  key text not null,
  seq bigint not null,
  at bigint not null,
  hash bytea not null,
  primary key (kind, key)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- `data` is text: the hash covers its bytes, and jsonb would rewrite them.
create table journal (
  pos bigint generated always as identity primary key,
  kind text not null,
  key text not null,
  seq bigint not null,
  type text not null,
  at bigint not null,
  subject text,
  actor_type text not null,
  actor_id text not null,
  reason text not null,
  trace text not null,
  request text not null,
  data text not null,
  hash bytea not null,
  constraint journal_entity_seq unique (kind, key, seq)
);
create index journal_subject on journal (subject) where subject is not null;

create table timers (
  kind text not null,
  key text not null,
  shard integer not null,
  due bigint not null,
  primary key (kind, key)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index timers_due on timers (due);

-- `at` only grows, so its index is appended to and never split in the middle.
create table requests (
  digest bytea primary key,
  fingerprint bytea not null,
  status integer not null,
  body text not null,
  at bigint not null
);
create index requests_at on requests (at);

create table ids (
  name text primary key,
  next bigint not null
) with (fillfactor = 60);

create table applicants (
  id bigint primary key,
  name text not null,
  email text not null,
  created_at bigint not null,
  constraint applicants_email unique (email)
);

-- Aborts a batch that must not commit. The SQLSTATE tells the writer the reason, and the detail names the offenders as
-- a JSON array.
create function abort_batch(what text, detail text) returns boolean language plpgsql volatile as $$
begin
  raise exception using
    errcode = case what when 'batch' then 'CB001' when 'head' then 'CB002' else 'CB003' end,
    message = 'batch refused: ' || what,
    detail = coalesce(detail, '[]');
end
$$;
