import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "../../protocol/index.ts";
import { findProgram, isProgram, missingProgram, type ProgramPlaces } from "../vendor/programs.ts";

/**
 * The programs that may be OpenCode, the best place first. Its npm package holds no program but brings one in a package for each kind of
 * machine, and puts it into place with an install script, which Sallyport does not run.
 */
export function openCodePrograms(places: ProgramPlaces): readonly string[] {
  const found = findProgram("opencode", places);
  return [...new Set(found.flatMap((path) => (isStub(path) ? packaged(path) : [path])))];
}

export function openCodeProgram(places: ProgramPlaces): string {
  const [first] = openCodePrograms(places);
  if (first === undefined) throw new Failure("unsupported", missingOpenCode(places) ?? "OpenCode was not found.");
  return first;
}

/** Why there is none, and what brings it; undefined: there is one. */
export function missingOpenCode(places: ProgramPlaces): string | undefined {
  if (openCodePrograms(places).length > 0) return undefined;
  return missingProgram("opencode", places) ?? "OpenCode is not whole. Run: sallyport engine install opencode";
}

/** Less than any program: what npm puts on the search path in its place. */
const STUB_BYTES = 1_000_000;

function isStub(path: string): boolean {
  return realpathSync(path).includes(join("node_modules", "opencode-ai", "bin")) && statSync(path).size < STUB_BYTES;
}

function packaged(path: string): readonly string[] {
  const packages = dirname(dirname(dirname(realpathSync(path))));
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `opencode-${system}-${process.arch}`;
  const file = process.platform === "win32" ? "opencode.exe" : "opencode";
  // The last ones are for an old processor, and for Alpine.
  return [name, `${name}-baseline`, `${name}-musl`, `${name}-baseline-musl`]
    .map((each) => join(packages, each, "bin", file))
    .filter(isProgram);
}
