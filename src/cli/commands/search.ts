import type { Command } from "commander";
import { defined, LIMITS, type SearchHit } from "../../protocol/index.ts";
import { print, printJson, withServer, type CommandContext } from "../context.ts";
import { oneLine } from "../terminal/visible.ts";
import { age } from "../terminal/words.ts";
import { wholeNumber } from "./options.ts";

interface SearchFlags {
  readonly session?: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: true;
}

export function addSearch(program: Command, context: CommandContext): void {
  program
    .command("search")
    .description("find words in conversations: prompts, answers, tool calls and the beginning of their results")
    .argument("<words...>", "all must be in one message; each may be the beginning of a longer word")
    .option("--session <session>", "only this conversation")
    .option(
      "--limit <n>",
      "at most this many hits",
      wholeNumber({ from: 1, to: LIMITS.searchHits }),
      LIMITS.searchHitsDefault,
    )
    .option("--cursor <cursor>", "older hits: what the last search said")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Put words that must follow each other into quotation marks, for the shell too: '"connection refused"'.

Example:
  $ sallyport search flaky test`,
    )
    .action((words: readonly string[], flags: SearchFlags, command: Command) =>
      withServer(context, command, async ({ client, url }) => {
        const { session, limit, cursor, json } = flags;
        const page = await client.searchText({ q: words.join(" "), limit, ...defined({ session, cursor }) });
        if (json === true) {
          printJson(context, page);
          return undefined;
        }
        for (const hit of page.hits) tell(context, hit, url);
        const { screen } = context;
        if (page.hits.length === 0) screen.line(screen.paint.dim("nothing found"));
        if (!page.complete) screen.line(screen.paint.dim("the newest messages are still being read: search again"));
        if (page.next !== undefined) screen.line(screen.paint.dim(`older hits: add --cursor ${page.next}`));
        return undefined;
      }),
    );
}

const TITLE_CHARS = 60;

function tell(context: CommandContext, hit: SearchHit, url: string): void {
  const { paint } = context.screen;
  const what = hit.tool === undefined ? hit.kind : `${hit.kind} ${hit.tool}`;
  const title = oneLine(hit.title === "" ? hit.session_id : hit.title, TITLE_CHARS);
  print(context, paint.dim(`${title} · ${what} · ${age(context.surroundings.now() - Date.parse(hit.at))} ago`));
  print(context, `  ${oneLine(hit.snippet, LIMITS.searchSnippetChars * 2)}`);
  print(context, paint.dim(`  ${url}/sessions/${hit.session_id}#seq-${hit.seq}`));
}
