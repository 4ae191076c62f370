import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { Failure } from "../../protocol/index.ts";
import { print, type Context } from "../context.ts";
import { EXIT } from "../exit.ts";
import { POLICY_FILE } from "../files.ts";
import { settingsFor } from "../serving.ts";
import { SETTINGS_FILE } from "../settings.ts";

/** Files of the home that a backup holds beside the database. */
const FILES = [SETTINGS_FILE, POLICY_FILE];

const BACKUP_HELP = `
Works while the server runs. The file holds journals, sessions, approvals, tokens (as hashes), audit, usage, policy.yaml
and sallyport.yaml; not the first admin token, keys of providers, or Claude's own records.

Example:
  $ sallyport backup ~/backups/sallyport-monday.backup`;

const RESTORE_HELP = `
Stop the server first. The database that was there is kept beside the restored one. policy.yaml and sallyport.yaml are
written only where the home has none. Restore only files that you trust: a sallyport.yaml can name programs to run.

Example:
  $ sallyport restore ~/backups/sallyport-monday.backup`;

export function addBackup(program: Command, context: Context): void {
  program
    .command("backup")
    .description("copy the home's database into one file, checked and private, while the server runs or not")
    .argument("<file>", "a file that does not exist yet")
    .addHelpText("after", BACKUP_HELP)
    .action(async (file: string, _options: unknown, command: Command) => {
      const home = settingsFor(context, command).home.value;
      const target = resolve(context.surroundings.cwd, file);
      const { backUp } = await import("../../store/backup.ts");
      const { sessions } = await told(
        backUp({
          path: join(home, "sallyport.db"),
          target,
          files: await filesOf(home),
          now: context.surroundings.now(),
        }),
      );
      print(context, `${target}: ${sessions} ${sessions === 1 ? "session" : "sessions"}, checked`);
      context.end(EXIT.done);
    });
  program
    .command("restore")
    .description("replace the home's database with a backup")
    .argument("<file>")
    .addHelpText("after", RESTORE_HELP)
    .action(async (file: string, _options: unknown, command: Command) => {
      const home = settingsFor(context, command).home.value;
      await mkdir(home, { recursive: true, mode: 0o700 });
      const source = resolve(context.surroundings.cwd, file);
      const { restore } = await import("../../store/backup.ts");
      const report = await told(restore({ path: join(home, "sallyport.db"), source, now: context.surroundings.now() }));
      const { sessions, made_at, aside } = report;
      print(context, `${sessions} ${sessions === 1 ? "session" : "sessions"} of ${made_at} restored into ${home}`);
      if (aside !== undefined) context.screen.line(`the database that was there is kept as ${aside}`);
      for (const { name, body } of report.files) {
        const path = join(home, name);
        if (!FILES.includes(name)) continue;
        if (existsSync(path)) context.screen.line(`${path} is kept as it is`);
        else await writeFile(path, body, { mode: 0o600 });
      }
      context.end(EXIT.done);
    });
}

/** The store's refusals in the words of a command. */
async function told<Report>(work: Promise<Report>): Promise<Report> {
  const { Refusal } = await import("../../store/refusal.ts");
  return work.catch((error: unknown) => {
    throw error instanceof Refusal ? new Failure(error.code, error.message) : error;
  });
}

async function filesOf(home: string): Promise<readonly { readonly name: string; readonly body: string }[]> {
  const found = await Promise.all(
    FILES.map(async (name) => ({ name, body: await readFile(join(home, name), "utf8").catch(() => undefined) })),
  );
  return found.flatMap(({ name, body }) => (body === undefined ? [] : [{ name, body }]));
}
