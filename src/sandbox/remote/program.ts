import { fileURLToPath } from "node:url";
import type { Forward } from "../driver.ts";

const HELPER = fileURLToPath(new URL("./inside.js", import.meta.url));
const PORTS = fileURLToPath(new URL("./ports.js", import.meta.url));

/** What the helper needs inside: Node, its own folders, and nothing else of this package. */
export const HELPER_FILES: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL("../../sandbox", import.meta.url)),
  fileURLToPath(new URL("../../protocol", import.meta.url)),
];

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
