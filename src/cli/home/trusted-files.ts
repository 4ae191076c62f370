import { lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join, parse, resolve, sep } from "node:path";
import { Failure, LIMITS, mcpSecrets, shellWord } from "../../protocol/index.ts";
import { POLICY_FILE, SERVER_FILE, TOKEN_FILE, SEEN_TIME_FILE, WEBHOOK_KEY_FILE } from "./files.ts";
import type { Environment, Settings } from "../settings/settings.ts";
import { SETTINGS_FILE } from "../settings/file.ts";

/** A trusted path, and how far: others may not even read a `private` one. */
export interface TrustedPath {
  readonly path: string;
  readonly rule: "unchanged" | "private";
}

/** A file or folder through which another user could change what this server does, and the command that fixes it. */
export interface Untrusted {
  readonly path: string;
  readonly problem: string;
  readonly command: string;
}

/** Set to 1 if the machine itself is the isolation, as in a container whose volumes have odd owners and modes. */
export const ACCEPT_VARIABLE = "SALLYPORT_ACCEPT_SHARED_HOME";

/** The database and its side files are made private by the store itself; that others may not change them is checked here. */
const DATABASE = [
  "sallyport.db",
  "sallyport.db-wal",
  "sallyport.db-shm",
  "sallyport.db.record",
  "search.db",
  "search.db-wal",
  "search.db-shm",
  "instance",
  SEEN_TIME_FILE,
];

/** The home folder and everything in it that decides what the server does. */
export function trustedInHome(home: string): readonly TrustedPath[] {
  const unchanged = [
    "",
    SETTINGS_FILE,
    POLICY_FILE,
    SERVER_FILE,
    "connections",
    "engines",
    "output",
    "mcp",
    ...DATABASE,
  ];
  return [
    ...unchanged.map((name) => ({ path: join(home, name), rule: "unchanged" }) as const),
    { path: join(home, TOKEN_FILE), rule: "private" },
    { path: join(home, WEBHOOK_KEY_FILE), rule: "private" },
    { path: join(home, "supervisor.token"), rule: "private" },
  ];
}

/** Who may read them is checked when they are read; here it is only checked that others cannot replace a key. */
export function keyFilesOf({
  providers,
  egressCredentials,
  mcpServers,
  mcpVariables,
}: Pick<Settings, "providers" | "egressCredentials" | "mcpServers" | "mcpVariables">): readonly TrustedPath[] {
  return Object.values(providers.value)
    .flatMap(({ credentials = [], login, ...setting }) =>
      (credentials === "own_login" ? [{ credential_file: login?.file }] : credentials).concat(setting),
    )
    .concat(egressCredentials?.value ?? [])
    .concat(mcpSecrets(mcpServers?.value ?? {}, mcpVariables?.value).map(([, source]) => source))
    .flatMap(({ credential_file: path }) => (path === undefined ? [] : [{ path, rule: "unchanged" } as const]));
}

/** Throws if others could change a trusted path. The message names every place with the command that fixes it. */
export function refuseUntrusted(paths: readonly TrustedPath[], environment: Environment): void {
  if (isAccepted(environment)) return;
  const found = untrusted(paths);
  if (found.length === 0) return;
  const lines = found.map(({ path, problem, command }) => `  ${path} ${problem}\n    ${command}`);
  throw new Failure(
    "invalid_request",
    `other users of this machine could take over this server. Run, and start again:\n${lines.join("\n")}`,
    found,
  );
}

export function isAccepted(environment: Environment): boolean {
  return environment[ACCEPT_VARIABLE] === "1";
}

/** Everything that others could change, each once. Links are followed; of a path that does not exist yet, only its parents are checked. */
export function untrusted(paths: readonly TrustedPath[]): readonly Untrusted[] {
  const user = process.getuid?.();
  if (user === undefined) return [];
  const found = new Map<string, Untrusted>();
  const seen = new Map<string, Stats | undefined>();
  for (const { path, rule } of paths) {
    for (const step of stepsOf(resolve(path), seen)) {
      const { target, stats } = step;
      const fault = step.isHolder ? holderFault(step, user) : fileFault(step, { user, rule });
      if (fault !== undefined && !found.has(target)) found.set(target, { path: target, ...fault });
      if (stats === undefined) break;
    }
  }
  return [...found.values()];
}

interface PathStep {
  readonly target: string;
  /** Undefined: there is nothing. */
  readonly stats: Stats | undefined;
  /** A folder on the way; false for the path itself. */
  readonly isHolder: boolean;
}

/** Every folder on the way to a path, and to each link's target, from the root on; then the resolved path itself. */
function stepsOf(path: string, seen: Map<string, Stats | undefined>): readonly PathStep[] {
  const steps: PathStep[] = [];
  let rest = partsOf(path);
  let at = parse(path).root;
  let links = 0;
  steps.push({ target: at, stats: statOf(at, seen), isHolder: rest.length > 0 });
  while (rest.length > 0) {
    const [name = "", ...further] = rest;
    const next = join(at, name);
    const stats = statOf(next, seen);
    if (stats?.isSymbolicLink() === true && links < LIMITS.linksFollowed) {
      links += 1;
      const target = resolve(at, readlinkSync(next));
      at = parse(target).root;
      rest = [...partsOf(target), ...further];
      steps.push({ target: at, stats: statOf(at, seen), isHolder: true });
      continue;
    }
    steps.push({ target: next, stats, isHolder: further.length > 0 });
    if (stats === undefined) break;
    at = next;
    rest = further;
  }
  return steps;
}

function partsOf(path: string): string[] {
  return path.slice(parse(path).root.length).split(sep).filter(Boolean);
}

function statOf(path: string, seen: Map<string, Stats | undefined>): Stats | undefined {
  if (seen.has(path)) return seen.get(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  seen.set(path, stats);
  return stats;
}

type FileFault = Pick<Untrusted, "problem" | "command">;
const STICKY = 0o1000;

/** Whoever may write a folder can replace our file, unless its sticky bit protects files of others. */
function holderFault({ target, stats }: PathStep, user: number): FileFault | undefined {
  if (stats === undefined) return undefined;
  const owner = ownerFault(target, stats, user);
  if (owner !== undefined) return owner;
  return (stats.mode & STICKY) === 0 ? writeFault(target, stats) : undefined;
}

function fileFault(
  { target, stats }: PathStep,
  { user, rule }: { readonly user: number; readonly rule: TrustedPath["rule"] },
): FileFault | undefined {
  if (stats === undefined) return undefined;
  const fault = ownerFault(target, stats, user) ?? writeFault(target, stats);
  if (fault !== undefined || rule === "unchanged" || (stats.mode & 0o077) === 0) return fault;
  return { problem: "can be read by other users", command: `chmod 600 ${shellWord(target)}` };
}

function ownerFault(path: string, { uid }: Stats, user: number): FileFault | undefined {
  if (uid === user || uid === 0) return undefined;
  return {
    problem: `belongs to another user (uid ${uid}, this process has ${user})`,
    command: `chown ${user} ${shellWord(path)}`,
  };
}

function writeFault(path: string, { mode, gid }: Stats): FileFault | undefined {
  const all = (mode & 0o002) !== 0;
  const group = (mode & 0o020) !== 0;
  if (!all && (!group || isOwnGroup(gid))) return undefined;
  const who = all && group ? "go" : all ? "o" : "g";
  return {
    problem: all ? "can be changed by every user" : `can be changed by the group ${gid}`,
    command: `chmod ${who}-w ${shellWord(path)}`,
  };
}

/** A group that contains only this user, as many systems create: what it may write, only this user may. */
function isOwnGroup(gid: number): boolean {
  const user = process.getuid?.();
  try {
    const users = tableOf("/etc/passwd");
    const names = new Set(users.filter(([, , uid]) => Number(uid) === user).map(([name]) => name));
    const strangers = users.filter(([, , uid, group]) => Number(group) === gid && Number(uid) !== user && uid !== "0");
    const entry = tableOf("/etc/group").find(([, , id]) => Number(id) === gid);
    if (entry === undefined || strangers.length > 0) return false;
    return (entry[3] ?? "").split(",").every((name) => name === "" || name === "root" || names.has(name));
  } catch {
    return false;
  }
}

function tableOf(path: string): readonly (readonly string[])[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .map((line) => line.split(":"));
}
