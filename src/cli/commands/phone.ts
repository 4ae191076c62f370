import { type Command } from "commander";
import { defined, Role } from "../../protocol/index.ts";
import { print, printJson, refuseEmbedded, withServer, type CommandContext } from "../context.ts";
import { oneOf, wholeNumber } from "./options.ts";

const HELP = `
The phone opens the link and gets a token of its own, which \`sallyport token list\` shows and \`token delete\` ends. The code
works once, for five minutes. It stands behind the # of the link, so that no server or log on the way sees it.

Example:
  $ sallyport phone --address https://agents.example.org`;

interface PhoneFlags {
  readonly address?: string;
  readonly name?: string;
  readonly role?: Role;
  readonly days?: number;
  readonly json?: boolean;
}

const DAY_S = 86_400;

export function addPhone(program: Command, context: CommandContext): void {
  program
    .command("phone")
    .description("a QR code that hands a phone a token of its own")
    .option("--address <url>", "where the phone reaches the console (default: the server's own address)")
    .option("--name <name>", "what its token is called")
    .option("--role <role>", "operator or viewer (default: operator)", oneOf(Role))
    .option("--days <n>", "how long its token lives (default: 7)", wholeNumber({ from: 1, to: 90 }))
    .option("--json", "as JSON")
    .addHelpText("after", HELP)
    .action((flags: PhoneFlags, command: Command) =>
      withServer(context, command, async (connection) => {
        refuseEmbedded(context, connection, "the link");
        const { client, url } = connection;
        const { name, role, days } = flags;
        const made = await client.notifications.pair(
          defined({ name, role, expires_in_s: days === undefined ? undefined : days * DAY_S }),
        );
        const link = `${(flags.address ?? url).replace(/\/$/, "")}/#pair=${made.code}`;
        if (flags.json === true) {
          printJson(context, { ...made, link });
          return undefined;
        }
        // Loaded on demand: few commands draw one.
        const { renderUnicodeCompact } = await import("uqr");
        context.screen.line(renderUnicodeCompact(link, { border: 2 }));
        context.screen.line(`open this on the phone, before ${made.expires_at}:`);
        print(context, link);
        return undefined;
      }),
    );
}
