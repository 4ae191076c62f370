import type { ConsoleMessage } from "puppeteer-core";
import { z } from "zod";
import { LIMITS } from "../../protocol/index.ts";
import { errorResult, textResult, type Tool } from "../../tools/index.ts";
import { previewOnPage } from "../preview.ts";
import type { SessionBrowser } from "../session-browser.ts";
import { changedSince, ownPage } from "./act.ts";
import { named } from "./names.ts";

const EvaluateInput = z.strictObject({
  script: z.string().max(LIMITS.browserScriptChars).describe("JavaScript code to execute; `return` gives its result"),
});
type EvaluateInput = z.infer<typeof EvaluateInput>;

const CAUSES =
  "Possible causes:\n- Syntax error in script\n- Execution timeout\n- Browser security restrictions\n- Serialization issues with complex objects";

export function evaluate(browser: SessionBrowser): Tool<EvaluateInput> {
  const tool = named("mcp__puppeteer__puppeteer_evaluate");
  return {
    ...tool,
    description: "Execute JavaScript in the browser console",
    input: EvaluateInput,
    paths: () => [],
    onlyReads: () => ownPage(browser),
    preview: (input) => previewOnPage(browser, { call: tool.name, input }),
    execute: ({ script }, context) =>
      browser.use({
        signal: context.signal,
        failed: (reason) => errorResult(`Script execution failed: ${reason}\n\n${CAUSES}`),
        work: async (page) => {
          const changed = await changedSince(browser, page, { call: tool.name, context });
          if (changed !== undefined) return errorResult(changed, { changed: true });
          const lines = new ConsoleLines();
          const listen = (message: ConsoleMessage): void => lines.add(message);
          page.on("console", listen);
          try {
            const result: unknown = await page.evaluate(wrapped(script));
            return textResult(`Execution result:\n${String(result)}\n\nConsole output:\n${lines.text}`);
          } finally {
            page.off("console", listen);
          }
        },
      }),
  };
}

/** The script as a function's body. Its result becomes text in the page: there it can be cut before it is sent. */
function wrapped(script: string): string {
  return `(async () => {
  const text = (value) => { const json = JSON.stringify(value, null, 2); return json === undefined ? undefined : json.slice(0, ${LIMITS.toolOutputChars}); };
  let result;
  try {
    result = (function() { ${script}
    })();
  } catch (e) {
    console.error('Script execution error:', e.message);
    result = { error: e.message };
  }
  return text(await result);
})()`;
}

class ConsoleLines {
  readonly #lines: string[] = [];
  #chars = 0;
  #left = 0;

  get text(): string {
    const more = this.#left === 0 ? [] : [`(${this.#left} more lines were left out.)`];
    return [...this.#lines, ...more].join("\n");
  }

  add(message: ConsoleMessage): void {
    const line = `${message.type()}: ${message.text()}`.slice(0, LIMITS.browserConsoleChars);
    const isFull =
      this.#lines.length >= LIMITS.browserConsoleLines || this.#chars + line.length > LIMITS.browserConsoleChars;
    if (isFull) {
      this.#left += 1;
      return;
    }
    this.#lines.push(line);
    this.#chars += line.length;
  }
}
