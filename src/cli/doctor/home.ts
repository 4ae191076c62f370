import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { findServer, type FoundServer } from "../connect.ts";
import { SERVER_FILE, TOKEN_FILE } from "../home/files.ts";
import type { Environment, Settings } from "../settings/settings.ts";
import { ACCEPT_VARIABLE, isAccepted, keyFilesOf, trustedInHome, untrusted } from "../home/trusted-files.ts";
import { fail, ok, warn, type DoctorCheck } from "./checks.ts";
import { checkReady, checkStart } from "./start.ts";

const SECRETS = [TOKEN_FILE, SERVER_FILE, "sallyport.db", "search.db", "instance"];

/** The home folder: can it be written, and can nobody else read it. */
export async function checkHome(home: string): Promise<readonly DoctorCheck[]> {
  const known = await statOf(home);
  if (known === undefined) {
    const parent = await nearest(home);
    return [
      (await writable(parent))
        ? ok("home", `${home} will be made at the first start`)
        : fail(
            "home",
            `${home} cannot be made: ${parent} is not yours to write`,
            "choose another folder with --home or SALLYPORT_HOME",
          ),
    ];
  }
  if (!known.isDirectory())
    return [fail("home", `${home} is not a folder`, "choose another one with --home or SALLYPORT_HOME")];
  if (!(await writable(home)))
    return [fail("home", `${home} cannot be written`, "choose another folder with --home or SALLYPORT_HOME")];
  return [ok("home", home), ...(await checkModes(home, known))];
}

async function checkModes(home: string, folder: Stats): Promise<readonly DoctorCheck[]> {
  const open: string[] = [];
  if ((folder.mode & 0o077) !== 0) open.push(home);
  for (const name of SECRETS) {
    const path = join(home, name);
    const file = await statOf(path);
    if (file !== undefined && (file.mode & 0o077) !== 0) open.push(path);
  }
  if (open.length === 0) return [];
  return [warn("home modes", `others on this machine may look into ${open.join(", ")}`, `chmod go= ${open.join(" ")}`)];
}

/** Every file and folder through which others could change what the server does. */
export function checkTrust(settings: Settings, environment: Environment): readonly DoctorCheck[] {
  const found = untrusted([...trustedInHome(settings.home.value), ...keyFilesOf(settings)]);
  const accepted = isAccepted(environment);
  return found.map(({ path, problem, command }) =>
    accepted
      ? warn("trust", `${path} ${problem}; ${ACCEPT_VARIABLE}=1 accepts that`, command)
      : fail("trust", `${path} ${problem}`, command),
  );
}

/** The home's database: is it intact, and can every row be read. */
export async function checkDatabase(home: string): Promise<readonly DoctorCheck[]> {
  const path = join(home, "sallyport.db");
  const file = await statOf(path);
  if (file?.isFile() !== true) return [];
  const { examineDatabase } = await import("../../store/sqlite/examine.ts");
  const { problems, sessions, damaged } = await examineDatabase(path);
  const restore = "restore a backup with `sallyport restore <file>`; it keeps the damaged one aside";
  if (problems.length > 0) return [fail("database", `${path} is damaged: ${problems.join("; ")}`, restore)];
  if (damaged.length > 0)
    return [fail("database", `damaged rows: ${damaged.join(", ")}`, `the others can be used; ${restore}`)];
  return [ok("database", `${path}, ${file.size} bytes, ${sessions} sessions, no damage`)];
}

export async function checkFiles(settings: Settings): Promise<readonly DoctorCheck[]> {
  const workspace = settings.workspace.value;
  const folder = await statOf(workspace);
  return [
    folder?.isDirectory() === true
      ? ok("workspace", workspace)
      : fail("workspace", `${workspace} is not a folder`, "choose one with --workspace or SALLYPORT_WORKSPACE"),
  ];
}

/** A running server, or what prevents one, and the port that it would use. */
export async function checkServer(settings: Settings): Promise<readonly DoctorCheck[]> {
  const running = await findServer(settings.home.value);
  return [
    ...(await checkStart(settings, running)),
    running === undefined
      ? ok("server", "none runs on this home; commands work without one")
      : await checkReady(running),
    await checkPort(settings, running),
  ];
}

async function checkPort(settings: Settings, running: FoundServer | undefined): Promise<DoctorCheck> {
  const { value: port } = settings.port;
  const { value: host } = settings.host;
  if (running !== undefined && new URL(running.url).port === String(port))
    return ok("port", `${port} is the running server's`);
  const problem = await tryPort(host, port);
  if (problem === undefined) return ok("port", `${port} on ${host} is free`);
  const advice =
    problem === "EADDRINUSE"
      ? "stop what uses it, or choose another with --port or SALLYPORT_PORT"
      : "choose another with --host and --port";
  return warn("port", `${port} on ${host} cannot be used (${problem})`, advice);
}

function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

async function writable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The deepest folder above a path that exists. */
async function nearest(path: string): Promise<string> {
  let folder = dirname(path);
  while ((await statOf(folder)) === undefined && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
