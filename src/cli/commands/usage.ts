import { InvalidArgumentError, Option, type Command } from "commander";
import type { UsageFilter } from "../../client/paths.ts";
import { LIMITS, USAGE_GROUPS, UsageGroup, type UsageReport } from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { budgetTable, usageTable } from "../show/usage.ts";
import { wholeNumber } from "./options.ts";

interface UsageOptions extends UsageFilter {
  readonly by: readonly UsageGroup[];
  readonly csv?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Days are UTC. Budgets are shown as they are now; only those that have a limit.

Examples:
  $ sallyport usage
  $ sallyport usage --by day,model --from 2026-11-01 --to 2026-11-15
  $ sallyport usage --by session --csv > usage.csv`;

export function addUsage(program: Command, context: CommandContext): void {
  program
    .command("usage")
    .description("tokens and money: what was used, and what is left")
    .addOption(
      new Option("--by <groups>", `any of ${USAGE_GROUPS.join(", ")}, with commas between them`)
        .argParser(groups)
        .default(["day"], "day"),
    )
    .option("--from <day>", "from this day on, such as 2026-11-01")
    .option("--to <day>", "up to this day, and including it")
    .option("--session <id>", "only of this session; with its budget and its parents'")
    .option("--agent <id>", "only of this token's sessions")
    .option("--key <id>", "only of this API key")
    .option("--limit <n>", "at most this many lines", wholeNumber({ from: 1, to: LIMITS.usageLines }))
    .addOption(new Option("--csv", "the lines as CSV").conflicts("json"))
    .option("--json", "as JSON")
    .addHelpText("after", EXAMPLES)
    .action((options: UsageOptions, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { csv: asCsv, json, ...filter } = options;
        if (asCsv === true) {
          const { csv, truncated } = await client.usageCsv(filter);
          context.surroundings.output.write(csv);
          if (truncated) sayCut(context);
          return EXIT.done;
        }
        const report = await client.usage(filter);
        if (json === true) printJson(context, report);
        else show(context, report, options.by);
        return EXIT.done;
      }),
    );
}

function show(context: CommandContext, report: UsageReport, by: readonly UsageGroup[]): void {
  const budgets = budgetTable(report.budgets, width(context));
  const lines = report.lines.length === 0 ? ["nothing was used"] : usageTable(report, by, width(context));
  for (const line of [...lines, ...(budgets.length === 0 ? [] : ["", ...budgets])]) print(context, line);
  if (report.truncated === true) sayCut(context);
}

function sayCut(context: CommandContext): void {
  context.screen.line(
    context.screen.paint.yellow(
      "! there are more lines than that; ask for fewer days or groups, or for a higher --limit",
    ),
  );
}

function groups(text: string): readonly UsageGroup[] {
  const parsed = text.split(",").map((word) => UsageGroup.safeParse(word.trim()));
  const wanted = parsed.flatMap(({ data }) => data ?? []);
  if (wanted.length < parsed.length) throw new InvalidArgumentError(`It must be some of: ${USAGE_GROUPS.join(", ")}.`);
  if (new Set(wanted).size < wanted.length) throw new InvalidArgumentError("It names the same group twice.");
  return wanted;
}
