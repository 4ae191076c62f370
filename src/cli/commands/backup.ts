import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { Failure } from "../../protocol/index.ts";
import type * as backup from "../../store/sqlite/backup.ts";
import { print, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { POLICY_FILE } from "../home/files.ts";
import { makeFolder } from "../home/make-folder.ts";
import { replacePrivateFile } from "../home/private-file.ts";
import { ownHome } from "../serving.ts";
import { SETTINGS_FILE } from "../settings/settings.ts";
import { readTextFile } from "../settings/text-file.ts";

/** Files of the home that a backup holds besides the database. */
const FILES = [SETTINGS_FILE, POLICY_FILE];

const BACKUP_HELP = `
Works while the server runs. The file holds journals, sessions, approvals, tokens (as hashes), audit, usage, policy.yaml
and sallyport.yaml; not the first admin token, keys of providers, or Claude's own records. A database that lost something
is refused: its backup would look whole. --accept-data-loss backs up what is left.

Example:
  $ sallyport backup ~/backups/sallyport-monday.backup`;

const RESTORE_HELP = `
Stop the server first. The database that was there is kept beside the restored one. policy.yaml and sallyport.yaml are
written only where the home has none. Restore only files that you trust: a sallyport.yaml can name programs to run.

Example:
  $ sallyport restore ~/backups/sallyport-monday.backup`;

interface BackupFlags {
  readonly acceptDataLoss?: boolean;
}

export function addBackup(program: Command, context: CommandContext): void {
  program
    .command("backup")
    .description("copy the home's database into one file, checked and private, while the server runs or not")
    .argument("<file>", "a file that does not exist yet")
    .option("--accept-data-loss", "back up a database that holds less than it did")
    .addHelpText("after", BACKUP_HELP)
    .action(async (file: string, { acceptDataLoss }: BackupFlags, command: Command) => {
      const home = await ownHome(context, command);
      const target = resolve(context.surroundings.cwd, file);
      const { sessions, lost } = await told(({ backUp }) =>
        backUp({
          path: join(home, "sallyport.db"),
          target,
          files: filesOf(home),
          now: context.surroundings.now(),
          acceptLoss: acceptDataLoss,
        }),
      );
      if (lost !== undefined) context.screen.line(`${context.screen.paint.yellow("warning:")} ${lost}`);
      print(context, `${target}: ${sessions} ${sessions === 1 ? "session" : "sessions"}, checked`);
      context.end(EXIT.done);
    });
  program
    .command("restore")
    .description("replace the home's database with a backup")
    .argument("<file>")
    .addHelpText("after", RESTORE_HELP)
    .action(async (file: string, _options: unknown, command: Command) => {
      const home = await ownHome(context, command);
      await makeFolder(home);
      const source = resolve(context.surroundings.cwd, file);
      const report = await told(({ restore }) =>
        restore({ path: join(home, "sallyport.db"), source, now: context.surroundings.now() }),
      );
      const { sessions, made_at, aside } = report;
      print(context, `${sessions} ${sessions === 1 ? "session" : "sessions"} of ${made_at} restored into ${home}`);
      if (aside !== undefined) context.screen.line(`the database that was there is kept as ${aside}`);
      for (const { name, body } of report.files) {
        const path = join(home, name);
        if (!FILES.includes(name)) continue;
        if (existsSync(path)) context.screen.line(`${path} is kept as it is`);
        else await replacePrivateFile(path, body);
      }
      context.end(EXIT.done);
    });
}

/** Converts the store's refusals to a command's errors. The work begins when all is loaded: a refusal finds a listener. */
async function told<Report>(work: (store: typeof backup) => Promise<Report>): Promise<Report> {
  const store = await import("../../store/sqlite/backup.ts");
  const { StoreRefusal } = await import("../../store/sqlite/refusal.ts");
  try {
    return await work(store);
  } catch (error) {
    throw error instanceof StoreRefusal ? new Failure(error.code, error.message) : error;
  }
}

function filesOf(home: string): readonly { readonly name: string; readonly body: string }[] {
  return FILES.flatMap((name) => {
    const body = readTextFile(join(home, name));
    return body === undefined ? [] : [{ name, body }];
  });
}
