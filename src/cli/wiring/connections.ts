import { resolve } from "node:path";
import type { StartedConnection } from "../../connections/index.ts";
import { ConnectionConfig, ConnectionId, Failure, mistakeWords } from "../../protocol/index.ts";
import type { Environment } from "../settings/settings.ts";

const FORMS = "name=sqlite:/path/to.db, name=postgres://user@host/database or name=env:VARIABLE";

/**
 * Parses `--connection`. A password is in a variable that it names, never in the flag: everybody on a machine can read flags.
 * Failures never repeat what follows the name.
 */
export function parseConnections(
  texts: readonly string[],
  { environment, cwd }: { readonly environment: Environment; readonly cwd: string },
): readonly StartedConnection[] {
  const connections = texts.map((text) => {
    const [, id = "", place = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (!ConnectionId.safeParse(id).success)
      throw new Failure("invalid_request", `--connection must be ${FORMS}; a name has letters, digits, _ and -`);
    const variable = /^env:(.*)$/s.exec(place)?.[1];
    if (variable === undefined) return parseOne({ id, place, cwd, mayHoldPassword: false });
    const value = environment[variable] ?? "";
    if (value === "")
      throw new Failure("invalid_request", `--connection ${id}: the environment has no variable of that name`);
    return parseOne({ id, place: value, cwd, mayHoldPassword: true });
  });
  const ids = connections.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Failure("invalid_request", `--connection names ${twice} twice`);
  return connections;
}

interface Named {
  readonly id: string;
  readonly place: string;
  readonly cwd: string;
  readonly mayHoldPassword: boolean;
}

function parseOne({ id, place, cwd, mayHoldPassword }: Named): StartedConnection {
  if (place.startsWith("sqlite:")) {
    const path = place.slice("sqlite:".length);
    return { id, config: checked(id, { kind: "sqlite", path: resolve(cwd, path) }) };
  }
  const url = URL.canParse(place) ? new URL(place) : undefined;
  const isPostgres = url?.protocol === "postgres:" || url?.protocol === "postgresql:";
  if (url === undefined || !isPostgres)
    throw new Failure("invalid_request", `--connection ${id} must be one of: ${FORMS}`);
  const password = decodeURIComponent(url.password);
  if (password !== "" && !mayHoldPassword)
    throw new Failure(
      "invalid_request",
      `--connection ${id} holds a password: put the address into a variable, and say ${id}=env:VARIABLE`,
    );
  url.password = "";
  return { id, config: checked(id, { kind: "postgres", url: url.href }), ...(password === "" ? {} : { password }) };
}

function checked(id: string, config: unknown): ConnectionConfig {
  const parsed = ConnectionConfig.safeParse(config);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Failure(
    "invalid_request",
    `--connection ${id}: ${issue?.path.join(".") ?? ""} ${issue === undefined ? "is not valid" : mistakeWords(issue)}`,
  );
}
