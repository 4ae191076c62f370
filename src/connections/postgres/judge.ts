import type { SqlClass } from "../../protocol/index.ts";

/**
 * What a PostgreSQL statement does, according to the tree of PostgreSQL's own parser. Keys of the tree are PostgreSQL's node names;
 * everything the user wrote is a value. So a column named update_count or a text 'DROP TABLE' does nothing, and a DELETE is found at any
 * depth.
 */
type ParseNode = Readonly<Record<string, unknown>>;

export interface Parsed {
  readonly stmts?: readonly { readonly stmt?: unknown }[] | undefined;
}

/** Functions with effects that a read-only transaction does not stop, that read the server's files, or that run a text as SQL. */
const FUNCTIONS: readonly RegExp[] = [
  // other processes, settings, the server itself
  /^pg_(?:terminate|cancel)_backend$/,
  /^pg_(?:reload_conf|rotate_logfile|rotate_logfile_old|promote|switch_wal|switch_xlog|create_restore_point|log_backend_memory_contexts)$/,
  /^pg_(?:start_backup|stop_backup|backup_start|backup_stop)$/,
  /^pg_wal_replay_(?:pause|resume)$/,
  /^set_config$/,
  // sequences, locks, messages, replication, statistics
  /^(?:nextval|setval)$/,
  /^pg_(?:try_)?advisory_/,
  /^pg_notify$/,
  /^pg_logical_/,
  /^pg_(?:create|copy|drop)_(?:physical|logical)?_?replication_slot$/,
  /^pg_replication_(?:origin|slot)_/,
  /^pg_sync_replication_slots$/,
  /^pg_export_snapshot$/,
  /^pg_stat_(?:reset|statements_reset)/,
  /^pg_(?:restore|clear)_(?:relation|attribute)_stats$/,
  /^pg_import_system_collations$/,
  /^(?:brin_(?:summarize|desummarize)|gin_clean_pending_list)/,
  /^(?:pg_truncate_visibility_map|heap_force_|pg_buffercache_evict|pg_prewarm|autoprewarm|pg_nextoid|binary_upgrade_)/,
  // large objects and the server's files
  /^lo_(?:close|creat|create|export|from_bytea|get|import|lseek|lseek64|manage|open|put|tell|tell64|truncate|truncate64|unlink)$|^lo(?:read|write)$/,
  /^pg_(?:read|write|ls|stat)_(?:binary_)?(?:file|dir|\w*dir)$/,
  /^pg_file_|^pg_logdir_ls$|^pg_current_logfile$|^pg_hba_file_rules$|^pg_ident_file_mappings$/,
  // a text that is run as SQL, here or elsewhere
  /^dblink/,
  /^postgres_fdw_/,
  /^(?:query|cursor|table|schema|database)_to_xml/,
  /^(?:ts_stat|ts_rewrite|crosstab\w*|connectby|xpath_table)$/,
];

/** Options of EXPLAIN that do not run the statement. */
const EXPLAIN_OPTIONS: ReadonlySet<string> = new Set([
  "verbose",
  "costs",
  "settings",
  "generic_plan",
  "buffers",
  "memory",
  "summary",
  "format",
]);

/** Names of the most common statements; others are shown by PostgreSQL's name. */
const WORDS: Readonly<Record<string, string>> = {
  InsertStmt: "INSERT",
  UpdateStmt: "UPDATE",
  DeleteStmt: "DELETE",
  MergeStmt: "MERGE",
  TruncateStmt: "TRUNCATE",
  CopyStmt: "COPY",
  DoStmt: "DO",
  CallStmt: "CALL",
  VariableSetStmt: "SET",
  TransactionStmt: "a transaction",
  PrepareStmt: "PREPARE",
  ExecuteStmt: "EXECUTE",
  DropStmt: "DROP",
  CreateStmt: "CREATE TABLE",
  CreateTableAsStmt: "CREATE TABLE AS",
  LockStmt: "LOCK",
  NotifyStmt: "NOTIFY",
  ListenStmt: "LISTEN",
  VacuumStmt: "VACUUM or ANALYZE",
  GrantStmt: "GRANT or REVOKE",
};

const READS: SqlClass = { does: "reads" };

/** Undefined: it contains no statement. */
export function judge({ stmts = [] }: Parsed): SqlClass | undefined {
  const [only, more] = stmts;
  if (only === undefined) return undefined;
  if (more !== undefined) return writes("it holds more than one statement; send one at a time");
  const [kind, body] = nodeOf(only.stmt);
  switch (kind) {
    case "SelectStmt":
      return judgeSelect(body);
    case "VariableShowStmt":
      return READS;
    case "ExplainStmt":
      return judgeExplain(body);
    default:
      return writes(`it would do more than read: ${WORDS[kind] ?? kind.replace(/Stmt$/, "")}`);
  }
}

function judgeExplain(body: ParseNode): SqlClass {
  for (const option of listOf(body["options"])) {
    const [, element] = nodeOf(option);
    const name = String(element["defname"]);
    if (!EXPLAIN_OPTIONS.has(name)) return writes(`EXPLAIN with ${name.toUpperCase()} is not run; EXPLAIN alone is`);
  }
  const [kind, query] = nodeOf(body["query"]);
  return kind === "SelectStmt" ? judgeSelect(query) : writes(`EXPLAIN of ${WORDS[kind] ?? kind.replace(/Stmt$/, "")}`);
}

/** Walks the whole tree without recursion: the caller controls its depth. */
function judgeSelect(select: ParseNode): SqlClass {
  const open: unknown[] = [select];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next as readonly unknown[]) open.push(item);
      continue;
    }
    for (const [key, value] of Object.entries(next as ParseNode)) {
      const refusal = refusalOf(key, value);
      if (refusal !== undefined) return writes(`it would do more than read: ${refusal}`);
      open.push(value);
    }
  }
  return READS;
}

function refusalOf(key: string, value: unknown): string | undefined {
  if (key === "intoClause") return "SELECT INTO makes a table";
  if (key === "lockingClause" && listOf(value).length > 0) return "FOR UPDATE and FOR SHARE lock rows";
  if (key.endsWith("Stmt") && key !== "SelectStmt") return WORDS[key] ?? key.replace(/Stmt$/, "");
  const called = callable(key, value).find((name) => FUNCTIONS.some((pattern) => pattern.test(name)));
  return called === undefined ? undefined : `the function ${called}`;
}

/** The names in a node that may be function names, in lower case. */
function callable(key: string, value: unknown): readonly string[] {
  switch (key) {
    case "FuncCall":
      // The last part is the function's name; the schema before it does not matter.
      return namesOf(listOf((value as ParseNode)["funcname"]).slice(-1));
    // PostgreSQL reads x.name and (x).name as name(x) where x has no such column.
    case "ColumnRef":
      return namesOf(listOf((value as ParseNode)["fields"]).slice(1));
    case "A_Indirection":
      return namesOf(listOf((value as ParseNode)["indirection"]));
    default:
      return [];
  }
}

function namesOf(nodes: readonly unknown[]): readonly string[] {
  return nodes.flatMap((node) => {
    const { sval } = nodeOf(node)[1];
    return typeof sval === "string" ? [sval.toLowerCase()] : [];
  });
}

function writes(reason: string): SqlClass {
  return { does: "writes", reason };
}

/** A node is an object with one key, its kind. */
function nodeOf(node: unknown): readonly [kind: string, body: ParseNode] {
  const [entry] = typeof node === "object" && node !== null ? Object.entries(node) : [];
  const [kind, body] = entry ?? ["nothing", {}];
  return [kind, typeof body === "object" && body !== null ? (body as ParseNode) : {}];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
