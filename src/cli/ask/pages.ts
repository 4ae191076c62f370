import { LIMITS } from "../../protocol/index.ts";
import type { Screen } from "../terminal/screen.ts";
import { count } from "../terminal/words.ts";

interface Pager {
  readonly screen: Screen;
  readonly line: (prompt: string) => Promise<string | undefined>;
}

/** Shows lines page by page; whether the end was reached. */
export async function showPages(lines: readonly string[], { screen, line }: Pager): Promise<boolean> {
  for (let start = 0; start < lines.length; start += LIMITS.terminalPageLines) {
    const end = start + LIMITS.terminalPageLines;
    for (const text of lines.slice(start, end)) screen.aside(`  ${text}`);
    if (end >= lines.length) break;
    const typed = await line(`${count(lines.length - end, "more line")}: Enter goes on, q stops › `);
    if (typed === undefined || typed.trim().toLowerCase().startsWith("q")) return false;
  }
  return true;
}
