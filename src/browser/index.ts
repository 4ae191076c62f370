import type { AnyTool } from "../tools/index.ts";
import type { SessionBrowser } from "./session-browser.ts";
import { click, fill, hover, select } from "./tools/act.ts";
import { connectActiveTab } from "./tools/connect.ts";
import { evaluate } from "./tools/evaluate.ts";
import { navigate } from "./tools/navigate.ts";
import { screenshot } from "./tools/screenshot.ts";

export { findBrowser, type BrowserProgram, type MissingBrowser } from "./program.ts";
export type { BrowserMeans, BrowserPlace } from "./means.ts";
export { SessionBrowser } from "./session-browser.ts";

/** Document 004's browser tools on one session's browser. `isOffered`: models are told of them. */
export function browserTools(
  browser: SessionBrowser,
  { isOffered }: { readonly isOffered: boolean },
): readonly AnyTool[] {
  const tools: readonly AnyTool[] = [
    navigate(browser),
    screenshot(browser),
    click(browser),
    hover(browser),
    fill(browser),
    select(browser),
    evaluate(browser),
    connectActiveTab(browser),
  ];
  const canConnect = browser.means.abilities().includes("active_tab");
  const isHidden = ({ name }: AnyTool): boolean => !isOffered || (name.endsWith("_connect_active_tab") && !canConnect);
  return tools.map((tool) => (isHidden(tool) ? hidden(tool) : tool));
}

function hidden(tool: AnyTool): AnyTool {
  return { ...tool, hidden: true };
}
