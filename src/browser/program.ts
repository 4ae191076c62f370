import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

/** A Chromium of this machine. */
export interface BrowserProgram {
  readonly path: string;
  /** Files and folders beside the system's own that it needs to run. Absolute, real. */
  readonly files: readonly string[];
}

/** Why there is no browser, and the one command that brings it. */
export interface MissingBrowser {
  readonly reason: string;
  readonly remedy: string;
}

interface BrowserPlaces {
  /** What the settings name; nothing else is looked for then. */
  readonly executable?: string | undefined;
  readonly searchPath: readonly string[];
}

/** The one without a window first: it needs a third of the time of the others. */
const NAMES = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
] as const;
const ELSEWHERE = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
] as const;
/** Without its settings, text is drawn with whatever font comes first. */
const FONT_SETTINGS = "/etc/fonts";
const DRIVER = "puppeteer-core";
/** The one that the tests run. */
const DRIVER_VERSION = "24.43.1";
const SYSTEM = "/usr/";

/** Looks for Chromium and for the package that drives it. Nothing is started. */
export function findBrowser({ executable, searchPath }: BrowserPlaces): BrowserProgram | MissingBrowser {
  if (!hasDriver())
    return {
      reason: `the package ${DRIVER} is not installed beside sallyport`,
      remedy: `npm install -g ${DRIVER}@${DRIVER_VERSION}`,
    };
  const given = executable === undefined ? undefined : [executable];
  const places = given ?? [...NAMES.flatMap((name) => searchPath.map((folder) => join(folder, name))), ...ELSEWHERE];
  const found = places.find(isProgram);
  if (found !== undefined) return programAt(found);
  return executable === undefined
    ? { reason: "no Chromium was found on this machine", remedy: installCommand() }
    : { reason: `there is no program at ${executable}, which the settings name`, remedy: installCommand() };
}

export function isMissing(program: BrowserProgram | MissingBrowser): program is MissingBrowser {
  return "reason" in program;
}

function installCommand(): string {
  switch (process.platform) {
    case "darwin":
      return "brew install --cask chromium";
    case "win32":
      return "winget install Google.Chrome";
    default:
      return "apt-get install chromium-headless-shell (Debian), dnf install chromium-headless (Fedora)";
  }
}

function hasDriver(): boolean {
  try {
    createRequire(import.meta.url).resolve(DRIVER);
    return true;
  } catch {
    return false;
  }
}

function isProgram(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function programAt(path: string): BrowserProgram {
  const real = realpathSync(unwrapped(realpathSync(path)));
  const own = real.startsWith(SYSTEM) ? [] : [dirname(real)];
  return { path: real, files: [...own, ...(existsSync(FONT_SETTINGS) ? [FONT_SETTINGS] : [])] };
}

/** Debian starts Chromium with a script that needs settings which a sandbox does not show. */
function unwrapped(path: string): string {
  if (!isScript(path)) return path;
  const name = basename(path);
  const programs = [join("/usr/lib", name, name), join("/usr/lib/chromium", name), join("/usr/lib64", name, name)];
  return programs.find(isProgram) ?? path;
}

function isScript(path: string): boolean {
  const start = Buffer.alloc(2);
  const file = openSync(path, "r");
  try {
    readSync(file, start, 0, start.length, 0);
  } finally {
    closeSync(file);
  }
  return start.toString("latin1") === "#!";
}
