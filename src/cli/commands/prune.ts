import type { Command } from "commander";
import { Failure, type PruneReport } from "../../protocol/index.ts";
import { print, printJson, withServer, type CommandContext } from "../context.ts";
import { wholeNumber } from "./options.ts";

interface PruneFlags {
  readonly olderThan?: number;
  readonly maxBytes?: number;
  readonly keepOpen?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const HELP = `
Sessions with an open turn, a queue or a question stay, and so do those with "keep": true in their metadata.
Usage and the audit log stay. \`retention\` in sallyport.yaml does the same every ten minutes.

Example:
  $ sallyport prune --older-than 90 --dry-run`;

export function addPrune(program: Command, context: CommandContext): void {
  program
    .command("prune")
    .description("delete old sessions, with their journal, approvals and files")
    .option("--older-than <days>", "those that have not changed for so long", wholeNumber({ from: 1, to: 36_500 }))
    .option(
      "--max-bytes <bytes>",
      "the oldest, until the database takes no more than this",
      wholeNumber({ from: 1, to: Number.MAX_SAFE_INTEGER }),
    )
    .option("--keep-open", "only sessions that were closed")
    .option("--dry-run", "only say what --older-than would delete")
    .option("--json", "as JSON")
    .addHelpText("after", HELP)
    .action((flags: PruneFlags, command: Command) => {
      const { olderThan, maxBytes, keepOpen, dryRun } = flags;
      if (olderThan === undefined && maxBytes === undefined)
        throw new Failure("invalid_request", "say --older-than <days>, --max-bytes <bytes>, or both");
      return withServer(context, command, async ({ client }) => {
        const report = await client.prune({
          ...(olderThan === undefined ? {} : { max_age_days: olderThan }),
          ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
          keep_open: keepOpen === true,
          dry_run: dryRun === true,
        });
        if (flags.json === true) printJson(context, report);
        else for (const line of linesOf(report)) print(context, line);
      });
    });
}

function linesOf({ dry_run, sessions, count, used_bytes }: PruneReport): readonly string[] {
  const verb = dry_run ? "would be deleted" : "deleted";
  const size = `the database takes ${(used_bytes / 1_000_000).toFixed(1)} MB`;
  return [...sessions, `${count} ${count === 1 ? "session" : "sessions"} ${verb}; ${size}`];
}
