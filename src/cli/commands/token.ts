import { resolve } from "node:path";
import { Option, type Command } from "commander";
import {
  Autonomy,
  defined,
  dollars,
  LIMITS,
  Role,
  type CreateToken,
  type RateLimit,
  type TokenView,
} from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { collect, dollarAmount, lifetime, oneOf, wholeNumber } from "./options.ts";

export function addToken(program: Command, context: CommandContext): void {
  const token = program
    .command("token")
    .description("make, list and delete tokens")
    .helpCommand(false)
    .addHelpText("after", "\nExample:\n  $ sallyport token create --role operator --name anna");
  addCreate(token, context);
  token
    .command("list")
    .description("the tokens, without the tokens themselves")
    .addOption(new Option("--role <role>", "only these; visitors are listed with it alone").argParser(oneOf(Role)))
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport token list --role visitor")
    .action(({ json, role }: { json?: boolean; role?: Role }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const page = await client.tokens({ limit: LIMITS.pageSizeMax, ...(role === undefined ? {} : { role }) });
        if (json === true) printJson(context, page);
        else {
          const rows = page.tokens.map((made) => [
            made.id,
            made.role,
            made.created_at,
            made.expires_at ?? "never",
            made.last_used_at ?? "never",
            made.name,
            limitWords(made),
          ]);
          const head = ["TOKEN", "ROLE", "CREATED", "EXPIRES", "LAST USED", "NAME", "LIMITS"];
          for (const line of table([head, ...rows], width(context))) print(context, line);
          if (page.next !== undefined) print(context, `(the newest ${page.tokens.length}; there are more)`);
        }
      }),
    );
  token
    .command("delete")
    .description("make a token useless, and those that were made with it")
    .argument("<id>")
    .addHelpText("after", "\nExample:\n  $ sallyport token delete tok_01jqk3v7w8x9y2z3a4b5c6")
    .action((id: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        await client.deleteToken(id);
        print(context, `${id} is gone`);
      }),
    );
}

interface CreateFlags {
  readonly role: Role;
  readonly name: string;
  readonly json?: boolean;
  readonly expiresIn?: number;
  readonly subject?: string;
  readonly profile?: string;
  readonly maxAutonomy?: Autonomy;
  readonly tools?: readonly string[];
  readonly origin?: readonly string[];
  readonly root?: readonly string[];
  readonly systemPrompt?: string;
  readonly maxCost?: number;
  readonly maxCostPerDay?: number;
  readonly maxCostPerSession?: number;
  readonly maxConcurrent?: number;
  readonly requestsPerMinute?: number;
  readonly modelRequestsPerMinute?: number;
  readonly modelTokensPerMinute?: number;
}

const CREATE_HELP = `
The token alone goes to standard output. A limit that is left out is that of the role and the policy.
The role visitor is for people on a web page, issuer for the server of that page: it makes visitors' tokens and may do nothing else.

Examples:
  $ sallyport token create --role agent --name ci --profile code-assist --expires-in 30d --max-cost-per-day 5
  $ sallyport token create --role issuer --name shop --origin https://shop.example.org --tools "mcp__shop__*" --max-cost 200`;

function addCreate(token: Command, context: CommandContext): void {
  const limits = (command: Command): Command =>
    command
      .option("--expires-in <time>", "how long it lives: 90s, 15m, 8h, 30d", lifetime)
      .option("--profile <name>", "the policy profile of all its sessions")
      .addOption(
        new Option("--max-autonomy <level>", `the most it may ask for: ${Autonomy.options.join(", ")}`).argParser(
          oneOf(Autonomy),
        ),
      )
      .option("--tools <pattern>", "the only tools of its sessions, such as mcp__shop__*; several times", collect)
      .option("--origin <origin>", "the only web pages that it works from; several times", collect)
      .option("--root <folder>", "its sessions work below this folder; several times", collect)
      .option("--system-prompt <text>", "the system prompt of all its sessions")
      .option("--max-cost <dollars>", "the most that it may spend, ever", dollarAmount)
      .option("--max-cost-per-day <dollars>", "the same for each day (UTC)", dollarAmount)
      .option("--max-cost-per-session <dollars>", "the same for each session", dollarAmount)
      .option("--max-concurrent <count>", "sessions that are open at once", wholeNumber({ from: 1, to: 100_000 }))
      .option("--requests-per-minute <count>", "requests to this server", wholeNumber({ from: 1, to: 1_000_000 }))
      .option("--model-requests-per-minute <count>", "requests to models", wholeNumber({ from: 1, to: 1_000_000 }))
      .option("--model-tokens-per-minute <count>", "tokens of models", wholeNumber({ from: 1, to: 10_000_000_000 }))
      .option("--subject <text>", "of a visitor: who it is for, in your own words; the same again is the same visitor");
  limits(
    token
      .command("create")
      .description("make a token; it is shown this once")
      .addOption(
        new Option("--role <role>", `what it may do: ${Role.options.join(", ")}`)
          .argParser(oneOf(Role))
          .makeOptionMandatory(),
      )
      .requiredOption("--name <name>", "whose it is; the journal names whoever decides"),
  )
    .option("--json", "as JSON")
    .addHelpText("after", CREATE_HELP)
    .action((options: CreateFlags, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const created = await client.createToken(requestOf(options, context.surroundings.cwd));
        if (options.json === true) printJson(context, created);
        else {
          print(context, created.token);
          context.screen.line(context.screen.paint.dim(`${created.id}: keep it, it is not shown again`));
        }
      }),
    );
}

function requestOf(flags: CreateFlags, cwd: string): CreateToken {
  const { role, name, subject, profile } = flags;
  const given = {
    subject,
    profile,
    expires_in_s: flags.expiresIn,
    max_autonomy: flags.maxAutonomy,
    tools: flags.tools,
    origins: flags.origin,
    workspace_roots: flags.root?.map((folder) => resolve(cwd, folder)),
    system_prompt: flags.systemPrompt,
    max_cost_microusd: flags.maxCost,
    max_cost_microusd_per_day: flags.maxCostPerDay,
    max_cost_microusd_per_session: flags.maxCostPerSession,
    max_concurrent: flags.maxConcurrent,
    requests_per_minute: flags.requestsPerMinute,
    model_rate: modelRate(flags),
  };
  return { role, name, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

function modelRate({ modelRequestsPerMinute, modelTokensPerMinute }: CreateFlags): RateLimit | undefined {
  if (modelRequestsPerMinute === undefined && modelTokensPerMinute === undefined) return undefined;
  return defined({ requests_per_minute: modelRequestsPerMinute, tokens_per_minute: modelTokensPerMinute });
}

/** A token's limits in a few words; empty: none. */
function limitWords({ bounds }: TokenView): string {
  const money = (text: string, amount: number | undefined): readonly string[] =>
    amount === undefined ? [] : [`${dollars(amount)}${text}`];
  return [
    ...(bounds.profile === undefined ? [] : [`profile ${bounds.profile}`]),
    ...(bounds.max_autonomy === undefined ? [] : [`autonomy ${bounds.max_autonomy}`]),
    ...(bounds.tools ?? []),
    ...(bounds.origins ?? []),
    ...(bounds.workspace_roots ?? []),
    ...money("", bounds.max_cost_microusd),
    ...money("/day", bounds.max_cost_microusd_per_day),
    ...money("/session", bounds.max_cost_microusd_per_session),
    ...(bounds.max_concurrent === undefined ? [] : [`${bounds.max_concurrent} sessions`]),
    ...perMinute("requests", bounds.requests_per_minute),
    ...perMinute("model requests", bounds.model_rate?.requests_per_minute),
    ...perMinute("model tokens", bounds.model_rate?.tokens_per_minute),
  ].join(", ");
}

export function perMinute(what: string, most: number | undefined): readonly string[] {
  return most === undefined ? [] : [`${most} ${what}/min`];
}
