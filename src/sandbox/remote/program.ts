import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Forward } from "../driver.ts";

/** What runs in sandboxes, each program as one file: many small ones are slow where files come over a pipe. */
const INSIDE = fileURLToPath(new URL("../../inside", import.meta.url));
const HELPER = join(INSIDE, "helper.mjs");
const PORTS = join(INSIDE, "ports.mjs");

/** What the helper needs inside: Node, these programs, and nothing else of this package. */
export const HELPER_FILES: readonly string[] = [process.execPath, INSIDE];

export interface HelperOptions {
  /** Where programs' streams connect to. */
  readonly streamsPath: string;
  readonly forwards: readonly Forward[];
  /** Memory of everything inside together. */
  readonly memoryBytes: number;
}

/** The command that starts the helper inside a sandbox. */
export function helperCommand(options: HelperOptions): readonly string[] {
  return [process.execPath, HELPER, JSON.stringify(options)];
}

/** The command that opens ports beside a program. */
export function portsCommand(forwards: readonly Forward[]): readonly string[] {
  return [process.execPath, PORTS, JSON.stringify(forwards)];
}
