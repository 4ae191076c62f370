import type { Command } from "commander";
import {
  defined,
  dollars,
  LIMITS,
  type CreateKey,
  type KeyList,
  type KeyView,
  type RateLimit,
} from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { collect, dollarAmount, lifetime, wholeNumber } from "./options.ts";
import { perMinute } from "./token.ts";

const HELP = `
A key lets a program of your own ask models through this server: an official SDK, or Claude Code or Codex in your own terminal.
What it asks is metered and limited like a session's.

Example:
  $ sallyport key create --name notebook --model "claude-*" --max-cost-per-day 5`;

const CREATE_HELP = `
The key alone goes to standard output. A limit that is left out is that of the policy and of your token.

Examples:
  $ sallyport key create --name ci --provider cloud --max-cost 20 --expires-in 30d
  $ export ANTHROPIC_AUTH_TOKEN=$(sallyport key create --name mine --max-cost 5)`;

/** What a new key may do, as a person writes it. */
export interface KeyFlags {
  readonly provider?: string;
  readonly model?: readonly string[];
  readonly maxCost?: number;
  readonly maxCostPerDay?: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly expiresIn?: number;
}

export function addKey(program: Command, context: CommandContext): void {
  const key = program
    .command("key")
    .description("make, list and delete API keys, for programs of your own")
    .helpCommand(false)
    .addHelpText("after", HELP);
  addCreate(key, context);
  key
    .command("list")
    .description("the keys and what they have cost, without the keys themselves")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport key list")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const page = await client.keys({ limit: LIMITS.pageSizeMax });
        if (json === true) printJson(context, page);
        else showKeys(context, page);
      }),
    );
  key
    .command("delete")
    .description("make a key useless at once; its running requests are broken off")
    .argument("<id>")
    .addHelpText("after", "\nExample:\n  $ sallyport key delete key_01jqk3v7w8x9y2z3a4b5c6")
    .action((id: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        await client.deleteKey(id);
        print(context, `${id} is gone`);
      }),
    );
}

function showKeys(context: CommandContext, { keys, next }: KeyList): void {
  const rows = keys.map((made) => [
    made.id,
    made.principal.name,
    made.expires_at ?? "never",
    made.last_used_at ?? "never",
    dollars(made.spent_microusd),
    made.name,
    limitWords(made),
  ]);
  const head = ["KEY", "FOR", "EXPIRES", "LAST USED", "SPENT AT MOST", "NAME", "LIMITS"];
  for (const line of table([head, ...rows], width(context))) print(context, line);
  if (next !== undefined) print(context, `(the newest ${keys.length}; there are more)`);
}

function addCreate(key: Command, context: CommandContext): void {
  keyOptions(key.command("create").description("make a key; it is shown this once"))
    .option("--name <name>", "what it is for", "key")
    .option("--token-id <id>", "a token that you made: the key is for its owner and ends with it (default: your own)")
    .option("--expires-in <time>", "how long it lives: 90s, 15m, 8h, 30d", lifetime)
    .option("--json", "as JSON")
    .addHelpText("after", CREATE_HELP)
    .action((flags: KeyFlags & { name: string; tokenId?: string; json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client, embedded }) => {
        const { name, tokenId, json } = flags;
        const created = await client.createKey({ name, ...defined({ token_id: tokenId }), ...keyRequest(flags) });
        if (json === true) printJson(context, created);
        else {
          const { screen, surroundings } = context;
          const { id, base_url } = created;
          print(context, created.key);
          screen.line(screen.paint.dim(`${id}: keep it, it is not shown again`));
          if (embedded) screen.line(`no server runs on this home: it works once \`${surroundings.name} serve\` does`);
          else screen.line(screen.paint.dim(`ANTHROPIC_BASE_URL=${base_url} OPENAI_BASE_URL=${base_url}/v1`));
        }
      }),
    );
}

/** The limits of a key, for all commands that make one. */
export function keyOptions(command: Command): Command {
  return command
    .option("--provider <name>", "who answers its requests (default: as for sessions)")
    .option("--model <name>", "the only models it may use, such as claude-*; several times", collect)
    .option("--max-cost <dollars>", "the most that it may spend, ever", dollarAmount)
    .option("--max-cost-per-day <dollars>", "the same for each day (UTC)", dollarAmount)
    .option("--requests-per-minute <count>", "requests to models", wholeNumber({ from: 1, to: 1_000_000 }))
    .option("--tokens-per-minute <count>", "tokens of models", wholeNumber({ from: 1, to: 10_000_000_000 }));
}

export function keyRequest(flags: KeyFlags): CreateKey {
  return defined({
    provider: flags.provider,
    models: flags.model === undefined ? undefined : [...flags.model],
    rate: rateOf(flags),
    max_cost_microusd: flags.maxCost,
    max_cost_microusd_per_day: flags.maxCostPerDay,
    expires_in_s: flags.expiresIn,
  });
}

function rateOf({ requestsPerMinute, tokensPerMinute }: KeyFlags): RateLimit | undefined {
  if (requestsPerMinute === undefined && tokensPerMinute === undefined) return undefined;
  return defined({ requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute });
}

/** A key's limits in a few words. */
function limitWords({ bounds }: KeyView): string {
  const money = (text: string, amount: number | undefined): readonly string[] =>
    amount === undefined ? [] : [`${dollars(amount)}${text}`];
  return [
    bounds.provider,
    ...(bounds.models ?? []),
    ...money("", bounds.max_cost_microusd),
    ...money("/day", bounds.max_cost_microusd_per_day),
    ...perMinute("requests", bounds.rate?.requests_per_minute),
    ...perMinute("tokens", bounds.rate?.tokens_per_minute),
  ].join(", ");
}
