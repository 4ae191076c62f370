import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { Failure, LIMITS, type ConnectionConfig } from "../protocol/index.ts";

export type CredentialEnvironment = Readonly<Record<string, string | undefined>>;

export interface CredentialPlaces {
  readonly environment: CredentialEnvironment;
  /** Where the files with passwords are. Absolute. */
  readonly folder: string;
  /** Receives each password before anything could log it. */
  readonly learn: (secret: string) => void;
}

type PostgresConfig = Extract<ConnectionConfig, { readonly kind: "postgres" }>;

/** The password that a connection names, read on use. Undefined: it names none. Messages never contain it. */
export function passwordOf(config: PostgresConfig, places: CredentialPlaces): string | undefined {
  const { credential_env: variable, credential_file: file } = config;
  if (variable === undefined && file === undefined) return undefined;
  const password = file === undefined ? (places.environment[variable ?? ""] ?? "") : firstLine(places.folder, file);
  if (password === "")
    throw new Failure(
      "connection_failed",
      file === undefined
        ? `the server's environment has no ${variable}`
        : `the file connections/${file} holds no password`,
    );
  if (password.length > LIMITS.credentialChars)
    throw new Failure("connection_failed", `the password is longer than ${LIMITS.credentialChars} characters`);
  places.learn(password);
  return password;
}

function firstLine(folder: string, name: string): string {
  const refuse = (what: string): Failure => new Failure("connection_failed", `the file connections/${name} ${what}`);
  let file: number;
  try {
    // Never blocks: a pipe or a device is refused below.
    file = openSync(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(code === "ENOENT" ? "does not exist in the home folder" : `cannot be read (${code ?? "?"})`);
  }
  try {
    const known = fstatSync(file);
    if (!known.isFile()) throw refuse("must be a regular file");
    if ((known.mode & 0o077) !== 0) throw refuse(`can be read by others: chmod 600 ${name}`);
    const bytes = Buffer.alloc(LIMITS.credentialChars * 4 + 2);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return bytes.toString("utf8", 0, length).split(/\r?\n/, 1)[0] ?? "";
  } finally {
    closeSync(file);
  }
}
