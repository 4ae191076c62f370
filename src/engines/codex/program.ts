import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findProgram, isProgram, missingProgram, VENDOR_PROGRAMS, type ProgramPlaces } from "../vendor/programs.ts";

export interface CodexOptions extends ProgramPlaces {
  /** How often a failed model request is retried; absent: LIMITS.modelRetries. */
  readonly retries?: number | undefined;
}

/** Older ones do not take an empty list of environments, or other names in their protocol. */
export const LEAST_CODEX = VENDOR_PROGRAMS.codex.version;

/** Where the program itself may be, the best place first. */
export function findCodex(places: ProgramPlaces): readonly string[] {
  return [...new Set(findProgram("codex", places).map((path) => nativeOf(path) ?? path))];
}

/** Why there is none, and what brings it; undefined: there is one. */
export function missingCodex(places: ProgramPlaces): string | undefined {
  return findCodex(places).length > 0 ? undefined : missingProgram("codex", places);
}

/**
 * npm's package starts the program from a script, which needs Node inside the sandbox and one more process. Undefined: the path is not
 * that script.
 */
function nativeOf(path: string): string | undefined {
  if (!path.endsWith(".js")) return undefined;
  const name = process.platform === "win32" ? "codex.exe" : "codex";
  const { package: packageName } = VENDOR_PROGRAMS.codex;
  try {
    const manifest = `${packageName}-${process.platform}-${process.arch}/package.json`;
    const vendor = join(dirname(createRequire(path).resolve(manifest)), "vendor");
    const found = readdirSync(vendor).map((target) => join(vendor, target, "bin", name));
    return found.find((file) => existsSync(file) && isProgram(file));
  } catch {
    return undefined;
  }
}
