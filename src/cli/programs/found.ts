import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  findProgram,
  installCommand,
  VENDOR_PROGRAMS,
  type VendorProgram,
  type VendorProgramName,
} from "../../engines/vendor/programs.ts";
import { LIMITS } from "../../protocol/index.ts";
import { programPlaces } from "../settings/programs.ts";
import type { Environment, Settings } from "../settings/settings.ts";
import { runChild } from "./child.ts";

/** A vendor's program as it is on this machine. */
export interface ProgramReport {
  readonly name: VendorProgramName;
  readonly title: string;
  readonly package: string;
  /** The version that the tests ran. */
  readonly tested: string;
  /** Absent: it was not found. */
  readonly path?: string;
  /** Who brought it: `programs` of sallyport.yaml, `sallyport engine install`, or the search path. Absent: it was not found. */
  readonly from?: "settings" | "installed" | "path";
  /** Absent: it was not found, or does not tell. */
  readonly version?: string;
  /** The command that brings the tested version. Absent: it is there. */
  readonly install?: string;
}

type ProgramSettingsPart = Pick<Settings, "programs" | "programsFolder">;

export const PROGRAM_NAMES = Object.keys(VENDOR_PROGRAMS) as readonly VendorProgramName[];

/** Every program that can be installed, and the one of each name that sessions would get. */
export function reportPrograms(
  settings: ProgramSettingsPart,
  environment: Environment,
): Promise<readonly ProgramReport[]> {
  return Promise.all(PROGRAM_NAMES.map((name) => reportProgram(name, settings, environment)));
}

async function reportProgram(
  name: VendorProgramName,
  settings: ProgramSettingsPart,
  environment: Environment,
): Promise<ProgramReport> {
  const { title, package: npmPackage, version: tested } = VENDOR_PROGRAMS[name];
  const base = { name, title, package: npmPackage, tested };
  const places = programPlaces(name, settings, environment);
  const [path] = findProgram(name, places);
  if (path === undefined) return { ...base, install: installCommand(name) };
  const [installed] = findProgram(name, { installed: places.installed });
  const from = places.executable !== undefined ? "settings" : path === installed ? "installed" : "path";
  const version = packageVersion(path, VENDOR_PROGRAMS[name]) ?? (await toldVersion(path, environment));
  return {
    ...base,
    path,
    from,
    ...(version === undefined ? {} : { version }),
    ...(version === tested ? {} : { install: installCommand(name) }),
  };
}

/** Of the package that the program belongs to: starting it may take seconds. Undefined: it is in none. */
function packageVersion(path: string, { package: wanted }: VendorProgram): string | undefined {
  let folder = dirname(path);
  for (let depth = 0; depth < LIMITS.programPackageDepth && dirname(folder) !== folder; depth += 1) {
    const { name, version } = packageFile(join(folder, "package.json"));
    if (name === wanted) return version;
    folder = dirname(folder);
  }
  return undefined;
}

interface PackageFile {
  readonly name?: string;
  readonly version?: string;
}

function packageFile(path: string): PackageFile {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as PackageFile;
  } catch {
    return {};
  }
}

/** What it says itself. It sees no key of ours. */
async function toldVersion(path: string, environment: Environment): Promise<string | undefined> {
  const end = await runChild({
    program: path,
    words: ["--version"],
    environment: { PATH: environment["PATH"] ?? "", HOME: environment["HOME"] ?? dirname(path) },
    cwd: dirname(path),
    limitMs: LIMITS.programVersionMs,
  });
  if (end.how !== "exited" || end.code !== 0) return undefined;
  return /\d+\.\d+\.\d+\S*/.exec(end.output)?.[0];
}
