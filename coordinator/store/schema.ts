/**
 * The tables of one shard's database.
 * Invariant: every table of crawl data leads with the slot or hangs off a row that does, so a slot moves by copying
 * ranges; `shard` has one row, and each commit changes it together with the data. Every statement may be repeated, so
 * two that lay out an empty database at once don't disturb each other.
 *
 * URLs lie in a rowid table in the order of acceptance with a narrow unique key beside it: a wide B-tree in fingerprint
 * order took 1.5 times the CPU per row (37 against 24 µs) and rewrites a page per URL. Host names are kept once per
 * back queue. What no statement searches by is one JSON text (`facts`): SQLite's text-to-double conversion isn't exact,
 * and JSON text is.
 */

/** Bumped when the tables change; a store of another format is refused. */
export const SHARD_FORMAT = 10;

/** `UrlState` as it is stored; the partial indexes below name the first two. */
export const URL_STATES = ["ready", "waiting", "done", "excluded", "dead"] as const;

export const SHARD_TABLES: readonly string[] = [
  `create table if not exists shard (
    id integer primary key check (id = 1),
    format integer not null,
    key_version integer not null,
    owner text not null,
    owner_term integer not null,
    owner_wall_ms integer not null,
    batch_seq integer not null,
    batch_mark text not null,
    next_url_seq integer not null,
    next_capture_seq integer not null,
    url_count integer not null
  )`,
  `create table if not exists crawl (id integer primary key, crawl_id text not null unique, counters text)`,
  `create table if not exists back_queue (
    id integer primary key,
    slot integer not null,
    crawl integer not null references crawl (id),
    host text not null,
    domain text not null,
    accepted integer not null,
    unique (slot, crawl, host)
  )`,
  `create table if not exists url (
    id integer primary key,
    slot integer not null,
    crawl integer not null,
    fingerprint integer not null,
    queue integer not null,
    state integer not null,
    band integer not null,
    seq integer not null,
    available_at integer not null,
    url text not null,
    facts text not null
  )`,
  `create unique index if not exists url_key on url (slot, crawl, fingerprint)`,
  `create index if not exists url_ready on url (queue, band, seq) where state = 0`,
  `create index if not exists url_waiting on url (queue, available_at, seq) where state = 1`,
  `create table if not exists host (slot integer not null, host text not null, facts text not null,
    primary key (slot, host)) without rowid`,
  `create table if not exists origin (slot integer not null, origin text not null, facts text not null,
    primary key (slot, origin)) without rowid`,
  `create table if not exists domain (slot integer not null, domain text not null, facts text not null,
    primary key (slot, domain)) without rowid`,
  `create table if not exists address (slot integer not null, address text not null, facts text not null,
    primary key (slot, address)) without rowid`,
  `create table if not exists lease (slot integer not null, host text not null, facts text not null,
    primary key (slot, host)) without rowid`,
  `create table if not exists tally (slot integer not null, crawl_id text not null, host text not null,
    facts text not null, primary key (slot, crawl_id, host)) without rowid`,
  `create table if not exists robots_body (digest text primary key, body text not null)`,
  `create table if not exists capture (
    seq integer primary key,
    slot integer not null,
    fingerprint integer not null,
    folder text not null,
    storage_key text not null,
    content integer not null,
    facts text not null,
    extra text not null
  )`,
  `create index if not exists capture_content on capture (content)`,
  `create index if not exists capture_folder on capture (folder, seq)`,
  `create table if not exists outbox (
    id integer primary key,
    slot integer not null,
    crawl_id text not null,
    lease_id text not null,
    seq integer not null,
    links text not null,
    unique (lease_id, seq)
  )`,
  `create table if not exists seen_log (batch_seq integer primary key, keys blob not null)`,
  `create table if not exists seen_block (id integer primary key, keys blob not null)`,
  `create table if not exists seen_run (id integer primary key, facts text not null)`,
  `create table if not exists seen_part (id integer primary key, run integer not null, kind text not null,
    part integer not null, bytes blob not null, unique (run, kind, part))`,
  `create table if not exists received (slot integer not null, lease_id text not null, seq integer not null,
    primary key (slot, lease_id, seq)) without rowid`,
  `create table if not exists slot_mark (slot integer primary key, facts text not null)`,
];

/** What an operator reads with any SQLite shell: the logical entities, one column per field. */
export const SHARD_VIEWS: readonly string[] = [
  `create view if not exists frontier as select
    u.slot, c.crawl_id, printf('%016x', u.fingerprint) as fingerprint, u.url, q.host, q.domain,
    case u.state when 0 then 'ready' when 1 then 'waiting' when 2 then 'done' when 3 then 'excluded' else 'dead' end as state,
    u.band, u.seq, u.facts->>0 as priority, u.facts->>1 as depth, u.facts->>2 as hop, u.facts->>3 as discovery_path,
    u.facts->>4 as discovered_from, u.facts->>5 as enqueued_at, u.facts->>6 as available_at, u.facts->>7 as attempts,
    u.facts->>8 as reason, u.facts->>9 as http_code, u.facts->>10 as last_fetch_at,
    u.facts->>11 as in_links, u.facts->>12 as visits, u.facts->>13 as changes, u.facts->>14 as watched_ms,
    u.facts->>15 as last_content_hash, u.facts->>16 as capture_seq
  from url u join back_queue q on q.id = u.queue join crawl c on c.id = u.crawl`,
  `create view if not exists page as select
    p.seq, p.slot, p.facts->>'crawl_id' as crawl_id, printf('%016x', p.fingerprint) as fingerprint,
    p.facts->>'url' as url, p.facts->>'http_code' as http_code, p.facts->>'content_hash' as content_hash,
    p.facts->>'payload_digest' as payload_digest, p.extra->>'textHash' as text_hash, p.facts->>'simhash' as simhash,
    p.storage_key, p.facts->>'$.record.offset' as record_offset, p.facts->>'$.record.length' as record_length,
    p.facts->>'fetched_at' as fetched_at, p.facts->>'length' as length, p.facts->>'content_type' as content_type,
    p.extra->>'charset' as charset, p.extra->>'etag' as etag, p.extra->>'lastModified' as last_modified,
    p.extra->>'noindex' as noindex, p.extra->>'canonical' as canonical, p.facts->>'robots' as robots
  from capture p`,
];
