import type { Command } from "commander";
import { print, printJson, withServer, type CommandContext } from "../context.ts";
import { visible } from "../terminal/visible.ts";

interface GrantOptions {
  readonly revoke?: string;
  readonly json?: boolean;
}

/** `sallyport sessions grants`: the rules that people granted for a session, and the way to take one back. */
export function addGrants(sessions: Command, context: CommandContext): void {
  sessions
    .command("grants")
    .description("the rules that people granted for a session; --revoke takes one back, and it is asked about again")
    .argument("<session>")
    .option("--revoke <rule>", "take this rule back, as it is listed")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport sessions grants ses_01jqk3v7w8x9y2z3a4b5c6 --revoke '<rule>'")
    .action((id: string, { revoke, json }: GrantOptions, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { grants } =
          revoke === undefined ? await client.session(id) : await client.inbox.revoke(id, { rule: revoke });
        if (json === true) printJson(context, { grants });
        else if (grants.length === 0) print(context, "no rules are granted in this session");
        else for (const rule of grants) print(context, visible(rule));
      }),
    );
}
