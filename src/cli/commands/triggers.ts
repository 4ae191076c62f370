import { Option, type Command } from "commander";
import {
  defined,
  Failure,
  type ScheduleView,
  type TriggerHistory,
  type WebhookCreated,
  type WebhookView,
} from "../../protocol/index.ts";
import type { ServerConnection } from "../connect.ts";
import { print, printJson, tellUnattended, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { dollarAmount } from "./options.ts";

const SCHEDULE_HELP = `
A schedule starts sessions from a template, with your rights and your budget, at each time of a cron expression or once.

Examples:
  $ sallyport schedule create --template triage --cron "0 7 * * mon-fri" --time-zone Europe/Madrid "Morning triage"
  $ sallyport schedule create --template release --at 2027-01-04T09:00:00Z "Release"`;

const WEBHOOK_HELP = `
A webhook starts a session from a template for each delivery that is signed with its secret (Standard Webhooks). The payload is placed
in the prompt as data.

Example:
  $ sallyport webhook create --template triage "Issues"`;

interface TriggerFlags {
  readonly template: string;
  readonly cron?: string;
  readonly at?: string;
  readonly timeZone?: string;
  readonly missed?: "run_once" | "skip";
  readonly maxCost?: number;
  readonly json?: boolean;
}

export function addSchedule(program: Command, context: CommandContext): void {
  const schedule = program
    .command("schedule")
    .description("sessions that begin at set times")
    .helpCommand(false)
    .addHelpText("after", SCHEDULE_HELP);
  createOptions(schedule)
    .option("--cron <fields>", "minute, hour, day of the month, month, day of the week")
    .option("--time-zone <name>", "in which they are meant (default: UTC)")
    .option("--at <time>", "once, such as 2027-01-04T09:00:00Z")
    .addOption(
      new Option("--missed <what>", "what becomes of missed times (default: run_once)").choices(["run_once", "skip"]),
    )
    .addHelpText("after", `\n${SCHEDULE_HELP.slice(SCHEDULE_HELP.indexOf("Examples:"))}`)
    .action((name: string, flags: TriggerFlags, command: Command) =>
      withServer(context, command, async (connection) => {
        const { client } = connection;
        if ((flags.cron === undefined) === (flags.at === undefined))
          throw new Failure("invalid_request", "say when it starts sessions: --cron <fields> or --at <time>");
        const { template, cron, at, timeZone: time_zone, missed, maxCost: max_cost_microusd } = flags;
        const made = await client.schedules.create({
          name,
          template,
          ...defined({ cron, at, time_zone, missed, max_cost_microusd }),
        });
        if (flags.json === true) printJson(context, made);
        else print(context, `${made.id}: next at ${made.next[0] ?? "never"}`);
        tellUnattended(context, connection);
        return undefined;
      }),
    );
  addList(schedule, context, async (client) => {
    const { schedules } = await client.schedules.list();
    return { value: { schedules }, rows: [SCHEDULE_HEAD, ...schedules.map(scheduleRow)] };
  });
  schedule
    .command("run")
    .description("start a session of it now; its own times stay as they are")
    .argument("<id>")
    .addHelpText("after", exampleOf(schedule, "run"))
    .action((id: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { last } = await client.schedules.run(id);
        print(context, last?.session_id ?? id);
        return undefined;
      }),
    );
  addHistory(schedule, context, (client, id) => client.schedules.history(id));
  addControls(schedule, context, {
    pause: (client, id) => client.schedules.control(id, "pause"),
    continue: (client, id) => client.schedules.control(id, "continue"),
    delete: (client, id) => client.schedules.remove(id),
  });
}

export function addWebhook(program: Command, context: CommandContext): void {
  const webhook = program
    .command("webhook")
    .description("sessions that begin when a signed delivery comes")
    .helpCommand(false)
    .addHelpText("after", WEBHOOK_HELP);
  createOptions(webhook)
    .addHelpText("after", `\n${WEBHOOK_HELP.slice(WEBHOOK_HELP.indexOf("Example:"))}`)
    .action((name: string, flags: TriggerFlags, command: Command) =>
      withServer(context, command, async (connection) => {
        const { client } = connection;
        const { template, maxCost: max_cost_microusd } = flags;
        const made = await client.webhooks.create({ name, template, ...defined({ max_cost_microusd }) });
        if (flags.json === true) printJson(context, made);
        else showSecret(context, made, connection);
        tellUnattended(context, connection);
        return undefined;
      }),
    );
  webhook
    .command("rotate")
    .description("make a new secret; the old one is worth nothing from now on")
    .argument("<id>")
    .option("--json", "as JSON")
    .addHelpText("after", exampleOf(webhook, "rotate"))
    .action((id: string, { json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async (connection) => {
        const made = await connection.client.webhooks.rotate(id);
        if (json === true) printJson(context, made);
        else showSecret(context, made, connection);
        return undefined;
      }),
    );
  addList(webhook, context, async (client) => {
    const { webhooks } = await client.webhooks.list();
    return { value: { webhooks }, rows: [WEBHOOK_HEAD, ...webhooks.map(webhookRow)] };
  });
  addHistory(webhook, context, (client, id) => client.webhooks.history(id));
  addControls(webhook, context, {
    pause: (client, id) => client.webhooks.control(id, "pause"),
    continue: (client, id) => client.webhooks.control(id, "continue"),
    delete: (client, id) => client.webhooks.remove(id),
  });
}

type TriggerClient = Parameters<Parameters<typeof withServer>[2]>[0]["client"];

function createOptions(group: Command): Command {
  return group
    .command("create")
    .description("make one, with your rights and your budget")
    .argument("<name>")
    .requiredOption("--template <id>", "what its sessions begin with")
    .addOption(new Option("--max-cost <dollars>", "the most that one session may cost").argParser(dollarAmount))
    .option("--json", "as JSON");
}

const IDS: Readonly<Record<string, string>> = {
  schedule: "sch_01jqk3v7w8x9y2z3a4b5c6",
  webhook: "hook_01jqk3v7w8x9y2z3a4b5c6",
};

/** Of a command about one of them. */
function exampleOf(group: Command, verb: string): string {
  return `\nExample:\n  $ sallyport ${group.name()} ${verb} ${IDS[group.name()] ?? ""}`;
}

function addList(
  group: Command,
  context: CommandContext,
  read: (client: TriggerClient) => Promise<{ readonly value: object; readonly rows: readonly (readonly string[])[] }>,
): void {
  group
    .command("list")
    .description("all of them")
    .option("--json", "as JSON")
    .addHelpText("after", `\nExample:\n  $ sallyport ${group.name()} list`)
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { value, rows } = await read(client);
        if (json === true) printJson(context, value);
        else if (rows.length === 1)
          print(context, `there are none; make one with: ${context.surroundings.name} ${group.name()} create`);
        else for (const line of table(rows, width(context))) print(context, line);
        return undefined;
      }),
    );
}

function addHistory(
  group: Command,
  context: CommandContext,
  read: (client: TriggerClient, id: string) => Promise<TriggerHistory>,
): void {
  group
    .command("history")
    .description("what became of it, the newest first")
    .argument("<id>")
    .option("--json", "as JSON")
    .addHelpText("after", exampleOf(group, "history"))
    .action((id: string, { json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const history = await read(client, id);
        if (json === true) printJson(context, history);
        else if (history.results.length === 0) print(context, "nothing so far");
        else
          for (const line of table(
            [["AT", "RESULT"], ...history.results.map((one) => [one.at, lastOf(one)])],
            width(context),
          ))
            print(context, line);
        return undefined;
      }),
    );
}

const DONE = { pause: "is paused", continue: "goes on", delete: "is gone" } as const;
type Verb = keyof typeof DONE;

function addControls(
  group: Command,
  context: CommandContext,
  controls: Readonly<Record<Verb, (client: TriggerClient, id: string) => Promise<unknown>>>,
): void {
  for (const verb of ["pause", "continue", "delete"] as const)
    group
      .command(verb)
      .description(`${verb} one`)
      .argument("<id>")
      .addHelpText("after", exampleOf(group, verb))
      .action((id: string, _options: unknown, command: Command) =>
        withServer(context, command, async ({ client }) => {
          await controls[verb](client, id);
          print(context, `${id} ${DONE[verb]}`);
          return undefined;
        }),
      );
}

const SCHEDULE_HEAD = ["ID", "WHEN", "NEXT", "STARTED", "LAST", "NAME"];

function scheduleRow({ id, cron, at, time_zone, paused, next, started, last, name }: ScheduleView): readonly string[] {
  const when = cron === undefined ? (at ?? "") : `${cron} ${time_zone}`;
  return [id, when, paused ? "paused" : (next[0] ?? "never"), String(started), lastOf(last), name];
}

const WEBHOOK_HEAD = ["ID", "PATH", "STATUS", "STARTED", "LAST", "NAME"];

function webhookRow({ id, path, paused, started, last, name }: WebhookView): readonly string[] {
  return [id, path, paused ? "paused" : "open", String(started), lastOf(last), name];
}

function lastOf(last: ScheduleView["last"]): string {
  return last?.session_id ?? last?.message ?? "-";
}

function showSecret(
  context: CommandContext,
  { path, secret }: WebhookCreated,
  { embedded, url }: Pick<ServerConnection, "embedded" | "url">,
): void {
  // The address of a server inside this process is nobody's in a moment.
  context.screen.line(`deliveries go to ${embedded ? "" : url}${path}`);
  context.screen.line("the secret is shown this once:");
  print(context, secret);
}
