import { readFileSync } from "node:fs";
import { copyFile, link, mkdir, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import {
  findProgram,
  isProgram,
  programIn,
  VENDOR_PROGRAMS,
  type VendorProgramName,
} from "../../engines/vendor/programs.ts";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Environment } from "../settings/settings.ts";
import { runChild, type ChildEnd } from "./child.ts";

/** Beside what npm made: which package this is, as `scripts/programs.mjs` writes it too. */
const STAMP = ".installed";
const PRIVATE = 0o700;

export interface InstallOptions {
  readonly name: VendorProgramName;
  /** Exact; absent: the one that was tested. */
  readonly version?: string | undefined;
  /** Absolute. */
  readonly folder: string;
  readonly environment: Environment;
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
}

export interface InstalledProgram {
  readonly name: VendorProgramName;
  readonly version: string;
  readonly path: string;
}

/**
 * Installs a program with npm into a folder of its own. It is made aside and renamed when it is whole: until then, and after
 * a failure, what was there stays. No script of a package runs.
 */
export async function installProgram(options: InstallOptions): Promise<InstalledProgram> {
  const { name, folder, now } = options;
  const version = options.version ?? VENDOR_PROGRAMS[name].version;
  const wanted = `${VENDOR_PROGRAMS[name].package}@${version}`;
  const making = join(folder, `${name}.making-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true, mode: PRIVATE });
    await sweep(folder, now());
    await rm(making, { recursive: true, force: true });
    await mkdir(making, { mode: PRIVATE });
  } catch (error) {
    throw folderFailure(folder, error);
  }
  try {
    await bring(options, { wanted, making });
    await writeFile(join(making, STAMP), wanted);
    await replace(join(folder, name), making);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  const [path] = findProgram(name, { installed: folder });
  if (path === undefined) throw new Failure("conflict", `${name} was removed by somebody else meanwhile: run it again`);
  return { name, version, path };
}

/** False: there was none. Programs that run already keep what they have open. */
export async function removeProgram(name: VendorProgramName, folder: string): Promise<boolean> {
  const target = join(folder, name);
  const leaving = join(folder, `${name}.old-${process.pid}`);
  try {
    await rename(target, leaving);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw folderFailure(folder, error);
  }
  await rm(leaving, { recursive: true, force: true });
  return true;
}

async function bring(
  { name, environment, signal }: InstallOptions,
  { wanted, making }: { readonly wanted: string; readonly making: string },
): Promise<void> {
  const end = await runChild({
    program: "npm",
    words: ["install", "--prefix", making, ...NPM_FLAGS, wanted],
    environment: npmEnvironment(environment),
    cwd: making,
    limitMs: LIMITS.programInstallMs,
    signal,
  });
  const failure = npmFailure(name, wanted, end);
  if (failure !== undefined) throw failure;
  const tried = { making, environment, signal };
  const path = programIn(making, name);
  if (isProgram(path) && (await starts(path, tried))) return;
  // Some packages put the part for this machine into place with a script of theirs, and none was run.
  for (const native of nativePrograms(making, name)) {
    if (!(await starts(native, tried))) continue;
    await putInPlace(native, path);
    return;
  }
  throw new Failure(
    "unsupported",
    `${wanted} has no program that starts on this machine, and was not kept: try another version (name@version)`,
  );
}

interface TrialPlace {
  readonly making: string;
  readonly environment: Environment;
  readonly signal: AbortSignal | undefined;
}

/** A package may come without the part for this machine: then it is there and does not start. */
async function starts(program: string, { making, environment, signal }: TrialPlace): Promise<boolean> {
  const end = await runChild({
    program,
    words: ["--version"],
    // What it writes at its first start does not go into the person's own home.
    environment: { PATH: environment["PATH"] ?? "", HOME: making },
    cwd: making,
    limitMs: LIMITS.programVersionMs,
    signal,
  });
  if (end.how === "stopped") throw stopped();
  // One that still runs has no such option, and waits for input.
  return end.how === "too slow" || (end.how === "exited" && end.code === 0);
}

const PackageParts = z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() });

/** The programs of the optional packages that npm chose for this machine. */
function nativePrograms(making: string, name: VendorProgramName): readonly string[] {
  const { package: npmPackage, command } = VENDOR_PROGRAMS[name];
  const modules = join(making, "node_modules");
  const parts = PackageParts.safeParse(readJson(join(modules, npmPackage, "package.json"))).data;
  const file = process.platform === "win32" ? `${command}.exe` : command;
  return Object.keys(parts?.optionalDependencies ?? {})
    .map((one) => join(modules, one, "bin", file))
    .filter(isProgram);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** As another name of the same file: such programs have hundreds of megabytes. */
async function putInPlace(native: string, path: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  await rm(target, { force: true });
  await link(native, target).catch(() => copyFile(native, target));
}

/** Exact, quiet, and without running anything of the packages. Its answer is JSON. */
const NPM_FLAGS = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--no-update-notifier", "--json"];

/** What npm needs of ours. Keys of models and Sallyport's own token are not among it. */
const NPM_VARIABLES =
  /^(?:PATH|HOME|USER|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|COMSPEC|TMPDIR|TMP|TEMP|LANG|XDG_\w+|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|(?:http|https|no|all)_proxy|npm_config_\w+|NPM_TOKEN|NODE_AUTH_TOKEN)$/i;

function npmEnvironment(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && NPM_VARIABLES.test(name) ? [[name, value]] : [],
    ),
  );
}

const NpmAnswer = z.object({ error: z.object({ code: z.string() }) });

/** The network is away, or the registry is. */
const OFFLINE = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ERR_SOCKET_TIMEOUT",
  "FETCH_ERROR",
  "ENOTCACHED",
]);

/** Undefined: npm did its work. Every failure says what to do next, and repeats nothing that npm printed but its code. */
function npmFailure(name: VendorProgramName, wanted: string, end: ChildEnd): Failure | undefined {
  const instead = `or install it yourself and name it in sallyport.yaml: programs: {${name}: /path/to/it}`;
  switch (end.how) {
    case "stopped":
      return stopped();
    case "too slow":
      return new Failure(
        "engine_failed",
        `${wanted} was not installed in ${LIMITS.programInstallMs / 60_000} minutes: check the network and run it again, ${instead}`,
      );
    case "not started":
      return new Failure(
        "unsupported",
        end.code === "ENOENT"
          ? `npm was not found: it comes with Node.js (https://nodejs.org), ${instead}`
          : `npm does not start (${end.code}): check your Node.js, ${instead}`,
      );
    case "exited":
      return end.code === 0 ? undefined : refusedByNpm(wanted, codeOf(end.output), instead);
  }
}

function refusedByNpm(wanted: string, code: string, instead: string): Failure {
  if (OFFLINE.has(code))
    return new Failure(
      "engine_failed",
      `npm cannot reach its registry (${code}): check the network, \`npm config get registry\` and HTTPS_PROXY, and run it again, ${instead}`,
    );
  if (code === "ENOSPC")
    return new Failure("engine_failed", `there is no room on the disk for ${wanted}: make some, and run it again`);
  if (code === "E404" || code === "ETARGET")
    return new Failure("not_found", `npm's registry has no ${wanted}: leave out the version for the tested one`);
  if (code === "EBADENGINE" || code === "EBADPLATFORM")
    return new Failure("unsupported", `${wanted} does not run here (${code}): it wants another Node.js or system`);
  return new Failure(
    "engine_failed",
    `npm could not install ${wanted} (${code}): \`npm install ${wanted}\` in an empty folder shows why, ${instead}`,
  );
}

function codeOf(output: string): string {
  try {
    return NpmAnswer.parse(JSON.parse(output)).error.code;
  } catch {
    return "no code";
  }
}

function stopped(): Failure {
  return new Failure("aborted", "it was stopped; nothing was changed");
}

function folderFailure(folder: string, error: unknown): Failure {
  const { code = "?" } = error as NodeJS.ErrnoException;
  const advice =
    code === "ENOSPC" ? "make room on the disk" : "choose another with programs_folder or SALLYPORT_PROGRAMS_FOLDER";
  return new Failure("invalid_request", `${folder} cannot be written (${code}): ${advice}`);
}

/** The old one goes aside first, and comes back if the new one cannot take its place. */
async function replace(target: string, making: string): Promise<void> {
  const old = `${target}.old-${process.pid}`;
  const had = await rename(target, old).then(
    () => true,
    () => false,
  );
  try {
    await rename(making, target);
  } catch (error) {
    if (had) await rename(old, target).catch(() => undefined);
    const { code = "?" } = error as NodeJS.ErrnoException;
    throw new Failure("conflict", `${target} was changed by somebody else meanwhile (${code}): run it again`);
  }
  await rm(old, { recursive: true, force: true });
}

/** What a killed installation left: older than any that can still run. */
async function sweep(folder: string, now: number): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (!/\.(?:making|old)-\d+$/.test(entry)) continue;
    const path = join(folder, entry);
    const made = await stat(path).catch(() => undefined);
    if (made !== undefined && now - made.mtimeMs > LEFTOVER_MS) await rm(path, { recursive: true, force: true });
  }
}

const LEFTOVER_MS = LIMITS.programInstallMs + 2 * LIMITS.programVersionMs;
