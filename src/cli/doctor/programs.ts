import { execFile } from "node:child_process";
import { LIMITS } from "../../protocol/index.ts";
import { isMissing } from "../../browser/program.ts";
import { Supervisor } from "../../sandbox/index.ts";
import { browserOf } from "../wiring/browser.ts";
import { RAISE_OPEN_FILES, type OpenFiles } from "../open-files.ts";
import { reportPrograms } from "../programs/found.ts";
import { openSandboxes } from "../wiring/sandboxes.ts";
import type { Environment, Settings } from "../settings/settings.ts";
import { fail, ok, warn, type DoctorCheck } from "./checks.ts";

const OLDEST_NODE = [20, 19] as const;

export function checkNode(version: string): DoctorCheck {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const good = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return good
    ? ok("node", version)
    : fail("node", version, `install Node.js ${OLDEST_NODE.join(".")} or newer from https://nodejs.org`);
}

/** A server's connections, files and pipes count on it. */
export function checkOpenFiles({ limit }: Pick<OpenFiles, "limit">): DoctorCheck {
  if (limit === undefined) return ok("open files", "the limit is not known here");
  const found = `${limit} at once`;
  return limit < LIMITS.openFilesAdvised ? warn("open files", found, RAISE_OPEN_FILES) : ok("open files", found);
}

/** The first line of a program's version output; undefined when it cannot be run. */
function versionOf(
  program: string,
  environment: Environment,
  flags: readonly string[] = ["--version"],
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: LIMITS.doctorProgramMs, env: { PATH: environment["PATH"] ?? "" } };
    execFile(program, [...flags], options, (error, stdout, stderr) => {
      resolve(error === null ? (`${stdout}\n${stderr}`.trim().split("\n")[0] ?? "") : undefined);
    });
  });
}

export async function checkPrograms(environment: Environment): Promise<readonly DoctorCheck[]> {
  return Promise.all([
    checkRipgrep(environment),
    needed(environment, "bash", fail("bash", "not found", "install bash: the Bash tool runs commands with it")),
    needed(environment, "git", warn("git", "not found", "install git: agents work best in a repository")),
  ]);
}

/** Each is tried. None is needed: but where no sandbox works, agents run with the server's own rights. */
export async function checkSandboxes(settings: Settings): Promise<readonly DoctorCheck[]> {
  const place = { home: settings.home.value, marker: "doctor" };
  const states = (await openSandboxes(settings, place).list()).filter(({ kind }) => kind !== "local");
  const works = states.some(({ missing }) => missing === undefined);
  return states.map(({ kind, missing }) => {
    if (missing === undefined && kind === "seatbelt")
      return warn(kind, "starts, but was written without a Mac and is not tested there", "take container if you can");
    if (missing === undefined) return ok(kind, "works: agents can be shut in with it");
    const isUsual = kind === "bubblewrap" && !works;
    return isUsual
      ? warn(kind, `${missing.reason}; agents run with the server's own rights`, missing.remedy)
      : ok(kind, `does not work here: ${missing.reason}; ${missing.remedy}`);
  });
}

/** Vendors' programs, in one line each for those that are there. Most people need none, so nothing here is a warning. */
export async function checkVendorPrograms(
  settings: Settings,
  environment: Environment,
): Promise<readonly DoctorCheck[]> {
  const programs = await reportPrograms(settings, environment);
  const found = programs.filter(({ path }) => path !== undefined);
  const missing = programs.filter(({ path }) => path === undefined).map(({ name }) => name);
  return [
    ...found.map(({ name, version, tested, path, install }) =>
      version === tested
        ? ok(name, `${version}, the tested version, at ${path ?? "?"}`)
        : ok(name, `${version ?? "of an unknown version"} at ${path ?? "?"}; tested was ${tested}: ${install ?? ""}`),
    ),
    ...(missing.length === 0
      ? []
      : [ok("engines", `not installed: ${missing.join(", ")}; to get one: sallyport engine install <name>`)]),
  ];
}

/** Most sessions need no browser, so a missing one is no warning. */
export function checkBrowser(settings: Settings, environment: Environment): DoctorCheck {
  const found = browserOf(settings, environment);
  if (found === undefined) return ok("browser", "the browser tools are switched off");
  return isMissing(found)
    ? ok("browser", `not there: ${found.reason}; to get it: ${found.remedy}`)
    : ok("browser", `${found.path}, for the browser tools`);
}

/** ripgrep comes with the package, as a file of this platform. */
async function checkRipgrep(environment: Environment): Promise<DoctorCheck> {
  const path = await import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  const version = path === undefined ? undefined : await versionOf(path, environment);
  if (version !== undefined) return ok("ripgrep", version);
  return fail(
    "ripgrep",
    path === undefined ? "not installed" : `${path} does not run`,
    "run `npm ci` again on this machine: Grep and Glob search with it",
  );
}

async function needed(environment: Environment, program: string, missing: DoctorCheck): Promise<DoctorCheck> {
  const version = await versionOf(program, environment);
  return version === undefined ? missing : ok(program, version);
}

/** What outlives the server, or has outlived it. Nothing is said where nobody wants that. */
export async function checkSupervisor({ home, supervisor }: Settings): Promise<readonly DoctorCheck[]> {
  const held = await Supervisor.look(home.value);
  if (held === undefined && supervisor === undefined) return [];
  if (held === undefined) return [ok("supervisor", "does not run; the server starts it")];
  const inTurns = held.filter(({ turn }) => turn !== "").length;
  return [ok("supervisor", `holds ${held.length} programs, ${inTurns} of them in the middle of a turn`)];
}
