/** The database that the tests of PostgreSQL ask, and those that must not change it. */
export const SCHEMA = `
  REVOKE CREATE ON SCHEMA public FROM PUBLIC;
  CREATE TABLE ledger (id serial PRIMARY KEY, note text);
  INSERT INTO ledger (note) VALUES ('one'), ('two'), (NULL);
  CREATE MATERIALIZED VIEW sums AS SELECT count(*) AS total FROM ledger;
  CREATE FUNCTION poke() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO ledger (note) VALUES (''poked''); RETURN 1; END';
  CREATE FUNCTION poke_owner() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN INSERT INTO ledger (note) VALUES (''poked''); RETURN 1; END';
  CREATE PROCEDURE poke_all() LANGUAGE sql AS 'DELETE FROM ledger';
  CREATE SCHEMA hr;
  CREATE TABLE hr.people (code text PRIMARY KEY, born date NOT NULL, salary numeric(10,2), dept text, secret text);
  COMMENT ON TABLE hr.people IS 'who works here';
  COMMENT ON COLUMN hr.people.born IS 'day of birth';
  INSERT INTO hr.people SELECT 'p' || i, date '1950-01-01' + i, i * 10.5, CASE WHEN i % 2 = 0 THEN 'sales' ELSE 'lab' END, 'x' FROM generate_series(1, 500) i;
  CREATE TABLE hr.entries (ledger int REFERENCES ledger (id), person text UNIQUE REFERENCES hr.people (code));
  COMMENT ON CONSTRAINT entries_person_fkey ON hr.entries IS 'one each';
  CREATE TABLE hr.hidden (a int);
  CREATE ROLE reader LOGIN; GRANT SELECT ON ledger, sums TO reader;
  GRANT USAGE ON SCHEMA hr TO reader; GRANT SELECT (code, born, salary, dept) ON hr.people TO reader; GRANT SELECT ON hr.entries TO reader;
  CREATE ROLE gateway LOGIN NOINHERIT; CREATE ROLE anna; CREATE ROLE bert; GRANT anna, bert TO gateway;
  GRANT SELECT ON ledger TO anna;
  CREATE ROLE backslash LOGIN; GRANT SELECT ON ledger TO backslash; ALTER ROLE backslash SET standard_conforming_strings = off;
  CREATE ROLE writer LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA public TO writer; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO writer;
  CREATE ROLE counter LOGIN; GRANT USAGE ON SEQUENCE ledger_id_seq TO counter;
  CREATE ROLE columnist LOGIN; GRANT UPDATE (note) ON ledger TO columnist;
  CREATE ROLE maker LOGIN; GRANT CREATE ON SCHEMA hr TO maker;
  CREATE ROLE founder LOGIN; GRANT CREATE ON DATABASE postgres TO founder;
  CREATE ROLE thief LOGIN; GRANT pg_read_server_files TO thief;
  CREATE ROLE deep LOGIN NOINHERIT; GRANT writer TO deep;
  CREATE ROLE creator LOGIN CREATEROLE;
  ANALYZE;
`;
/** Everything that an attack could have changed. */
export const STATE = `SELECT (SELECT json_agg(l ORDER BY id) FROM ledger l) AS ledger, (SELECT last_value FROM ledger_id_seq) AS sequence,
  (SELECT count(*) FROM pg_class)::int AS relations, (SELECT count(*) FROM pg_proc)::int AS functions, (SELECT count(*) FROM pg_roles)::int AS roles,
  (SELECT count(*) FROM pg_largeobject_metadata)::int AS objects, (SELECT count(*) FROM pg_replication_slots)::int AS slots,
  (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')::int AS locks, (SELECT total::int FROM sums) AS total`;

export const refusal = (answer: Promise<unknown>): Promise<{ code: unknown; message: string; details: unknown }> =>
  answer.then(
    (value) => ({ code: `not refused: ${JSON.stringify(value).slice(0, 200)}`, message: "", details: undefined }),
    ({ code, message, details }: { code: unknown; message: string; details: unknown }) => ({ code, message, details }),
  );
export const codeOf = async (answer: Promise<unknown>): Promise<unknown> => (await refusal(answer)).code;
