import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { claudeRules, codexRules, withImported, type ImportedRules, type ProfileImport } from "../../gate/index.ts";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { print, printJson, withServer, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { visible } from "../terminal/visible.ts";
import { namedProfile } from "./policy-export.ts";

interface ImportOptions {
  readonly profile?: string;
  readonly stricter?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const HELP = `
Reads permissions of Claude Code's settings.json, or a .rules file of Codex, and shows which rules a profile
would get. Nothing changes without --yes. Rules that allow something are marked: they let agents do more.

Example:
  $ sallyport policy import ~/.claude/settings.json
  $ sallyport policy import ~/.claude/settings.json --stricter --yes
  $ sallyport policy import ~/.codex/rules/default.rules --profile code-assist --yes`;

export function addImport(policy: Command, context: CommandContext): void {
  policy
    .command("import")
    .description("take rules of Claude Code or Codex into a profile; shows them first")
    .argument("<file>", "Claude Code's settings.json, or Codex's .rules")
    .option("--profile <name>", "into this profile (default: the policy's default)")
    .option("--stricter", "only rules that deny or ask")
    .option("-y, --yes", "change the policy, with the rules that allow something")
    .option("--json", "as JSON")
    .addHelpText("after", HELP)
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const rules = await rulesIn(file, context);
      await withServer(context, command, async ({ client }) => {
        const policyNow = await client.policy();
        const { name, profile } = namedProfile(policyNow, options.profile);
        const change = withImported(profile, rules, { stricter: options.stricter === true });
        const isNew = Object.values(change.added).some((added) => added.length > 0);
        const isApplied = isNew && options.yes === true;
        if (isApplied)
          await client.setPolicy({ ...policyNow, profiles: { ...policyNow.profiles, [name]: change.profile } });
        if (options.json === true)
          printJson(context, { profile: name, ...change.added, left_out: rules.left_out, applied: isApplied });
        else print(context, shown(name, { change, rules, isNew, isApplied }).join("\n"));
        return EXIT.done;
      });
    });
}

async function rulesIn(file: string, { surroundings }: CommandContext): Promise<ImportedRules> {
  const path = resolve(surroundings.cwd, file);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new Failure("invalid_request", `${path} cannot be read: ${(error as Error).message}`);
  });
  if (text.length > LIMITS.policyChars)
    throw new Failure("invalid_request", `${path} has more than ${LIMITS.policyChars} characters`);
  try {
    if (path.endsWith(".rules")) return codexRules(text);
    return claudeRules(text, { home: surroundings.environment["HOME"] });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${path}: ${error.message}`, error.details);
  }
}

interface ShownImport {
  readonly change: ProfileImport;
  readonly rules: ImportedRules;
  readonly isNew: boolean;
  readonly isApplied: boolean;
}

function shown(name: string, { change, rules, isNew, isApplied }: ShownImport): readonly string[] {
  const { added, notes } = change;
  const widening = added.allow.length;
  const lines = [
    ...added.deny.map((rule) => `+ deny   ${visible(rule)}`),
    ...added.ask.map((rule) => `+ ask    ${visible(rule)}`),
    ...added.allow.map((rule) => `+ allow  ${visible(rule)}  (agents may do more)`),
    ...notes.map((note) => `! ${note}`),
    ...rules.left_out.map(({ rule, why }) => `- not taken: ${visible(rule)}: ${visible(why)}`),
  ];
  if (!isNew) return [...lines, `profile ${visible(name)} has all of these rules already; nothing was changed`];
  if (isApplied) return [...lines, `profile ${visible(name)} was changed`];
  const next =
    widening === 0
      ? "add --yes to change it"
      : `${widening} of them ${widening === 1 ? "lets" : "let"} agents do more: add --yes to take all, --stricter --yes to leave ${widening === 1 ? "it" : "them"} out`;
  return [...lines, `profile ${visible(name)} was not changed; ${next}`];
}
