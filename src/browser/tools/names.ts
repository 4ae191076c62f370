import { TOOL_FACTS } from "../../protocol/index.ts";

const PREFIX = "mcp__puppeteer__puppeteer_";

type BrowserToolName = keyof typeof TOOL_FACTS & `${typeof PREFIX}${string}`;

/** The name and the tier of a browser tool. */
export function named<Name extends BrowserToolName>(
  name: Name,
): { readonly name: Name; readonly tier: (typeof TOOL_FACTS)[Name]["tier"]; readonly yields: true } {
  return { name, tier: TOOL_FACTS[name].tier, yields: true };
}
