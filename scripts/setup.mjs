import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const installStamp = join(modules, ".sallyport-installed");
/** Each part of the build has a stamp of its own: its file names, at the time of its build. */
const stampOfPart = (part) => join(root, "dist", `.built-${part}`);

/**
 * What npm installs. `start`: what the server needs, what its pages are made of, and what builds them (src/web and the workspaces in it). `all`: also the tools of tests and checks,
 * and the vendors' programs that the tests run.
 */
const PACKAGES = {
  start: ["--omit=dev", "--workspace=src/web", "--include-workspace-root"],
  all: ["--include=dev"],
};

/**
 * Makes a fresh clone ready to run: the packages of package-lock.json, and dist/ where a source is newer. Does nothing,
 * quickly and silently, where all of it is there. Ends the process with a clear message where it cannot.
 */
export async function setup({ packages = "all", rebuild = false } = {}) {
  checkNode();
  if (!isInstalled(packages)) install(hasAll() ? "all" : packages);
  const stale = Object.keys(PARTS).filter((name) => rebuild || !isBuilt(name));
  if (stale.length > 0) await build(stale);
}

/** Works on old versions too: it is what tells people that theirs is too old. */
function checkNode() {
  const wanted = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines.node;
  const [needMajor, needMinor] = /(\d+)\.(\d+)/.exec(wanted).slice(1).map(Number);
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  stop(
    `Sallyport needs Node.js ${wanted}; this is ${process.version}. Install a newer one from https://nodejs.org and try again.`,
  );
}

function lockHash() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return createHash("sha256").update(lock).update(`${process.platform}-${process.arch}`).digest("hex");
}

function isInstalled(packages) {
  if (!existsSync(modules)) return false;
  if (existsSync(installStamp)) {
    const stamp = readFileSync(installStamp, "utf8");
    return stamp === stampOf("all") || stamp === stampOf(packages);
  }
  // Somebody ran npm by hand: what it says it installed is compared with what it should have.
  const found = ["all", packages].find((set) => matchesLock(set));
  if (found !== undefined) writeFileSync(installStamp, stampOf(found));
  return found !== undefined;
}

/** Somebody ran the tests here, or wants Claude's engines: what is installed stays so when the lock file changes. */
function hasAll() {
  return existsSync(join(modules, "@anthropic-ai", "claude-agent-sdk"));
}

function stampOf(packages) {
  return `${packages} ${lockHash()}`;
}

function matchesLock(packages) {
  const record = join(modules, ".package-lock.json");
  if (!existsSync(record)) return false;
  const have = JSON.parse(readFileSync(record, "utf8")).packages;
  const want = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return Object.entries(want).every(([path, wanted]) => {
    // The workspaces themselves are no packages; those of tests and checks are not always wanted.
    if (!path.startsWith("node_modules/") || wanted.link === true || (packages === "start" && wanted.dev === true))
      return true;
    const found = have[path];
    return found === undefined
      ? wanted.optional === true
      : found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

function install(packages) {
  // Somebody's other folder: npm would empty it first.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink())
    stop("node_modules is a link to another folder, whose packages do not fit: remove the link, and try again.");
  console.error("Installing packages (only the first time, and when they change) …");
  const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES[packages]];
  const npm = process.env["npm_execpath"];
  const viaNode = npm !== undefined && /\.c?js$/.test(npm);
  const result = spawnSync(viaNode ? process.execPath : "npm", viaNode ? [npm, ...flags] : flags, {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    shell: !viaNode && process.platform === "win32",
  });
  if (result.status !== 0) stop("The packages could not be installed: see above.");
  writeFileSync(installStamp, stampOf(packages));
}

/** Read in browsers too. */
const SHARED = ["src/protocol", "src/client", "src/contexts", "src/web/ui", "src/web/package.json"];

/** What is built apart from the rest, of which sources (files and folders), and how. */
const PARTS = {
  server: { of: ["src"], without: "src/web", build: buildServer },
  // The workbench holds its own documentation, for agents to search, and the panel.
  pages: { of: [...SHARED, "src/web", "docs/user"], build: buildPages },
  panel: { of: [...SHARED, "src/web/panel"], build: buildPanel },
};

/** Files that a part depends on, with the time of the newest change. */
function sources({ of, without }) {
  const paths = ["tsconfig.json", "package-lock.json"].map((name) => join(root, name));
  for (const start of of.map((name) => join(root, name))) {
    if (statSync(start).isFile()) paths.push(start);
    else
      for (const entry of readdirSync(start, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) paths.push(join(entry.parentPath ?? entry.path, entry.name));
  }
  const own = without === undefined ? paths : paths.filter((path) => !path.startsWith(join(root, without) + sep));
  const names = createHash("sha256")
    .update(own.toSorted((left, right) => (left < right ? -1 : 1)).join("\n"))
    .digest("hex");
  return { names, newest: Math.max(...own.map((path) => statSync(path).mtimeMs)) };
}

/** The names are compared too: a file that was deleted has no time. */
function isBuilt(name) {
  const stamp = stampOfPart(name);
  if (!existsSync(stamp)) return false;
  const { names, newest } = sources(PARTS[name]);
  return readFileSync(stamp, "utf8") === names && newest <= statSync(stamp).mtimeMs;
}

async function build(parts) {
  console.error(`Building the ${parts.join(", the ")} …`);
  for (const name of parts) {
    const begun = new Date();
    const { names } = sources(PARTS[name]);
    await PARTS[name].build();
    writeFileSync(stampOfPart(name), names);
    // What was saved while the compiler ran counts as newer.
    utimesSync(stampOfPart(name), begun, begun);
  }
}

async function buildServer() {
  run("The build failed: see above.", [[tsc, "-p", "tsconfig.json"]]);
  removeLeftovers();
  // Only now: a fresh clone has no packages before.
  const { bundle, bundleInside } = await import("./bundle.mjs");
  await bundleInside(root);
  await bundle(root);
  chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
}

/** What was compiled of a file that is gone: it would be published, and could be imported. */
function removeLeftovers() {
  for (const entry of readdirSync(join(root, "dist"), { recursive: true, withFileTypes: true })) {
    const folder = relative(join(root, "dist"), entry.parentPath ?? entry.path);
    const [, name] = /^(.*?)(?:\.d\.ts|\.js|\.js\.map)$/.exec(entry.name) ?? [];
    if (!entry.isFile() || name === undefined || /^(?:bundle|inside|web|panel)(?:$|[\\/])/.test(folder)) continue;
    if (!existsSync(join(root, "src", folder, `${name}.ts`))) rmSync(join(root, "dist", folder, entry.name));
  }
}

const vite = join(modules, "vite", "bin", "vite.js");
const tsc = join(modules, "typescript", "bin", "tsc");
const web = join(root, "src", "web");
const PANEL_TYPES = [tsc, "-p", join(web, "panel", "tsconfig.json")];

/** The web pages, into dist/web. */
function buildPages() {
  run("The web pages could not be built: see above.", [
    [vite, "build", "--config", join(web, "vite.config.ts"), "--logLevel", "warn"],
    // The folder was emptied, in which these lie.
    PANEL_TYPES,
  ]);
}

/** The panel that other pages can have, into dist/panel, and its types beside the pages. */
function buildPanel() {
  run("The panel could not be built: see above.", [
    [vite, "build", "--config", join(web, "panel", "vite.config.ts"), "--logLevel", "warn"],
    PANEL_TYPES,
  ]);
}

/** Programs of Node, one after the other. */
function run(message, commands) {
  for (const words of commands) {
    const result = spawnSync(process.execPath, words, { cwd: root, stdio: ["ignore", 2, 2] });
    if (result.status !== 0) stop(message);
  }
}

function stop(message) {
  console.error(`\n${message}`);
  process.exit(1);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setup({ packages: "start", rebuild: process.argv.includes("--rebuild") });
}
