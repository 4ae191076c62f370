import { expect } from "vitest";
import { openTerminal } from "../../src/sandbox/index.ts";
import type { SandboxCheck } from "./sandbox-checks.ts";

/** What the conformance suite holds terminals of every sandbox to. */
export const TERMINAL_CHECKS: readonly SandboxCheck[] = [
  {
    name: "a terminal has the size that it is given, and ends with its shell",
    async run({ workspace }, sandbox) {
      const terminal = await openTerminal(sandbox, { cwd: workspace, size: { rows: 21, columns: 77 } });
      await terminal.type("tty >/dev/null && stty size; pwd; exit 3\n");
      let text = "";
      for await (const bytes of terminal.output) text += bytes.toString();
      expect(text).toContain("21 77");
      expect(text).toContain(workspace);
      expect(await terminal.exit).toMatchObject({ code: 3 });
    },
  },
];
