import { accessSync, constants, realpathSync } from "node:fs";
import { join } from "node:path";

/** A vendor's program that `sallyport engine install` can bring. */
export interface VendorProgram {
  /** Its name for people. */
  readonly title: string;
  /** Its npm package, and the version that was tested. */
  readonly package: string;
  readonly version: string;
  /** The command that its package brings. */
  readonly command: string;
}

/** By the name that settings and `sallyport engine install` use. The versions are those that the tests run. */
export const VENDOR_PROGRAMS = {
  codex: { title: "Codex", package: "@openai/codex", version: "0.166.0", command: "codex" },
  opencode: { title: "OpenCode", package: "opencode-ai", version: "1.18.33", command: "opencode" },
  "claude-agent-acp": {
    title: "Claude Code by ACP",
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.49.0",
    command: "claude-agent-acp",
  },
  "codex-acp": {
    title: "Codex by ACP",
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    command: "codex-acp",
  },
  gemini: { title: "Gemini CLI", package: "@google/gemini-cli", version: "0.61.0", command: "gemini" },
  qwen: { title: "Qwen Code", package: "@qwen-code/qwen-code", version: "0.15.10", command: "qwen" },
} as const satisfies Record<string, VendorProgram>;

export type VendorProgramName = keyof typeof VENDOR_PROGRAMS;

/** The program of an engine: `codex`, `acp:gemini`. Undefined: it needs none of these. */
export function programOfEngine(engine: string): VendorProgramName | undefined {
  const name = engine.replace(/^acp:/, "");
  return isVendorProgram(name) ? name : undefined;
}

export function isVendorProgram(name: string): name is VendorProgramName {
  return Object.hasOwn(VENDOR_PROGRAMS, name);
}

/** The command that brings a program. */
export function installCommand(name: VendorProgramName): string {
  return `sallyport engine install ${name}`;
}

/** Where a vendor's program is looked for. */
export interface ProgramPlaces {
  /** The program itself; absent: it is looked for. */
  readonly executable?: string | undefined;
  /** Where `sallyport engine install` puts programs, one folder for each name. Absent: nowhere. */
  readonly installed?: string | undefined;
  /** Absolute folders. */
  readonly searchPath?: readonly string[] | undefined;
}

/** Where the program may be, the best place first: the one that is named, then the one that was installed for Sallyport, then the search path. */
export function findProgram(name: VendorProgramName, places: ProgramPlaces): readonly string[] {
  const { executable, installed, searchPath = [] } = places;
  if (executable !== undefined) return [executable].filter(isProgram);
  const found = [
    ...(installed === undefined ? [] : [programIn(join(installed, name), name)]),
    ...searchPath.map((folder) => join(folder, fileOf(name))),
  ];
  return [...new Set(found.filter(isProgram).map((path) => realpathSync(path)))];
}

/** Where npm puts a program's command in a folder that it installs into. */
export function programIn(folder: string, name: VendorProgramName): string {
  return join(folder, "node_modules", ".bin", fileOf(name));
}

function fileOf(name: VendorProgramName): string {
  const { command } = VENDOR_PROGRAMS[name];
  return process.platform === "win32" ? `${command}.cmd` : command;
}

/** Why there is none, and what brings it; undefined: there is one. */
export function missingProgram(name: VendorProgramName, places: ProgramPlaces): string | undefined {
  if (findProgram(name, places).length > 0) return undefined;
  const where = places.executable === undefined ? "" : ` at ${places.executable}`;
  return `${VENDOR_PROGRAMS[name].title} was not found${where}. Run: ${installCommand(name)}`;
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
