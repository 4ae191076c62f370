import { createContext, runInContext } from "node:vm";
import { LIMITS } from "../../protocol/index.ts";
import { reasonOf, systemCode, type ToolRefusal } from "../refusal.ts";

const MATCH =
  "{ const wanted = new RegExp(filter); lines.split('\\n').map((line) => (wanted.test(line) ? 'y' : 'n')).join('') }";

/**
 * Which lines the expression matches. It runs in its own context because only there can it be stopped: some expressions
 * take ages on a short line. Only the start of a long line is examined.
 */
export function matchingLines(lines: readonly string[], filter: string): readonly boolean[] | ToolRefusal {
  try {
    // Only for its error message: the expression is compiled again where it runs.
    void new RegExp(filter);
  } catch (error) {
    return { refused: `The filter is not a valid regular expression: ${reasonOf(error)}` };
  }
  const starts = lines.map((line) => line.slice(0, LIMITS.filterLineChars)).join("\n");
  const context = createContext({ filter, lines: starts });
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer: unknown = runInContext(MATCH, context, { timeout: LIMITS.filterMs });
      return String(answer)
        .split("")
        .map((mark) => mark === "y");
    } catch (error) {
      if (systemCode(error) !== "ERR_SCRIPT_EXECUTION_TIMEOUT")
        return { refused: `The filter failed: ${reasonOf(error)}` };
      // The clock also runs while others have the processor: one timeout is no proof.
      if (attempt === LIMITS.filterAttempts)
        return { refused: "The filter takes too long on this output. Use a simpler expression." };
    }
  }
}
