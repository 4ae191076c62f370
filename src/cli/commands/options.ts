import { InvalidArgumentError, Option, type Command } from "commander";
import { z } from "zod";
import {
  Autonomy,
  defined,
  InstructionMode,
  LIMITS,
  ReviewMode,
  WorkspaceMode,
  type CreateSession,
  type PermissionMode,
} from "../../protocol/index.ts";

/** For options whose value is one of a closed set that a schema owns. */
export function oneOf<Values extends Readonly<Record<string, string>>>(schema: z.ZodEnum<Values>) {
  return (text: string): Values[keyof Values] => {
    const parsed = schema.safeParse(text);
    if (!parsed.success) throw new InvalidArgumentError(`It must be one of: ${schema.options.join(", ")}.`);
    return parsed.data;
  };
}

export function wholeNumber(range: { readonly from: number; readonly to: number }) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < range.from || value > range.to) {
      throw new InvalidArgumentError(`It must be a whole number from ${range.from} to ${range.to}.`);
    }
    return value;
  };
}

/** For amounts of money: dollars as people write them (`2.50`), micro-USD as we count them. */
export function dollarAmount(text: string): number {
  const [, whole = "", fraction = ""] = /^\$?(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === "") throw new InvalidArgumentError("It must be an amount in dollars, such as 2.50.");
  return Number(whole) * 1_000_000 + Number(fraction.padEnd(6, "0"));
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** For how long something lives, as people write it (`8h`); seconds. */
export function lifetime(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? 0);
  if (seconds < 1 || seconds > LIMITS.tokenLifeS)
    throw new InvalidArgumentError("It must be a time such as 90s, 15m, 8h or 30d, up to ten years.");
  return seconds;
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

const FilterName = z.enum(["none", "standard", "strict"]);

/** How a session is wanted that a command starts. */
export interface SessionFlags {
  readonly cwd?: string | undefined;
  readonly model?: string;
  readonly provider?: string;
  readonly engine?: string;
  readonly autonomy?: Autonomy;
  readonly profile?: string;
  readonly permissionMode?: PermissionMode;
  readonly maxCost?: number;
  readonly workspaceMode?: WorkspaceMode;
  readonly repoFilter?: "none" | "standard" | "strict";
  readonly review?: ReviewMode;
  readonly instructions?: InstructionMode;
}

export function sessionSettings({ cwd, permissionMode, maxCost, ...flags }: SessionFlags): CreateSession {
  const { model, provider, engine, autonomy, profile, workspaceMode, repoFilter, review, instructions } = flags;
  const renamed = { workspace: cwd, permission_mode: permissionMode, max_cost_microusd: maxCost };
  const own = { workspace_mode: workspaceMode, repo_filter: repoFilter, review, instructions };
  return defined({ ...renamed, ...own, model, provider, engine, autonomy, profile });
}

/** The options of every command that starts sessions. */
export function addSessionOptions(command: Command): Command {
  return command
    .option("--model <name>", "the model to use")
    .option(
      "--engine <name>",
      "what drives the agent: loop, claude-sdk, claude-cli, codex, opencode, acp:<name>, tunnel, command or compute (default: loop)",
    )
    .option("--provider <name>", "who answers: cloud, sim for the demo model, or another one that is configured")
    .addOption(
      new Option("--autonomy <level>", `how much runs without asking: ${Autonomy.options.join(", ")}`).argParser(
        oneOf(Autonomy),
      ),
    )
    .option("--profile <name>", "the policy profile that holds")
    .addOption(
      new Option(
        "--workspace-mode <mode>",
        `the folder itself, or files of its own whose changes wait for you: ${WorkspaceMode.options.join(", ")}`,
      ).argParser(oneOf(WorkspaceMode)),
    )
    .addOption(
      new Option("--repo-filter <filter>", `what a snapshot leaves out: ${FilterName.options.join(", ")}`).argParser(
        oneOf(FilterName),
      ),
    )
    .addOption(
      new Option(
        "--review <when>",
        "whether each change is asked about, or all of them at the end of a turn (in a worktree or snapshot, in a sandbox): each, at_end",
      ).argParser(oneOf(ReviewMode)),
    )
    .addOption(
      new Option(
        "--instructions <mode>",
        "whether CLAUDE.md, AGENTS.md, skills, commands and agents of the folder are loaded: auto, off",
      ).argParser(oneOf(InstructionMode)),
    );
}
