import type { Reporter, TestModule } from "vitest/node";
import { NEEDED } from "./programs.ts";

/** What was left out for lack of a program, on one line; undefined: nothing. */
export function leftOut(tests: number, needed: typeof NEEDED = NEEDED): string | undefined {
  if (tests === 0) return undefined;
  const missing = needed.filter(({ isThere }) => !isThere()).map(({ what, command }) => `${what} (${command})`);
  return missing.length === 0 ? undefined : `Tests left out: ${String(tests)}. Missing here: ${missing.join(", ")}`;
}

/** Says at the end what was left out, and how to get what it needs. */
export class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((file) => [...file.children.allTests("skipped")]);
    const line = leftOut(skipped.length);
    if (line !== undefined) process.stdout.write(`\n${line}\n`);
  }
}
