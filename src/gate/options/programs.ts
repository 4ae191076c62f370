import { FILES } from "./files.ts";
import { GIT } from "./git.ts";
import { JAVASCRIPT } from "./javascript.ts";
import { LANGUAGES } from "./languages.ts";
import type { ProgramSpec } from "./spec.ts";
import { SYSTEMS } from "./systems.ts";

const SPECS: ReadonlyMap<string, ProgramSpec> = new Map(
  Object.entries({ ...FILES, ...GIT, ...JAVASCRIPT, ...LANGUAGES, ...SYSTEMS }),
);

const OTHER_NAMES: Readonly<Record<string, string>> = {
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  gsed: "sed",
  nodejs: "node",
  fdfind: "fd",
  "py.test": "pytest",
  bash5: "bash",
};

/** What is known of a program; undefined: it is not listed. */
export function specOf(program: string): ProgramSpec | undefined {
  const name = Object.hasOwn(OTHER_NAMES, program) ? (OTHER_NAMES[program] ?? program) : program;
  // `python3.12`, `pip3.11`, `node20`.
  return SPECS.get(name) ?? SPECS.get(name.replace(/[\d.]+$/, ""));
}
