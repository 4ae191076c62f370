import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import { defined, dollars, LIMITS, type LongRunDetail, type LongRunView } from "../../protocol/index.ts";
import { print, printJson, tellUnattended, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";
import { addSessionOptions, dollarAmount, sessionSettings, wholeNumber, type SessionFlags } from "./options.ts";

const HELP = `
A long run starts sessions one after the other in one folder: the first writes feature_list.json, each one after it builds the next
feature. It ends when all features pass, when nothing moves any more, or when its budget or its sessions are used up.

Examples:
  $ sallyport long-run start --max-cost 20 "a web app for shopping lists"
  $ sallyport long-run show run_01jqk3v7w8x9y2z3a4b5c6`;

const START_HELP = `
Example:
  $ sallyport long-run start --max-cost 20 --autonomy full "a web app for shopping lists"`;

interface StartFlags extends SessionFlags {
  readonly maxCost: number;
  readonly name?: string;
  readonly taskFile?: string;
  readonly initializer?: string;
  readonly coder?: string;
  readonly maxSessions?: number;
  readonly maxIdle?: number;
  readonly pause?: number;
  readonly json?: boolean;
}

export function addLongRun(program: Command, context: CommandContext): void {
  const longRun = program
    .command("long-run")
    .description("sessions one after the other on one task, within one budget")
    .helpCommand(false)
    .addHelpText("after", HELP);
  addStart(longRun, context);
  addReads(longRun, context);
  const example = (verb: string): string => `\nExample:\n  $ sallyport long-run ${verb} run_01jqk3v7w8x9y2z3a4b5c6`;
  for (const [verb, what] of [
    ["pause", "hold it, and the session that works, until it is continued"],
    ["continue", "go on"],
    ["stop", "end it, and the session that works"],
  ] as const)
    longRun
      .command(verb)
      .description(what)
      .argument("<id>")
      .addHelpText("after", example(verb))
      .action((id: string, _options: unknown, command: Command) =>
        withServer(context, command, async ({ client }) => {
          const view = await client.longRuns.control(id, verb);
          print(context, `${view.id} is ${view.status}`);
          return undefined;
        }),
      );
  longRun
    .command("delete")
    .description("stop it and forget it; its sessions stay")
    .argument("<id>")
    .addHelpText("after", example("delete"))
    .action((id: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        await client.longRuns.remove(id);
        print(context, `${id} is gone`);
        return undefined;
      }),
    );
}

function addStart(longRun: Command, context: CommandContext): void {
  const sessions = wholeNumber({ from: 1, to: LIMITS.longRunSessions });
  addSessionOptions(
    longRun
      .command("start")
      .description("start one; the task stands in words or in a file")
      .argument("[task]", "what is to be built")
      .addOption(
        new Option("--max-cost <dollars>", "the most that all its sessions may cost together")
          .argParser(dollarAmount)
          .makeOptionMandatory(),
      )
      .option("--task-file <file>", "a file with the task")
      .option("--name <name>", "what it is called in lists")
      .option("--cwd <folder>", "the folder to work in (default: this one)")
      .option("--initializer <template>", "a template of your own for the first session")
      .option("--coder <template>", "a template of your own for the sessions after it")
      .addOption(new Option("--max-sessions <n>", "sessions at most (default: 50)").argParser(sessions))
      .addOption(
        new Option("--max-idle <n>", "sessions without a further feature before it ends (default: 3)").argParser(
          sessions,
        ),
      )
      .addOption(
        new Option("--pause <seconds>", "between two sessions (default: 3)").argParser(
          wholeNumber({ from: 0, to: LIMITS.longRunPauseS }),
        ),
      )
      .option("--json", "as JSON")
      .addHelpText("after", START_HELP),
  ).action((task: string | undefined, flags: StartFlags, command: Command) => {
    if ((task === undefined) === (flags.taskFile === undefined))
      command.error("error: say what is to be built: in words, or with --task-file");
    return withServer(context, command, async (connection) => {
      const { client } = connection;
      const { cwd } = context.surroundings;
      const text = task ?? (await readFile(resolve(cwd, flags.taskFile ?? ""), "utf8"));
      const { maxCost, name = text.split("\n", 1)[0]?.slice(0, 80) ?? "", initializer, coder } = flags;
      const { maxCost: _own, ...settings } = flags;
      const view = await client.longRuns.start({
        name,
        task: text,
        max_cost_microusd: maxCost,
        session: sessionSettings({ ...settings, cwd: resolve(cwd, flags.cwd ?? ".") }),
        ...defined({
          initializer,
          coder,
          max_sessions: flags.maxSessions,
          max_idle_sessions: flags.maxIdle,
          pause_s: flags.pause,
        }),
      });
      if (flags.json === true) printJson(context, view);
      else print(context, view.id);
      tellUnattended(context, connection);
      return undefined;
    });
  });
}

function addReads(longRun: Command, context: CommandContext): void {
  longRun
    .command("list")
    .description("the long runs, newest first")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport long-run list")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const list = await client.longRuns.list();
        if (json === true) printJson(context, list);
        else if (list.long_runs.length === 0) print(context, "no long runs");
        else for (const line of table(listRows(list.long_runs), width(context))) print(context, line);
        return undefined;
      }),
    );
  longRun
    .command("show")
    .description("its sessions and its features")
    .argument("<id>")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport long-run show run_01jqk3v7w8x9y2z3a4b5c6")
    .action((id: string, { json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const detail = await client.longRuns.get(id);
        if (json === true) printJson(context, detail);
        else show(context, detail);
        return undefined;
      }),
    );
  longRun
    .command("templates")
    .description("the two prompts that are used where none are named, to read and to change")
    .addHelpText("after", "\nExample:\n  $ sallyport long-run templates > prompts.json")
    .action((_options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        printJson(context, await client.longRuns.templates());
        return undefined;
      }),
    );
}

function listRows(runs: readonly LongRunView[]): readonly (readonly string[])[] {
  return [
    ["ID", "STATUS", "FEATURES", "SESSIONS", "SPENT", "NAME"],
    ...runs.map((run) => [
      run.id,
      run.end ?? run.status,
      featuresOf(run),
      `${run.sessions} of ${run.max_sessions}`,
      `${dollars(run.spent_microusd)} of ${dollars(run.max_cost_microusd)}`,
      run.name,
    ]),
  ];
}

function featuresOf({ features }: Pick<LongRunView, "features">): string {
  return features === undefined ? "-" : `${features.passing} of ${features.total}`;
}

function show(context: CommandContext, run: LongRunDetail): void {
  for (const line of table(listRows([run]), width(context))) print(context, line);
  if (run.message !== undefined) print(context, visible(run.message));
  if (run.steps.length > 0) print(context, "");
  const steps = run.steps.map((step) => [
    String(step.index),
    step.session_id,
    step.outcome,
    featuresOf(step),
    dollars(step.spent_microusd),
    step.message ?? "",
  ]);
  if (steps.length > 0)
    for (const line of table([["#", "SESSION", "OUTCOME", "FEATURES", "SPENT", ""], ...steps], width(context)))
      print(context, line);
  if (run.feature_list.length > 0) print(context, "");
  for (const { description, passes } of run.feature_list)
    print(context, `${passes ? "✓" : "·"} ${visible(description)}`);
}
