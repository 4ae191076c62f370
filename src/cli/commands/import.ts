import { constants } from "node:fs";
import { lstat, open, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Command } from "commander";
import { glob } from "tinyglobby";
import type { SallyportClient } from "../../client/index.ts";
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
    .option("--workspace <folder>", "where the sessions work (default: as recorded, below this folder or your home)")
    .option("--engine <name>", "what continues them (default: as for new sessions)")
    .addHelpText("after", HELP)
    .action((paths: readonly string[], flags: ImportFlags, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const places = paths.length > 0 ? paths : usualPlaces(context);
        const found = records(places);
        const seen =
          flags.list === true
            ? await showRecords(context, found)
            : await makeSessions(context, found, { client, flags });
        if (seen === 0)
          throw new Failure(
            "not_found",
            `no record of Claude Code or Codex was found in ${places.map(visible).join(" or ")}; name another file or folder`,
          );
        return undefined;
      }),
    );
}

function usualPlaces({ surroundings }: CommandContext): readonly string[] {
  const { HOME = "" } = surroundings.environment;
  return HOME === "" ? [] : [join(HOME, ".claude", "projects"), join(HOME, ".codex", "sessions")];
}

interface RecordFile {
  readonly path: string;
  readonly at: number;
  readonly bytes: number;
}

/** Newest first, read one by one. A record that cannot be read, or holds no prompt, is passed over. */
async function* records(paths: readonly string[]): AsyncGenerator<FoundRecord> {
  const files = (await Promise.all(paths.map(filesBelow))).flat().toSorted((left, right) => right.at - left.at);
  for (const { path, bytes } of files.slice(0, LIMITS.importFiles)) {
    if (bytes > LIMITS.importFileBytes) continue;
    const text = await textOf(path);
    const record = text === undefined ? undefined : readRecord(text);
    if (record !== undefined) yield { ...record, path };
  }
}

/** Undefined: it cannot be read. What became a pipe or a device meanwhile is not waited for, and what grew is not read. */
async function textOf(path: string): Promise<string | undefined> {
  const { O_RDONLY, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const about = await file.stat();
    return about.isFile() && about.size <= LIMITS.importFileBytes ? await file.readFile("utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** Files at the path, or below it. Links in a folder are not followed: they could lead anywhere. */
async function filesBelow(path: string): Promise<readonly RecordFile[]> {
  const about = await stat(path).catch(() => undefined);
  if (about === undefined) return [];
  if (!about.isDirectory()) return about.isFile() ? [{ path, at: about.mtimeMs, bytes: about.size }] : [];
  const inside = await glob("**/*.jsonl", { cwd: path, absolute: true, followSymbolicLinks: false });
  const files = await Promise.all(
    inside.map(async (file): Promise<readonly RecordFile[]> => {
      const found = await lstat(file).catch(() => undefined);
      return found?.isFile() === true ? [{ path: file, at: found.mtimeMs, bytes: found.size }] : [];
    }),
  );
  return files.flat();
}

/**
 * The recorded folder, where a session may work unasked. Others may have written the record: it must not open the whole machine, the system
 * or the settings in somebody's home to what the conversation talks a model into. Undefined: the server's own folder.
 */
async function trusted({ surroundings }: CommandContext, folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined || !isAbsolute(folder)) return undefined;
  const real = await realpath(folder).catch(() => undefined);
  const about = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (real === undefined || about?.isDirectory() !== true) return undefined;
  const { HOME = "" } = surroundings.environment;
  const [here, home] = await Promise.all([foundAt(surroundings.cwd), foundAt(HOME)]);
  const isHere = here !== home && here !== sep && (real === here || isBelow(real, here));
  return isHere || (isBelow(real, home) && !relative(home, real).startsWith(".")) ? folder : undefined;
}

/** Empty: it is not there. */
function foundAt(place: string): Promise<string> {
  return place === "" ? Promise.resolve("") : realpath(place).catch(() => "");
}

/** Nothing counts as below the root: everything is. */
function isBelow(path: string, folder: string): boolean {
  return folder !== "" && folder !== sep && path.startsWith(folder + sep);
}

/** The newest one, or all. How many there were. */
async function makeSessions(
  context: CommandContext,
  found: AsyncIterable<FoundRecord>,
  { client, flags }: { readonly client: SallyportClient; readonly flags: ImportFlags },
): Promise<number> {
  const { screen } = context;
  const { workspace, engine, all } = flags;
  let count = 0;
  for await (const { conversation, workspace: recorded, left_out, path } of found) {
    const place = workspace === undefined ? await trusted(context, recorded) : resolve(workspace);
    const session = await client.exports.import({ conversation, session: defined({ workspace: place, engine }) });
    count += 1;
    print(context, session.id);
    screen.line(screen.paint.dim(visible(`from ${basename(path)}: ${session.title}`)));
    // Where it works may be what the record says, which others may have written.
    screen.line(screen.paint.dim(visible(`works in ${session.settings.workspace}`)));
    if (workspace === undefined && place === undefined && recorded !== undefined)
      screen.line(screen.paint.dim(visible(`not in the recorded folder ${recorded}; --workspace names one`)));
    for (const what of left_out) screen.line(screen.paint.yellow(`! left out: ${what}`));
    if (all !== true) break;
  }
  return count;
}

async function showRecords(context: CommandContext, found: AsyncIterable<FoundRecord>): Promise<number> {
  const rows: string[][] = [];
  for await (const { path, conversation } of found) {
    const { source, turns } = conversation;
    const first = (turns[0]?.prompt ?? "").replaceAll(/\s+/g, " ").slice(0, 60);
    rows.push([source, `${turns.length}`, turns.at(-1)?.at ?? "", visible(first), visible(path)]);
  }
  if (rows.length === 0) return 0;
  for (const line of table([["PROGRAM", "TURNS", "LAST", "FIRST PROMPT", "RECORD"], ...rows], width(context)))
    print(context, line);
  return rows.length;
}
