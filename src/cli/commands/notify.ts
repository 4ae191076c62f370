import { Option, type Command } from "commander";
import {
  CreateNotificationTarget,
  defined,
  Failure,
  mistakeWords,
  NotificationEvent,
  type NotificationTargetView,
} from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { table } from "../terminal/table.ts";
import { oneOf } from "./options.ts";

const HELP = `
Tells you of questions, reached budgets and ended turns by ntfy, Slack, Discord, Telegram or a webhook of your own.
Browsers are added in the console (menu, Notifications). Addresses and secrets go to the server's secret store and are
not shown again: --url - and --secret-token - read them from the standard input.

Examples:
  $ sallyport notify add ntfy --url https://ntfy.sh/my-long-topic --console https://agents.example.org
  $ sallyport notify add slack --url - < slack-webhook
  $ sallyport notify test ntf_…`;

interface NotifyFlags {
  readonly url?: string;
  readonly secretToken?: string;
  readonly chat?: string;
  readonly name?: string;
  readonly event?: readonly NotificationEvent[];
  readonly own?: boolean;
  readonly console?: string;
  readonly template?: string;
  readonly json?: boolean;
}

const KINDS = ["ntfy", "slack", "discord", "telegram", "webhook"] as const;

export function addNotify(program: Command, context: CommandContext): void {
  const notify = program
    .command("notify")
    .description("where you are told of questions and ends")
    .helpCommand(false)
    .addHelpText("after", HELP);
  addAdd(notify, context);
  addList(notify, context);
  addOthers(notify, context);
}

function addAdd(notify: Command, context: CommandContext): void {
  const event = oneOf(NotificationEvent);
  notify
    .command("add")
    .description("be told by a service")
    .argument("<kind>", KINDS.join(", "))
    .option("--url <address>", "of ntfy's topic, or of the webhook; -: from the standard input")
    .option("--secret-token <token>", "of ntfy or the Telegram bot; -: from the standard input")
    .option("--chat <id>", "of Telegram")
    .option("--name <name>", "what it is called")
    .addOption(
      new Option(
        "--event <event>",
        `only this, several times: ${NotificationEvent.options.join(", ")} (default: all)`,
      ).argParser((text, before: readonly NotificationEvent[] | undefined) => [...(before ?? []), event(text)]),
    )
    .option("--own", "only of sessions that you began")
    .option("--console <address>", "where people reach the console: messages link there")
    .option("--template <text>", "the message, with {{title}}, {{text}}, {{session}}, {{event}} and {{link}}")
    .option("--json", "as JSON")
    .addHelpText("after", `\n${HELP.slice(HELP.indexOf("Examples:"))}`)
    .action((kind: string, flags: NotifyFlags, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const made = await client.notifications.add(await requestOf(context, kind, flags));
        if (flags.json === true) printJson(context, made);
        else {
          context.screen.line(`${made.id} is told from now on (${made.host})`);
          if (made.secret !== undefined) {
            context.screen.line("messages are signed; the secret is shown this once:");
            print(context, made.secret);
          }
        }
        return undefined;
      }),
    );
}

async function requestOf(
  context: CommandContext,
  kind: string,
  { url, secretToken: token, chat: chat_id, name, event: events, own, console: console_url, template }: NotifyFlags,
): Promise<CreateNotificationTarget> {
  if (url === "-" && token === "-")
    throw new Failure("invalid_request", "only one of --url and --secret-token can come from the standard input");
  const line = url === "-" || token === "-" ? await firstLine(context) : "";
  const parsed = CreateNotificationTarget.safeParse({
    kind,
    ...defined({
      url: url === "-" ? line : url,
      token: token === "-" ? line : token,
      chat_id,
      name,
      events,
      sessions: own === true ? "own" : undefined,
      console_url,
      template,
    }),
  });
  if (parsed.success) return parsed.data;
  const [problem] = parsed.error.issues;
  throw new Failure(
    "invalid_request",
    `${problem?.path.join(".") ?? "kind"} ${problem === undefined ? "is not known" : mistakeWords(problem)}`,
  );
}

async function firstLine({ surroundings }: CommandContext): Promise<string> {
  let text = "";
  for await (const chunk of surroundings.input) {
    text += String(chunk);
    if (text.includes("\n") || text.length > 2_000) break;
  }
  return (text.split("\n")[0] ?? "").trim();
}

function addList(notify: Command, context: CommandContext): void {
  notify
    .command("list")
    .description("where you are told")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport notify list")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { targets } = await client.notifications.settings();
        if (json === true) printJson(context, { targets });
        else if (targets.length === 0)
          print(context, `nowhere; add a place with: ${context.surroundings.name} notify add`);
        else for (const line of table([HEAD, ...targets.map(rowOf)], width(context))) print(context, line);
        return undefined;
      }),
    );
}

const HEAD = ["ID", "KIND", "HOST", "EVENTS", "LAST", "NAME"];

function rowOf({ id, kind, host, events, last, name }: NotificationTargetView): readonly string[] {
  return [id, kind, host, events.join(","), last === undefined ? "-" : last.message, name];
}

function addOthers(notify: Command, context: CommandContext): void {
  notify
    .command("test")
    .description("send a message now; exit code 1 when it was not taken")
    .argument("<id>")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport notify test ntf_01jqk3v7w8x9y2z3a4b5c6")
    .action((id: string, { json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const result = await client.notifications.test(id);
        if (json === true) printJson(context, result);
        else print(context, result.ok ? "sent" : `not sent: ${result.message}`);
        return result.ok ? EXIT.done : EXIT.failed;
      }),
    );
  notify
    .command("delete")
    .description("send nothing there any more")
    .argument("<id>")
    .addHelpText("after", "\nExample:\n  $ sallyport notify delete ntf_01jqk3v7w8x9y2z3a4b5c6")
    .action((id: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        await client.notifications.remove(id);
        print(context, `${id} is gone`);
        return undefined;
      }),
    );
}
