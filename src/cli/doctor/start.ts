import type { StatsFs } from "node:fs";
import { lstat, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { errorText, LIMITS } from "../../protocol/index.ts";
import { refuseForeignSocket } from "../../proxy/http/socket-place.ts";
import type { FoundServer } from "../connect.ts";
import {
  POLICY_FILE,
  PUSH_KEY_FILE,
  SEEN_TIME_FILE,
  SERVER_FILE,
  TOKEN_FILE,
  WEBHOOK_KEY_FILE,
} from "../home/files.ts";
import { loadPolicyFile } from "../settings/policy-file.ts";
import { setBackWords } from "../home/seen-time.ts";
import type { Settings } from "../settings/settings.ts";
import { fail, ok, warn, type DoctorCheck } from "./checks.ts";

/** Folders that a server creates in its home. */
const FOLDERS = ["connections", "engines", "output"];
const SEARCH_FILES = ["search.db", "search.db-wal", "search.db-shm"];
const FILES = [SERVER_FILE, TOKEN_FILE, SEEN_TIME_FILE, WEBHOOK_KEY_FILE, PUSH_KEY_FILE, "instance", ...SEARCH_FILES];

const MEGABYTE = 1_000_000;
/** A server makes a handful of files for each session. */
const FEW_INODES = 1_000;

/** What prevents a start, checked with the start's own code. Nothing is created or changed. */
export async function checkStart(
  settings: Settings,
  running: FoundServer | undefined,
): Promise<readonly DoctorCheck[]> {
  const home = settings.home.value;
  return [
    ...(await checkStore(home, running)),
    ...(await checkKinds(home)),
    ...checkSocket(home),
    ...(await checkPolicy(settings)),
    ...(await checkSpace(home)),
    ...checkClock(home),
  ];
}

function checkClock(home: string): readonly DoctorCheck[] {
  const words = setBackWords(home, Date.now());
  return words === undefined ? [] : [warn("clock", words.found, words.advice)];
}

async function checkStore(home: string, running: FoundServer | undefined): Promise<readonly DoctorCheck[]> {
  const { startProblem } = await import("../../store/sqlite/examine.ts");
  const problem = await startProblem(join(home, "sallyport.db"), { isServed: running !== undefined });
  if (problem === undefined) return [];
  return [fail("start", `a server would not start: ${problem}`, "do as it says; `sallyport doctor` looks again")];
}

async function checkKinds(home: string): Promise<readonly DoctorCheck[]> {
  const wrong: DoctorCheck[] = [];
  for (const name of [...FOLDERS, ...FILES]) {
    const path = join(home, name);
    if ((await lstat(path).catch(() => undefined)) === undefined) continue;
    const found = await stat(path).catch(() => undefined);
    const isFolder = FOLDERS.includes(name);
    if (isFolder ? found?.isDirectory() : found?.isFile()) continue;
    wrong.push(fail("start", `${path} is no ${isFolder ? "folder" : "file"}`, `mv ${path} ${path}.aside`));
  }
  return wrong;
}

function checkSocket(home: string): readonly DoctorCheck[] {
  try {
    refuseForeignSocket(home);
    return [];
  } catch (error) {
    return [fail("start", errorText(error), `mv ${join(home, "model.sock")} ${join(home, "model.sock.aside")}`)];
  }
}

async function checkPolicy(settings: Settings): Promise<readonly DoctorCheck[]> {
  const path = join(settings.home.value, POLICY_FILE);
  try {
    loadPolicyFile(settings.home.value, settings);
  } catch (error) {
    return [fail("policy file", errorText(error), "mend the file; a server does not start with it")];
  }
  return (await stat(path).catch(() => undefined)) === undefined ? [] : [ok("policy file", path)];
}

async function checkSpace(home: string): Promise<readonly DoctorCheck[]> {
  const space = await spaceOf(home);
  return space === undefined ? [] : judgeSpace(space);
}

/** Bytes and files that the disk of the home has left. */
export function judgeSpace({ bavail, bsize, files, ffree }: SpaceLeft): readonly DoctorCheck[] {
  const [free, needed] = [bavail * bsize, LIMITS.storeMinFreeBytes];
  const checks: DoctorCheck[] = [];
  const words = `${Math.floor(free / MEGABYTE)} MB free where the home is, and new work needs ${Math.floor(needed / MEGABYTE)} MB`;
  if (free < needed) checks.push(fail("disk", words, "free some space, or delete old sessions with `sallyport prune`"));
  // Some file systems count no files at all.
  if (files > 0 && ffree < FEW_INODES) {
    const found = `${ffree} more files can be made on the disk of the home (inodes)`;
    checks.push((ffree < LIMITS.storeMinFreeFiles ? fail : warn)("disk", found, "delete files on that disk"));
  }
  return checks;
}

type SpaceLeft = Pick<StatsFs, "bavail" | "bsize" | "files" | "ffree">;

/** Of the folder itself, or of its future parent. */
async function spaceOf(folder: string): Promise<StatsFs | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  return found ?? (dirname(folder) === folder ? undefined : spaceOf(dirname(folder)));
}

const Answer = z.object({ reasons: z.array(z.object({ code: z.string(), message: z.string() })).optional() });

/** Whether a running server accepts work, in its own words. */
export async function checkReady({ url, pid }: FoundServer): Promise<DoctorCheck> {
  const place = `${url} (pid ${pid})`;
  try {
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(LIMITS.serverProbeMs) });
    if (response.ok) return ok("server", `runs at ${place}`);
    const parsed = Answer.safeParse(await response.json());
    const reasons = (parsed.data?.reasons ?? []).map(({ message }) => message).join(" ");
    return fail("server", `runs at ${place} but takes no new work: ${reasons}`, "look at the server's log");
  } catch (error) {
    return fail(
      "server",
      `runs at ${place} but /ready does not answer: ${errorText(error)}`,
      "look at the server's log",
    );
  }
}
