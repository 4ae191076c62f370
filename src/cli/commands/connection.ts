import { resolve } from "node:path";
import { Option, type Command } from "commander";
import {
  ConnectionConfig,
  Failure,
  mistakeWords,
  LIMITS,
  Role,
  type ConnectionReport,
  type QueryAnswer,
} from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";
import { duration } from "../terminal/words.ts";
import { collect, oneOf, wholeNumber } from "./options.ts";

const HELP = `
A connection is read, never written: by the rights of the database and by parsing each statement. Passwords stay out of it: it names a
variable of the server (PGPASSWORD or SALLYPORT_CONNECTION_…), or a file of mode 600 in the folder connections of the home folder.

Examples:
  $ sallyport connection add sales --sqlite ./sales.db
  $ sallyport connection add crm --postgres postgres://reader@db.example.org/crm --credential-file crm
  $ sallyport connection test
  $ sallyport connection query sales "SELECT count(*) FROM orders"`;

export function addConnection(program: Command, context: CommandContext): void {
  const connection = program
    .command("connection")
    .description("databases that may be read: list, add, remove, test and query")
    .helpCommand(false)
    .addHelpText("after", HELP);
  addList(connection, context);
  addAdd(connection, context);
  addRemove(connection, context);
  addTest(connection, context);
  addQuery(connection, context);
}

function addList(connection: Command, context: CommandContext): void {
  connection
    .command("list")
    .description("the databases that you may read")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport connection list")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const page = await client.connections();
        if (json === true) printJson(context, page);
        else if (page.connections.length === 0)
          print(context, `no connections; make one with: ${context.surroundings.name} connection add`);
        else {
          const rows = page.connections.map(({ id, kind, default_catalog, name }) => [id, kind, default_catalog, name]);
          show(context, [["CONNECTION", "KIND", "CATALOG", "NAME"], ...rows]);
        }
      }),
    );
}

interface AddConnectionOptions {
  readonly sqlite?: string;
  readonly postgres?: string;
  readonly name?: string;
  readonly credentialEnv?: string;
  readonly credentialFile?: string;
  readonly role?: readonly Role[];
  readonly principal?: readonly string[];
  readonly dbRole?: string;
  readonly dbRoleOf?: readonly string[];
  readonly timeout?: number;
  readonly maxRows?: number;
  readonly allowWritableRole?: boolean;
  readonly json?: boolean;
}

function addAdd(connection: Command, context: CommandContext): void {
  const role = oneOf(Role);
  connection
    .command("add")
    .description("set a connection, or replace the one with this id")
    .argument("<id>", "letters, digits, _ and -")
    .option("--sqlite <file>", "an SQLite file of the server's machine")
    .option("--postgres <url>", "postgres://user@host:port/database, without the password")
    .option("--name <name>", "shown to people (default: the id)")
    .option("--credential-env <name>", "the password is in this variable of the server")
    .option("--credential-file <name>", "the password is in this file of the folder connections in the home folder")
    .addOption(
      new Option("--role <role>", "who may use it, several times (default: admin, operator)").argParser(
        (text, before: readonly Role[] | undefined) => [...(before ?? []), role(text)],
      ),
    )
    .option("--principal <token id>", "the only tokens that may use it, several times", collect)
    .option("--db-role <role>", "the database role that statements run as")
    .option("--db-role-of <token id=role>", "the same for one token, several times", collect)
    .option(
      "--timeout <ms>",
      "how long a statement may take",
      wholeNumber({ from: 1, to: LIMITS.connectionQueryMaxMs }),
    )
    .option("--max-rows <n>", "the most rows of an answer", wholeNumber({ from: 1, to: LIMITS.connectionRowsMax }))
    .option("--allow-writable-role", "take a database role that may write; weaker")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExample:\n  $ sallyport connection add sales --sqlite ./sales.db --role operator --role agent",
    )
    .action((id: string, options: AddConnectionOptions, command: Command) => {
      const config = configOf(options, context.surroundings.cwd);
      return withServer(context, command, async ({ client }) => {
        const record = await client.putConnection(id, config);
        if (options.json === true) printJson(context, record);
        else {
          print(context, `${id} is set`);
          const { screen, surroundings } = context;
          screen.line(screen.paint.dim(`see whether it works: ${surroundings.name} connection test ${id}`));
        }
      });
    });
}

function configOf(options: AddConnectionOptions, cwd: string): ConnectionConfig {
  const { sqlite, postgres, name, role, principal, timeout, maxRows } = options;
  if ((sqlite === undefined) === (postgres === undefined))
    throw new Failure("invalid_request", "say one of --sqlite <file> and --postgres <url>");
  if (sqlite === "") throw new Failure("invalid_request", "--sqlite is empty: name the file of the database");
  const shared = {
    ...(name === undefined ? {} : { name }),
    ...(role === undefined ? {} : { roles: [...new Set(role)] }),
    ...(principal === undefined ? {} : { principals: principal }),
    ...(timeout === undefined ? {} : { statement_timeout_ms: timeout }),
    ...(maxRows === undefined ? {} : { max_rows: maxRows }),
    ...credentialsOf(options),
  };
  const kind =
    sqlite === undefined ? { kind: "postgres", url: postgres } : { kind: "sqlite", path: resolve(cwd, sqlite) };
  const parsed = ConnectionConfig.safeParse({ ...kind, ...shared });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Failure(
    "invalid_request",
    `${issue?.path.join(".") ?? ""} ${issue === undefined ? "is not valid" : mistakeWords(issue)}`.trim(),
  );
}

/** Only for PostgreSQL; with a file these are refused as unknown. */
function credentialsOf({
  credentialEnv,
  credentialFile,
  dbRole,
  dbRoleOf,
  allowWritableRole,
}: AddConnectionOptions): object {
  const roles = dbRoleOf?.map((text) => {
    const [, token, role] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (token === undefined || role === undefined)
      throw new Failure("invalid_request", "--db-role-of must be <token id>=<database role>");
    return [token, role] as const;
  });
  return {
    ...(credentialEnv === undefined ? {} : { credential_env: credentialEnv }),
    ...(credentialFile === undefined ? {} : { credential_file: credentialFile }),
    ...(dbRole === undefined ? {} : { db_role: dbRole }),
    ...(roles === undefined ? {} : { db_roles: Object.fromEntries(roles) }),
    ...(allowWritableRole === undefined ? {} : { allow_writable_role: allowWritableRole }),
  };
}

function addRemove(connection: Command, context: CommandContext): void {
  connection
    .command("remove")
    .description("delete a connection; what runs on it is ended")
    .argument("<id>")
    .addHelpText("after", "\nExample:\n  $ sallyport connection remove sales")
    .action((id: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        await client.removeConnection(id);
        print(context, `${id} is gone`);
      }),
    );
}

function addTest(connection: Command, context: CommandContext): void {
  connection
    .command("test")
    .description("ask a database whether it is there and cannot be written")
    .argument("[id]", "left out: all that you may read")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExit code 1 when one does not work.\n\nExample:\n  $ sallyport connection test crm")
    .action((id: string | undefined, { json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const ids = id === undefined ? (await client.connections()).connections.map((one) => one.id) : [id];
        const reports = await Promise.all(ids.map((one) => client.testConnection(one)));
        if (json === true) printJson(context, { connections: reports });
        else if (reports.length === 0)
          print(context, `no connections; make one with: ${context.surroundings.name} connection add`);
        else showReports(context, reports);
        return reports.every(({ status }) => status === "ok") ? EXIT.done : EXIT.failed;
      }),
    );
}

function showReports(context: CommandContext, reports: readonly ConnectionReport[]): void {
  const rows = reports.map(({ id, status, latency_ms, server_version, message }) => [
    id,
    status,
    latency_ms === undefined ? "-" : duration(latency_ms),
    server_version ?? "-",
    message.split("\n", 1)[0] ?? "",
  ]);
  show(context, [["CONNECTION", "STATUS", "TIME", "VERSION", "ANSWER"], ...rows]);
  // The instructions are longer than a line, and meant to be copied.
  for (const { message } of reports)
    if (message.includes("\n")) for (const line of message.split("\n")) context.screen.line(visible(line));
}

function addQuery(connection: Command, context: CommandContext): void {
  connection
    .command("query")
    .description("run one statement that reads")
    .argument("<id>")
    .argument("<sql>")
    .option("--max-rows <n>", "the most rows", wholeNumber({ from: 1, to: LIMITS.connectionRowsMax }))
    .option("--json", "as JSON")
    .addHelpText("after", '\nExample:\n  $ sallyport connection query sales "SELECT count(*) FROM orders"')
    .action((id: string, sql: string, options: { maxRows?: number; json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const controller = new AbortController();
        const stop = context.surroundings.onSignal("SIGINT", () => controller.abort());
        try {
          const { maxRows: max_rows } = options;
          const query = { sql, ...(max_rows === undefined ? {} : { max_rows }) };
          const answer = await client.querySql(id, query, controller.signal);
          if (options.json === true) printJson(context, answer);
          else showRows(context, answer);
          return EXIT.done;
        } catch (error) {
          if (controller.signal.aborted) return EXIT.interrupted;
          throw error;
        } finally {
          stop();
        }
      }),
    );
}

function showRows(context: CommandContext, { columns, rows, row_count, truncated, elapsed_ms }: QueryAnswer): void {
  show(context, [columns.map(({ name }) => name), ...rows.map((row) => row.map(cell))]);
  const { screen } = context;
  const count = `${row_count} ${row_count === 1 ? "row" : "rows"}${truncated ? ", there are more" : ""}`;
  screen.line(screen.paint.dim(`${count}; ${duration(elapsed_ms)}`));
}

function cell(value: unknown): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function show(context: CommandContext, rows: readonly (readonly string[])[]): void {
  for (const line of table(rows, width(context))) print(context, line);
}
