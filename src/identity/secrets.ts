import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { LIMITS, SecretPath } from "../protocol/index.ts";

/** A pre-shared key by its path, or why there is none. Neither message nor path holds the key. */
export type ReadSecret = (
  path: string,
) => { readonly ok: true; readonly value: string } | { readonly ok: false; readonly why: string };

export interface SecretFolder {
  /** Absolute. */
  readonly folder: string;
  /** Receives each secret before anything could log it. */
  readonly learn: (secret: string) => void;
}

const PRINTABLE = /^[\x20-\x7e]+$/;

/** Secrets are files of one private folder: read when they are used, never shown. */
export function secretsIn({ folder, learn }: SecretFolder): ReadSecret {
  return (path) => {
    const refuse = (why: string) => ({ ok: false, why: `the secret ${JSON.stringify(path)} ${why}` }) as const;
    if (!SecretPath.safeParse(path).success) return refuse("is no path below the secrets folder");
    let file: number;
    try {
      // Never blocks: a pipe or a device is refused below.
      file = openSync(join(folder, path), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return refuse(code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? "?"})`);
    }
    try {
      const found = fstatSync(file);
      if (!found.isFile()) return refuse("is no regular file");
      if ((found.mode & 0o077) !== 0) return refuse("can be read by others: chmod 600");
      const bytes = Buffer.alloc(LIMITS.sharedKeyMaxChars + 2);
      const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0));
      const value = text.replace(/\r?\n$/, "");
      if (value.length < LIMITS.sharedKeyMinChars)
        return refuse(`is shorter than ${LIMITS.sharedKeyMinChars} characters`);
      if (value.length > LIMITS.sharedKeyMaxChars)
        return refuse(`is longer than ${LIMITS.sharedKeyMaxChars} characters`);
      if (!PRINTABLE.test(value)) return refuse("must be one line of printable characters");
      learn(value);
      return { ok: true, value };
    } finally {
      closeSync(file);
    }
  };
}
