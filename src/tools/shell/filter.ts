import { runInNewContext } from "node:vm";
import { LIMITS } from "../../protocol/index.ts";
import { reasonOf, systemCode, type Refusal } from "../refusal.ts";

/**
 * Which lines the expression matches. It runs in a context of its own because only there can it be stopped: some
 * expressions take ages on a short line. Of a long line only the start is looked at.
 */
export function matchingLines(lines: readonly string[], filter: string): readonly boolean[] | Refusal {
  try {
    // Only for its message: the expression is compiled again where it runs.
    void new RegExp(filter);
  } catch (error) {
    return { refused: `The filter is no valid regular expression: ${reasonOf(error)}` };
  }
  const starts = lines.map((line) => line.slice(0, LIMITS.filterLineChars)).join("\n");
  try {
    const answer: unknown = runInNewContext(
      "{ const wanted = new RegExp(filter); lines.split('\\n').map((line) => (wanted.test(line) ? 'y' : 'n')).join('') }",
      { filter, lines: starts },
      { timeout: LIMITS.filterMs },
    );
    return String(answer)
      .split("")
      .map((mark) => mark === "y");
  } catch (error) {
    if (systemCode(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      return { refused: "The filter takes too long on this output. Use a simpler expression." };
    return { refused: `The filter failed: ${reasonOf(error)}` };
  }
}
