import { Option, type Command } from "commander";
import { Failure, LIMITS, mistakeWords, PoolChange, type PoolView, type WorkerView } from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { age } from "../terminal/words.ts";
import { collect, wholeNumber } from "./options.ts";

export function addWorkers(program: Command, context: CommandContext): void {
  program
    .command("workers")
    .description("where sessions run, and what is prepared for the next")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport workers")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { workers } = await client.workers();
        if (json === true) printJson(context, { workers });
        else if (workers.length === 0) print(context, "no workers: none is prepared, and no session runs anything");
        else for (const line of table(rows(workers, context.surroundings.now()), width(context))) print(context, line);
        return undefined;
      }),
    );
}

interface PoolFlags {
  readonly min?: number;
  readonly max?: number;
  readonly idle?: number;
  readonly threshold?: string;
  readonly pin?: readonly string[];
  readonly json?: boolean;
}

export function addPool(program: Command, context: CommandContext): void {
  const many = wholeNumber({ from: 0, to: LIMITS.poolWorkers });
  const pool = program
    .command("pool")
    .description("how many workers there may be, and how many are prepared")
    .helpCommand(false)
    .option("--json", "as JSON")
    .addHelpText("after", "\nExamples:\n  $ sallyport pool\n  $ sallyport pool set --min 2 --max 10")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        show(context, await client.pool(), json);
        return undefined;
      }),
    );
  pool
    .command("set")
    .description("change it until the server stops")
    .addOption(new Option("--min <n>", "workers at least; 0: none is prepared").argParser(many))
    .addOption(new Option("--max <n>", "workers at most").argParser(many))
    .addOption(
      new Option("--idle <seconds>", "how long an unused one stays").argParser(wholeNumber({ from: 1, to: 86_400 })),
    )
    .option("--threshold <share>", "of those in use, at which one more is prepared: above 0, at most 1")
    .option("--pin <agent=worker>", "reserves a worker for an agent; these replace all pins", collect)
    .addHelpText("after", "\nExample:\n  $ sallyport pool set --min 2 --pin reviewer=w1")
    .action((flags: PoolFlags, command: Command) => {
      const change = changeOf(flags);
      return withServer(context, command, async ({ client }) => {
        show(context, await client.setPool(change), command.optsWithGlobals<PoolFlags>().json);
        return undefined;
      });
    });
}

/** Refused here as the server would. */
function changeOf({ min, max, idle, threshold, pin }: PoolFlags): PoolChange {
  const pins = pin?.map((text) => {
    const at = text.lastIndexOf("=");
    if (at < 1)
      throw new Failure(
        "invalid_request",
        `--pin ${text}: write an agent's name or id, = and a worker, such as reviewer=w1`,
      );
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const wanted = {
    min_workers: min,
    max_workers: max,
    idle_timeout_secs: idle,
    scale_up_threshold: threshold === undefined ? undefined : Number(threshold),
    pins: pins === undefined ? undefined : Object.fromEntries(pins),
  };
  const named = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  if (Object.keys(named).length === 0)
    throw new Failure("invalid_request", "name what to change: --min, --max, --idle, --threshold or --pin");
  const parsed = PoolChange.safeParse(named);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Failure(
    "invalid_request",
    `${issue?.path.join(".") ?? ""} ${issue === undefined ? "is not valid" : mistakeWords(issue)}`,
  );
}

function rows(workers: readonly WorkerView[], now: number): readonly (readonly string[])[] {
  return [
    ["ID", "STATE", "SANDBOX", "NETWORK", "ENGINE", "TURNS", "FAILED", "LOAD", "AGE", "SESSION"],
    ...workers.map((worker) => [
      worker.id,
      worker.state,
      worker.sandbox,
      worker.network ?? "host",
      worker.program ? `${worker.engine} (running)` : worker.engine,
      String(worker.requests),
      String(worker.errors),
      `${Math.round(worker.load * 100)}%`,
      age(now - Date.parse(worker.since)),
      worker.session_id ?? "-",
    ]),
  ];
}

function show(context: CommandContext, pool: PoolView, json: boolean | undefined): void {
  if (json === true) {
    printJson(context, pool);
    return;
  }
  const { config } = pool;
  const pins = Object.entries(config.pins ?? {}).map(([agent, worker]) => `${agent} on ${worker}`);
  const lines = [
    ["workers", `${pool.workers} (${config.min_workers} to ${config.max_workers} may exist)`],
    ["ready", `${pool.idle}${pool.starting === 0 ? "" : `, ${pool.starting} starting`}`],
    ["in use", String(pool.busy)],
    ["unhealthy", `${pool.unhealthy}; ${pool.replaced} replaced so far`],
    ["waiting", `${pool.waiting} sessions`],
    ["taken ready", `${pool.taken} of ${pool.taken + pool.opened} since the server started`],
    ["unused ones end", `after ${config.idle_timeout_secs} s`],
    ["one more", `when ${Math.round(config.scale_up_threshold * 100)} % are in use`],
    ...(pins.length === 0 ? [] : [["pinned", pins.join(", ")]]),
  ];
  for (const line of table(lines, width(context))) print(context, line);
}
