import { rmSync } from "node:fs";
import type { SqliteDatabase } from "./binding.ts";
import { makePrivate } from "./private-file.ts";
import { StoreRefusal } from "./refusal.ts";
import { wordsOf } from "./stall.ts";

/**
 * Step n takes a database from `user_version` n to n + 1. A released step never changes: add a new one.
 *
 * Events lie in the order they were written, with the key as a separate index. Measured with 100 sessions that append
 * in turn, this takes about twice as many events a second as a table clustered by (session_id, seq). Reading pages of
 * one session is a tenth slower.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    status TEXT NOT NULL,
    seq INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    created_by TEXT NOT NULL,
    parent_id TEXT,
    parent_seq INTEGER,
    unsettled INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_time ON sessions (created_at, id);
  CREATE INDEX sessions_by_creator ON sessions (created_by, created_at, id);
  CREATE INDEX sessions_by_status ON sessions (status, created_at, id);
  CREATE INDEX sessions_unsettled ON sessions (created_at, id) WHERE unsettled = 1;

  CREATE TABLE events (
    session_id TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq > 0),
    at TEXT NOT NULL,
    type TEXT NOT NULL,
    -- Only of the event that ends a turn.
    turn_id TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
  ) STRICT;
  CREATE INDEX events_turn_end ON events (session_id, turn_id, seq) WHERE turn_id IS NOT NULL;

  CREATE TABLE approvals (
    id TEXT NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX approvals_by_time ON approvals (created_at, id);
  CREATE INDEX approvals_by_status ON approvals (status, created_at, id);
  CREATE INDEX approvals_by_session ON approvals (session_id, created_at, id);

  CREATE TABLE receipts (
    principal_id TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    answer TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (principal_id, key)
  ) STRICT;
  CREATE INDEX receipts_by_expiry ON receipts (expires_at);

  CREATE TABLE principals (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE audit (
    id TEXT NOT NULL PRIMARY KEY,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    details TEXT
  ) STRICT;
  CREATE INDEX audit_by_time ON audit (at, id);
  CREATE INDEX audit_by_action ON audit (action, at, id);

  CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX documents_by_name ON documents (name, id);
  `,
  // Money. Sums are capped at the largest integer that a double holds exactly: an account at the cap is full for good.
  `
  CREATE TABLE reservations (
    id TEXT NOT NULL PRIMARY KEY,
    at TEXT NOT NULL,
    session_id TEXT NOT NULL,
    turn_id TEXT,
    agent TEXT NOT NULL,
    engine TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    -- JSON, an array of keys.
    accounts TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount >= 0)
  ) STRICT;

  CREATE TABLE accounts (
    key TEXT NOT NULL PRIMARY KEY,
    spent INTEGER NOT NULL CHECK (spent BETWEEN 0 AND 9007199254740991)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE usage (
    day TEXT NOT NULL,
    session TEXT NOT NULL,
    -- Empty between turns.
    turn TEXT NOT NULL,
    agent TEXT NOT NULL,
    engine TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cache_write_1h INTEGER NOT NULL,
    reasoning INTEGER NOT NULL,
    web_searches INTEGER NOT NULL,
    cost_microusd INTEGER NOT NULL,
    bound_microusd INTEGER NOT NULL,
    PRIMARY KEY (session, day, turn, agent, engine, provider, model)
  ) STRICT;
  CREATE INDEX usage_by_day ON usage (day);
  CREATE INDEX usage_by_agent ON usage (agent, day);

  CREATE INDEX sessions_active ON sessions (created_by) WHERE status NOT IN ('complete', 'failed');
  `,
  // Search for sessions and audit rows. SQLite lowercases only ASCII: an old session whose title has other letters is found once it changes.
  `
  ALTER TABLE sessions ADD COLUMN engine TEXT NOT NULL DEFAULT '';
  ALTER TABLE sessions ADD COLUMN search TEXT NOT NULL DEFAULT '';
  UPDATE sessions SET
    engine = coalesce(json_extract(state, '$.settings.engine'), ''),
    search = lower(id || char(10) || coalesce(json_extract(state, '$.title'), '') || char(10) ||
      coalesce(json_extract(state, '$.settings.workspace'), '') || char(10) ||
      coalesce(json_extract(state, '$.created_by.name'), ''));
  CREATE INDEX audit_by_principal ON audit (json_extract(by, '$.id'), action, at, id);
  `,
  // One row. Each transaction adds one to `commits`. This shows whether a transaction is stored, and whether a file is older than it should be.
  `
  CREATE TABLE store_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    instance TEXT NOT NULL,
    commits INTEGER NOT NULL
  ) STRICT;
  INSERT INTO store_state (id, instance, commits) VALUES (1, lower(hex(randomblob(12))), 0);
  `,
  // Sessions whose events are still to be deleted, except those that a fork begins with.
  `
  CREATE TABLE deleted_sessions (
    id TEXT NOT NULL PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_forks ON sessions (parent_id) WHERE parent_id IS NOT NULL;
  `,
  // What a token may do at most, when it expires, and which token made it. `bounds` is JSON.
  `
  ALTER TABLE principals ADD COLUMN principal_id TEXT NOT NULL DEFAULT '';
  ALTER TABLE principals ADD COLUMN bounds TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE principals ADD COLUMN expires_at INTEGER;
  ALTER TABLE principals ADD COLUMN last_used_at INTEGER;
  ALTER TABLE principals ADD COLUMN made_with TEXT;
  UPDATE principals SET principal_id = id;
  CREATE INDEX principals_by_time ON principals (created_at, id);
  CREATE INDEX principals_by_maker ON principals (made_with) WHERE made_with IS NOT NULL;
  CREATE INDEX principals_by_expiry ON principals (expires_at) WHERE expires_at IS NOT NULL;
  ALTER TABLE sessions ADD COLUMN token_parents TEXT NOT NULL DEFAULT '';
  CREATE INDEX sessions_active_by_token ON sessions (created_by, token_parents) WHERE status NOT IN ('complete', 'failed');
  `,
  // Renames micro-USD fields. Only our own names change: a caller's objects (a tool's input, a schema) may use the same words.
  `
  UPDATE sessions SET state = json_remove(
    json_set(state, '$.settings.max_cost_microusd', json_extract(state, '$.settings.max_cost_usd')), '$.settings.max_cost_usd')
    WHERE CASE WHEN json_valid(state) THEN json_type(state, '$.settings.max_cost_usd') END IS NOT NULL;
  UPDATE sessions SET state = json_remove(
    json_set(state, '$.turn.max_cost_microusd', json_extract(state, '$.turn.max_cost_usd')), '$.turn.max_cost_usd')
    WHERE CASE WHEN json_valid(state) THEN json_type(state, '$.turn.max_cost_usd') END IS NOT NULL;
  UPDATE events SET body = json_remove(
    json_set(body, '$.prompt.max_cost_microusd', json_extract(body, '$.prompt.max_cost_usd')), '$.prompt.max_cost_usd')
    WHERE type IN ('turn.queued', 'turn.started') AND CASE WHEN json_valid(body) THEN json_type(body, '$.prompt.max_cost_usd') END IS NOT NULL;
  UPDATE documents SET body = (
    SELECT json_group_array(json(CASE WHEN json_type(value, '$.session.max_cost_usd') IS NULL THEN value ELSE json_remove(
      json_set(value, '$.session.max_cost_microusd', json_extract(value, '$.session.max_cost_usd')), '$.session.max_cost_usd') END))
    FROM json_each(body))
    WHERE name = 'templates' AND json_valid(body);
  UPDATE documents SET body = replace(replace(replace(replace(replace(replace(replace(replace(body,
    '"max_cost_usd":', '"max_cost_microusd":'),
    '"max_cost_usd_per_tick":', '"max_cost_microusd_per_tick":'),
    '"max_cost_usd_per_day":', '"max_cost_microusd_per_day":'),
    '"max_cost_usd_per_agent":', '"max_cost_microusd_per_agent":'),
    '"default_max_cost_usd":', '"default_max_cost_microusd":'),
    '"approval_threshold_usd":', '"approval_threshold_microusd":'),
    '"per_day_usd":', '"per_day_microusd":'),
    '"total_usd":', '"total_microusd":')
    WHERE name = 'policy';
  `,
  // API keys, and whose requests are an API key's. `body` is JSON. The usage of keys has no session.
  `
  CREATE TABLE keys (
    id TEXT NOT NULL PRIMARY KEY,
    key_hash TEXT NOT NULL UNIQUE,
    token_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX keys_by_time ON keys (created_at, id);
  CREATE INDEX keys_by_token ON keys (token_id, created_at, id);
  CREATE INDEX keys_by_expiry ON keys (expires_at) WHERE expires_at IS NOT NULL;
  ALTER TABLE reservations ADD COLUMN key_id TEXT;
  CREATE TABLE usage_with_keys (
    day TEXT NOT NULL,
    -- Empty: an API key's.
    session TEXT NOT NULL,
    -- Empty: a session's.
    key TEXT NOT NULL,
    -- Empty between turns.
    turn TEXT NOT NULL,
    agent TEXT NOT NULL,
    engine TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cache_write_1h INTEGER NOT NULL,
    reasoning INTEGER NOT NULL,
    web_searches INTEGER NOT NULL,
    cost_microusd INTEGER NOT NULL,
    bound_microusd INTEGER NOT NULL,
    PRIMARY KEY (session, key, day, turn, agent, engine, provider, model)
  ) STRICT;
  INSERT INTO usage_with_keys (day, session, key, turn, agent, engine, provider, model, requests, input, output,
      cache_read, cache_write, cache_write_1h, reasoning, web_searches, cost_microusd, bound_microusd)
    SELECT day, session, '', turn, agent, engine, provider, model, requests, input, output,
      cache_read, cache_write, cache_write_1h, reasoning, web_searches, cost_microusd, bound_microusd FROM usage;
  DROP TABLE usage;
  ALTER TABLE usage_with_keys RENAME TO usage;
  CREATE INDEX usage_by_day ON usage (day);
  CREATE INDEX usage_by_agent ON usage (agent, day);
  CREATE INDEX usage_by_key ON usage (key, day);
  `,
];

function versionOf(database: SqliteDatabase): number {
  return (database.prepare("PRAGMA user_version").get() as { readonly user_version: number }).user_version;
}

/** Refuses a database of a newer Sallyport, before anything of it is touched. */
export function refuseNewer(database: SqliteDatabase): void {
  const version = versionOf(database);
  if (version <= MIGRATIONS.length) return;
  throw new StoreRefusal(
    "unsupported",
    `This home was written by a newer Sallyport (database version ${version}, this one knows ${MIGRATIONS.length}): ` +
      "start that version again, or give this one another home.",
  );
}

function copyBefore(database: SqliteDatabase, target: string): void {
  try {
    rmSync(target, { force: true });
    copyInto(database, makePrivate(target));
  } catch (error) {
    throw new StoreRefusal(
      "store_failed",
      `This version changes the database, and the copy ${target} could not be made before: ${wordsOf(error)}. ` +
        "Free some space, then start again.",
    );
  }
}

/** A full copy as of now, as small as possible. The target is empty or missing. */
export function copyInto(database: SqliteDatabase, target: string): void {
  database.prepare("VACUUM INTO ?").run(target);
}

/** Migrates the database to this version's tables, all steps or none. An older one is copied first. */
export function migrate(database: SqliteDatabase, path: string): void {
  const version = versionOf(database);
  if (version === MIGRATIONS.length) return;
  if (version > 0) copyBefore(database, `${path}.before-version-${MIGRATIONS.length}`);
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const step of MIGRATIONS.slice(versionOf(database))) database.exec(step);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
