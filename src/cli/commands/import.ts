import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Command } from "commander";
import { glob } from "tinyglobby";
import { readRecord, type FoundConversation } from "../../imports/index.ts";
import { defined, Failure, LIMITS } from "../../protocol/index.ts";
import { print, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";

const HELP = `
Reads what Claude Code and Codex wrote down of their conversations, and makes a session of each: to read, and to go on with.
Without a path it looks where these programs keep their records, at the newest first. Nothing of a conversation is run again.

Examples:
  $ sallyport import --list
  $ sallyport import ~/.claude/projects/-home-me-app/0b6e2f1c.jsonl --workspace ~/app
  $ sallyport import --all ~/.codex/sessions`;

interface ImportFlags {
  readonly list?: true;
  readonly all?: true;
  readonly workspace?: string;
  readonly engine?: string;
}

interface FoundRecord extends FoundConversation {
  readonly path: string;
}

export function addImport(program: Command, context: CommandContext): void {
  program
    .command("import")
    .description("sessions from the records of Claude Code and Codex")
    .argument("[path...]", "records, or folders with records in them")
    .option("--list", "only show what is there")
    .option("--all", "all that were found, not only the newest")
    .option("--workspace <folder>", "where the sessions work (default: as recorded, where the policy allows it)")
    .option("--engine <name>", "what continues them (default: as for new sessions)")
    .addHelpText("after", HELP)
    .action((paths: readonly string[], flags: ImportFlags, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const found = await records(paths.length > 0 ? paths : usualPlaces(context));
        if (found.length === 0)
          throw new Failure("not_found", "no record of Claude Code or Codex was found there; name a file or a folder");
        if (flags.list === true) return showRecords(context, found);
        const { workspace, engine } = flags;
        for (const { conversation, workspace: recorded, left_out, path } of flags.all === true
          ? found
          : found.slice(0, 1)) {
          const place = workspace === undefined ? await existing(recorded) : resolve(workspace);
          const session = await client.exports.import({ conversation, session: defined({ workspace: place, engine }) });
          print(context, session.id);
          context.screen.line(context.screen.paint.dim(visible(`from ${basename(path)}: ${session.title}`)));
          for (const what of left_out) context.screen.line(context.screen.paint.yellow(`! left out: ${what}`));
        }
        return undefined;
      }),
    );
}

function usualPlaces({ surroundings }: CommandContext): readonly string[] {
  const { HOME = "" } = surroundings.environment;
  return HOME === "" ? [] : [join(HOME, ".claude", "projects"), join(HOME, ".codex", "sessions")];
}

/** Newest first. A record that cannot be read, or holds no prompt, is passed over. */
async function records(paths: readonly string[]): Promise<readonly FoundRecord[]> {
  const files = (await Promise.all(paths.map(filesBelow))).flat().toSorted((left, right) => right.at - left.at);
  const found: FoundRecord[] = [];
  for (const { path, bytes } of files.slice(0, LIMITS.importFiles)) {
    if (bytes > LIMITS.importFileBytes) continue;
    const record = readRecord(await readFile(path, "utf8"));
    if (record !== undefined) found.push({ ...record, path });
  }
  return found;
}

async function filesBelow(path: string): Promise<readonly { path: string; at: number; bytes: number }[]> {
  const about = await stat(path).catch(() => undefined);
  if (about === undefined) return [];
  const inside = about.isDirectory() ? await glob("**/*.jsonl", { cwd: path, absolute: true }) : [path];
  return Promise.all(
    inside.map(async (file) => {
      const { mtimeMs: at, size: bytes } = await stat(file);
      return { path: file, at, bytes };
    }),
  );
}

/** A folder that is gone, or of another machine, would be refused. */
async function existing(folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  const about = await stat(folder).catch(() => undefined);
  return about?.isDirectory() === true ? folder : undefined;
}

function showRecords(context: CommandContext, found: readonly FoundRecord[]): undefined {
  const rows = found.map(({ path, conversation: { source, turns } }) => [
    source,
    `${turns.length}`,
    turns.at(-1)?.at ?? "",
    visible((turns[0]?.prompt ?? "").replaceAll(/\s+/g, " ").slice(0, 60)),
    path,
  ]);
  for (const line of table([["PROGRAM", "TURNS", "LAST", "FIRST PROMPT", "RECORD"], ...rows], width(context)))
    print(context, line);
  return undefined;
}
