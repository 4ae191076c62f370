import type { Command } from "commander";
import { defined, Failure, type ChangeSetFile, type ChangeList, type ChangesDone } from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";
import { addChangeReview } from "./change-review.ts";

const EXAMPLE = "ses_01jqk3v7w8x9y2z3a4b5c6";

const HELP = `
A session with workspace_mode worktree or snapshot works on files of its own. What it changed there waits here for you.
Of a session that works in the folder itself you see what changed since it began, and can commit or discard it.
A file that changed in your folder since is a conflict: it is never written over. Apply the others by their names, or
commit all of them to a branch and merge it.

Example:
  $ sallyport changes diff ${EXAMPLE}
  $ sallyport changes apply ${EXAMPLE}`;

export function addChanges(program: Command, context: CommandContext): void {
  const changes = program
    .command("changes")
    .description("look at what a session changed; comment, apply, commit, discard, rewind and push it")
    .helpCommand(false)
    .addHelpText("after", HELP);
  changes
    .command("list")
    .description("the changed files, conflicts, and what was withheld from the session")
    .argument("<session>")
    .option("--json", "as JSON")
    .addHelpText("after", `\nExample:\n  $ sallyport changes list ${EXAMPLE}`)
    .action((id: string, { json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const found = await client.changes(id);
        if (json === true) printJson(context, found);
        else for (const line of linesOf(found, context)) print(context, line);
      }),
    );
  changes
    .command("diff")
    .description("what changed in these files; without a path in all of them")
    .argument("<session>")
    .argument("[path...]")
    .addHelpText("after", `\nExample:\n  $ sallyport changes diff ${EXAMPLE} src/index.ts`)
    .action((id: string, paths: readonly string[], _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const wanted = paths.length > 0 ? paths : (await client.changes(id)).files.map(({ path }) => path);
        for (const path of wanted) {
          const { diff, note, source_diff } = await client.changeDiff(id, path);
          print(context, visible(diff === "" ? `${path}: ${note ?? "no lines changed"}` : diff));
          if (source_diff !== undefined) print(context, visible(`conflict: in the folder itself\n${source_diff}`));
        }
      }),
    );
  addDecisions(changes, context);
  addChangeReview(changes, context);
}

function addDecisions(changes: Command, context: CommandContext): void {
  const decided = (verb: string, { paths, branch }: ChangesDone): void =>
    print(
      context,
      `${verb} ${paths.length} ${paths.length === 1 ? "file" : "files"}${branch === undefined ? "" : ` on ${branch}`}`,
    );
  changes
    .command("apply")
    .description("write the changes into the folder that they are for; with a conflict among them nothing is written")
    .argument("<session>")
    .argument("[path...]", "only these")
    .addHelpText("after", `\nExample:\n  $ sallyport changes apply ${EXAMPLE} src/index.ts`)
    .action((id: string, paths: readonly string[], _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { revision } = await client.changes(id);
        decided("applied", await client.applyChanges(id, { revision, ...only(paths) }));
      }),
    );
  changes
    .command("commit")
    .description("commit the changes on a branch of the folder's repository; its files stay as they are")
    .argument("<session>")
    .argument("[path...]", "only these")
    .requiredOption("--branch <name>", "a new branch, or one that an earlier commit of this session made")
    .option("--message <text>", "the message of the commit (default: made from what was asked and changed)")
    .addHelpText("after", `\nExample:\n  $ sallyport changes commit ${EXAMPLE} --branch fix --message "Fix it"`)
    .action((id: string, paths: readonly string[], options: { branch: string; message?: string }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { revision, proposed_message = "Change files" } = await client.changes(id);
        const wanted = { branch: options.branch, message: options.message ?? proposed_message, revision };
        decided("committed", await client.commitChanges(id, { ...wanted, ...only(paths) }));
      }),
    );
  changes
    .command("discard")
    .description("put the session's files back to what they were; the changes are gone")
    .argument("<session>")
    .argument("[path...]", "only these")
    .option("--yes", "you are sure")
    .addHelpText("after", `\nExample:\n  $ sallyport changes discard ${EXAMPLE} --yes`)
    .action((id: string, paths: readonly string[], { yes }: { yes?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { revision, files } = await client.changes(id);
        if (yes !== true)
          throw new Failure("invalid_request", `this deletes what changed in ${files.length} files; add --yes`);
        decided("discarded", await client.discardChanges(id, { revision, ...only(paths) }));
      }),
    );
}

function only(paths: readonly string[]): { readonly paths?: string[] } {
  return defined({ paths: paths.length === 0 ? undefined : [...paths] });
}

function linesOf(list: ChangeList, context: CommandContext): readonly string[] {
  const { files, additions, deletions, source, conflicts, withheld_count, withheld, unknown } = list;
  const rows = files.map((file) => [LETTERS[file.status], counted(file), visible(file.path), wordsOf(file)]);
  const sum = `${files.length} ${files.length === 1 ? "file" : "files"}, +${additions} −${deletions}, for ${source}`;
  return [
    ...(rows.length === 0 ? [] : table(rows, width(context))),
    visible(conflicts === 0 ? sum : `${sum}; ${conflicts} in conflict`),
    ...(withheld_count === 0 ? [] : [`${withheld_count} withheld from the session:`]),
    ...withheld.map(({ path, because }) => visible(`  ${path} (${because})`)),
    ...(unknown === undefined ? [] : [visible(unknown)]),
  ];
}

const LETTERS = { added: "A", modified: "M", deleted: "D" } as const;

function counted({ additions, deletions, binary, large }: ChangeSetFile): string {
  return binary === true ? "binary" : large === true ? "large" : `+${additions} −${deletions}`;
}

function wordsOf({ conflict, in_source }: ChangeSetFile): string {
  return conflict === true ? "conflict" : in_source === true ? "already there" : "";
}
