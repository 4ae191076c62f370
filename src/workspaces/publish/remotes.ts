import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { git } from "../git.ts";
import type { Repository } from "../repository.ts";
import { isWithin } from "./program.ts";

/** A place that a repository is pushed to. */
export interface GitRemote {
  readonly name: string;
  /** With a password in it, if the repository's settings have one. Never shown. */
  readonly address: string;
}

/** How git reaches a place. `file`: on this machine. */
type RemoteKind = "https" | "ssh" | "file";

/** What a repository's settings say. They are read as text: nothing that they name is run or included. */
export async function remotesOf({ commonFolder }: Repository): Promise<readonly GitRemote[]> {
  const file = join(commonFolder, "config");
  const words = ["config", `--file=${file}`, "--no-includes", "-z", "--get-regexp", "^remote\\..*\\.(url|pushurl)$"];
  // Not in the repository: git would read its settings by itself.
  const listed = (await git("/", words, { isOurs: true })) ?? "";
  const found = new Map<string, string>();
  for (const entry of listed.split("\0")) {
    const at = entry.indexOf("\n");
    const [, name, kind] = /^remote\.([\s\S]+)\.(url|pushurl)$/.exec(entry.slice(0, Math.max(0, at))) ?? [];
    if (name === undefined || (kind === "url" && found.has(name))) continue;
    found.set(name, entry.slice(at + 1));
  }
  return [...found].slice(0, LIMITS.remotesListed).map(([name, address]) => ({ name, address }));
}

/** An address as people may see it: without a password or token. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, (_whole, scheme: string) =>
    scheme.toLowerCase() === "ssh://" ? _whole.replace(/:[^@/:]*@$/, "@") : scheme,
  );
}

/** Texts of programs, without passwords in the addresses that they name. */
export function withoutPasswords(text: string): string {
  // Bounded: a text may be one long word.
  return text.replaceAll(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^/\s@]+@/gi, "$1");
}

/** Blanks, control characters, and those that nobody sees: an address is what it looks like. */
const UNPRINTABLE = /\s|\p{C}/u;

/**
 * How an address is reached, or a Failure. Git would start a program for many that a repository can name (`ext::`, an option in place of
 * a host), and a repository in a folder of sessions would run its own hooks.
 */
export async function kindOf(address: string, forbidden: readonly string[]): Promise<RemoteKind> {
  if (UNPRINTABLE.test(address) || address.startsWith("-") || /^[a-z0-9+.-]+::/i.test(address)) throw refused(address);
  const [, scheme, host] = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/@]*@)?([^/:]*)/i.exec(address) ?? [];
  if (host?.startsWith("-") === true) throw refused(address);
  switch (scheme?.toLowerCase()) {
    case "https":
    case "ssh":
      if (host === "" || host === undefined) throw refused(address);
      return scheme.toLowerCase() === "https" ? "https" : "ssh";
    case "file":
      return local(fileURLToPath(address), forbidden);
    case undefined:
      if (address.startsWith("/")) return local(address, forbidden);
      // git@host:path
      if (/^(?:[\w.-]+@)?[a-z0-9][\w.-]*:[^-:][^:]*$/i.test(address)) return "ssh";
      throw refused(address);
    default:
      throw refused(address);
  }
}

async function local(path: string, forbidden: readonly string[]): Promise<RemoteKind> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw new Failure("not_found", `there is no repository at ${path}`);
  if (forbidden.some((folder) => isWithin(folder, real)))
    throw new Failure("forbidden", `${path} is in a folder that sessions write in, so nothing is pushed there`);
  return "file";
}

function refused(address: string): Failure {
  return new Failure(
    "forbidden",
    `nothing is pushed to ${JSON.stringify(shownAddress(address).slice(0, 200))}: only https, ssh and repositories on this machine will do`,
  );
}
