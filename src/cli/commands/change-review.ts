import type { Command } from "commander";
import { defined, Failure, type LineComment, type Publishing } from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";

const EXAMPLE = "ses_01jqk3v7w8x9y2z3a4b5c6";

/** Comments on changes, files over time, and pushing: what comes beside the decision. */
export function addChangeReview(changes: Command, context: CommandContext): void {
  addComment(changes, context);
  addMoments(changes, context);
  addPublishing(changes, context);
}

function addComment(changes: Command, context: CommandContext): void {
  changes
    .command("comment")
    .description("send comments on lines to the agent, together, as its next prompt")
    .argument("<session>")
    .argument("<place-and-text...>", "file:line and the comment, as often as you like")
    .addHelpText("after", `\nExample:\n  $ sallyport changes comment ${EXAMPLE} src/index.ts:12 "Name it total"`)
    .action((id: string, words: readonly string[], _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const comments = commentsOf(words);
        const { queued } = await client.reviews.comment(id, { comments });
        const what = `${comments.length} ${comments.length === 1 ? "comment" : "comments"}`;
        print(context, queued ? `sent ${what}; they wait for the turn to end` : `sent ${what}`);
      }),
    );
}

/** Pairs of a place and a text. */
function commentsOf(words: readonly string[]): LineComment[] {
  const comments: LineComment[] = [];
  for (let at = 0; at < words.length; at += 2) {
    const [, path, line] = /^(.+):(\d{1,9})$/.exec(words[at] ?? "") ?? [];
    const text = words[at + 1]?.trim() ?? "";
    if (path === undefined || text === "")
      throw new Failure("invalid_request", `after each file:line comes its comment; "${words[at] ?? ""}" has none`);
    comments.push({ path, line: Number(line), side: "new", text });
  }
  return comments;
}

function addMoments(changes: Command, context: CommandContext): void {
  changes
    .command("moments")
    .description("the turns whose files are known, to compare with and to go back to")
    .argument("<session>")
    .option("--json", "as JSON")
    .addHelpText("after", `\nExample:\n  $ sallyport changes moments ${EXAMPLE}`)
    .action((id: string, { json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const found = await client.reviews.moments(id);
        if (json === true) {
          printJson(context, found);
          return;
        }
        const rows = found.moments.map((one) => [one.id, one.at, visible(one.title || "before the first change")]);
        if (rows.length > 0) for (const line of table(rows, width(context))) print(context, line);
        if (found.note !== undefined) print(context, visible(found.note));
      }),
    );
  changes
    .command("compare")
    .description("what differs between the session's files now and a moment of it, or another session's files")
    .argument("<session>")
    .argument("<moment-or-session>", "start, a turn's id, or a session's id")
    .addHelpText("after", `\nExample:\n  $ sallyport changes compare ${EXAMPLE} start`)
    .action((id: string, other: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { files } = await client.reviews.compare(id, other);
        for (const { path } of files) {
          const { diff, note } = await client.reviews.compareFile(id, other, path);
          print(context, visible(diff === "" ? `${path}: ${note ?? "no lines changed"}` : diff));
        }
      }),
    );
  changes
    .command("rewind")
    .description("put the session's files back to what they were at a moment; the conversation stays")
    .argument("<session>")
    .argument("<moment>", "start, or a turn's id")
    .argument("[path...]", "only these")
    .option("--yes", "you are sure")
    .addHelpText("after", `\nExample:\n  $ sallyport changes rewind ${EXAMPLE} start --yes`)
    .action((id: string, to: string, paths: readonly string[], { yes }: { yes?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { revision, files } = await client.reviews.compare(id, to);
        if (yes !== true)
          throw new Failure(
            "invalid_request",
            `this undoes what changed in ${files.length} files since; look with \`sallyport changes compare\`, then add --yes`,
          );
        const only = defined({ paths: paths.length === 0 ? undefined : [...paths] });
        const done = await client.reviews.rewind(id, { to, revision, ...only });
        print(context, `put back ${done.paths.length} ${done.paths.length === 1 ? "file" : "files"}`);
      }),
    );
}

interface PushOptions {
  readonly branch?: string;
  readonly remote?: string;
}

function addPublishing(changes: Command, context: CommandContext): void {
  changes
    .command("push")
    .description("push the last commit of this session, never over what others pushed")
    .argument("<session>")
    .option("--branch <name>", "which branch, if there are several")
    .option("--remote <name>", "which remote, if there are several")
    .addHelpText("after", `\nExample:\n  $ sallyport changes push ${EXAMPLE} --remote origin`)
    .action((id: string, options: PushOptions, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { branch, remote } = chosenFrom(await client.reviews.publishing(id), options);
        await client.reviews.push(id, { ...branch, remote: remote.name, url: remote.url });
        print(context, visible(`pushed ${branch.branch} to ${remote.name} (${remote.url})`));
      }),
    );
  changes
    .command("pull-request")
    .description("open a pull or merge request for a pushed branch, with gh or glab of the server's machine")
    .argument("<session>")
    .requiredOption("--title <text>", "the title of the request")
    .option("--body <text>", "its description")
    .option("--base <branch>", "the branch that it is for; else the host's default")
    .option("--draft", "as a draft")
    .option("--branch <name>", "which branch, if there are several")
    .option("--remote <name>", "which remote, if there are several")
    .addHelpText("after", `\nExample:\n  $ sallyport changes pull-request ${EXAMPLE} --title "Fix the total"`)
    .action((id: string, options: PushOptions & RequestOptions, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { branch, remote } = chosenFrom(await client.reviews.publishing(id), options);
        const { title, body, base, draft } = options;
        const named = { branch: branch.branch, remote: remote.name, url: remote.url, title };
        const opened = await client.reviews.openPullRequest(id, { ...named, ...defined({ body, base, draft }) });
        print(context, visible(opened.pull_request ?? "opened"));
      }),
    );
}

interface RequestOptions {
  readonly title: string;
  readonly body?: string;
  readonly base?: string;
  readonly draft?: boolean;
}

/** The branch and the remote that are meant; a Failure that lists them where it is not clear. */
function chosenFrom(
  { branches, remotes }: Publishing,
  { branch, remote }: PushOptions,
): { readonly branch: Publishing["branches"][number]; readonly remote: Publishing["remotes"][number] } {
  const usable = remotes.filter(({ refused }) => refused === undefined);
  const foundBranch = branch === undefined && branches.length === 1 ? branches[0] : byName(branches, branch);
  const foundRemote =
    remote === undefined && usable.length === 1 ? usable[0] : usable.find(({ name }) => name === remote);
  if (branches.length === 0)
    throw new Failure("conflict", "this session has committed nothing; begin with `sallyport changes commit`");
  if (foundBranch === undefined)
    throw new Failure("invalid_request", `name one with --branch: ${branches.map((one) => one.branch).join(", ")}`);
  if (foundRemote === undefined)
    throw new Failure(
      "invalid_request",
      usable.length === 0
        ? "the repository has no remote that can be pushed to"
        : `name one with --remote: ${usable.map(({ name }) => name).join(", ")}`,
    );
  return { branch: foundBranch, remote: foundRemote };
}

function byName(
  branches: Publishing["branches"],
  branch: string | undefined,
): Publishing["branches"][number] | undefined {
  return branches.find((one) => one.branch === branch);
}
