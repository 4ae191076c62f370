import type { Command } from "commander";
import { defined, dollars, Failure, Price, type PricedModel, type Rates } from "../../protocol/index.ts";
import { resolveProviders } from "../../proxy/providers/resolve.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { hasServer, ownSettingsFile, settingsFor } from "../serving.ts";
import { editSettings, putEntry, takeEntry } from "../settings/file.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";
import { count } from "../terminal/words.ts";
import { dollarAmount, wholeNumber } from "./options.ts";

const HELP = `
Dollars per million tokens. A price of yours wins over the table that ships; of several, the one that says most of the name.
A model without a price is refused.

Examples:
  $ sallyport price list 'claude-*'
  $ sallyport price show openrouter/anthropic/claude-sonnet-5
  $ sallyport price set 'local/qwen3*' --input 0.10 --output 0.40`;

export function addPrice(program: Command, context: CommandContext): void {
  const price = program
    .command("price")
    .description("what models cost: list, show, set and remove prices")
    .helpCommand(false)
    .addHelpText("after", HELP);
  addList(price, context);
  addShow(price, context);
  addSet(price, context);
  addRemove(price, context);
}

/** Price queries, with a server or without. */
interface Prices {
  list(): Promise<readonly PricedModel[]>;
  of(provider: string, model: string): Promise<PricedModel | undefined>;
}

async function withPrices(
  context: CommandContext,
  command: Command,
  use: (prices: Prices) => Promise<undefined>,
): Promise<void> {
  if (await hasServer(context, command)) {
    return withServer(context, command, ({ client }) =>
      use({
        list: async () => (await client.prices()).prices,
        of: async (provider, model) => {
          const { providers } = await client.providers();
          refuseUnknown(provider, providers);
          return (await client.prices({ provider, model })).prices[0];
        },
      }),
    );
  }
  const { providers, prices } = settingsFor(context, command);
  const { environment, now } = context.surroundings;
  // Loaded on demand: the table is long.
  const { openPriceBook } = await import("../../ledger/index.ts");
  const book = openPriceBook(() => prices.value, now);
  const known = resolveProviders(providers.value, { environment });
  await use({
    list: async () => book.list(),
    of: async (provider, model) => {
      refuseUnknown(provider, known);
      return known.filter(({ id }) => id === provider).map((one) => book.priceOf(one, model))[0];
    },
  });
  context.end(EXIT.done);
}

function refuseUnknown(id: string, known: readonly { readonly id: string }[]): void {
  if (known.some((provider) => provider.id === id)) return;
  const ids = known.map((provider) => provider.id).join(", ");
  throw new Failure("not_found", `there is no provider ${id}; there are: ${ids}`);
}

function addList(price: Command, context: CommandContext): void {
  price
    .command("list")
    .description("all prices, or those of models that match")
    .argument("[glob]", "of a model or provider/model; without a * any part of it")
    .option("--json", "as JSON, in micro-USD per million tokens")
    .addHelpText("after", "\nExample:\n  $ sallyport price list 'cloud/*sonnet*'")
    .action((glob: string | undefined, { json }: { json?: boolean }, command: Command) =>
      withPrices(context, command, async (prices) => {
        const matches = matcherOf(glob);
        const found = (await prices.list()).filter(
          ({ provider, model }) => matches(model) || matches(nameOf(provider, model)),
        );
        if (json === true) printJson(context, { prices: found });
        else showList(context, found);
      }),
    );
}

function matcherOf(glob: string | undefined): (name: string) => boolean {
  if (glob === undefined) return () => true;
  const wanted = glob.toLowerCase();
  if (!wanted.includes("*")) return (name) => name.toLowerCase().includes(wanted);
  const pieces = wanted.split("*").map((piece) => piece.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  const pattern = new RegExp(`^${pieces.join(".*")}$`, "i");
  return (name) => pattern.test(name);
}

/** A price in the settings is for a glob that may include its provider. */
function nameOf(provider: string, model: string): string {
  return provider === "*" ? model : `${provider}/${model}`;
}

function showList(context: CommandContext, prices: readonly PricedModel[]): void {
  if (prices.length === 0) {
    print(context, "no such price; set one with: sallyport price set <glob> --input <dollars> --output <dollars>");
    return;
  }
  const head = ["MODEL", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "FROM"];
  const rows = prices.map(({ provider, model, price, from }) => [
    nameOf(provider, model),
    dollars(price.input),
    dollars(price.output),
    dollars(price.cache_read ?? price.input),
    dollars(price.cache_write ?? price.input),
    price.tiers === undefined ? from : `${from}, ${count(price.tiers.length, "tier")} more`,
  ]);
  for (const line of table([head, ...rows], width(context))) print(context, line);
}

function addShow(price: Command, context: CommandContext): void {
  price
    .command("show")
    .description("what one model costs, and who says so")
    .argument("<provider/model>")
    .option("--json", "as JSON, in micro-USD per million tokens")
    .addHelpText("after", "\nExample:\n  $ sallyport price show cloud/claude-sonnet-5")
    .action((name: string, { json }: { json?: boolean }, command: Command) =>
      withPrices(context, command, async (prices) => {
        const at = name.indexOf("/");
        if (at < 1 || at === name.length - 1)
          throw new Failure("invalid_request", "write it as provider/model, such as cloud/claude-sonnet-5");
        const priced = await prices.of(name.slice(0, at), name.slice(at + 1));
        if (priced === undefined)
          throw new Failure(
            "model_unpriced",
            `${name} has no price, so it is refused; set one with \`sallyport price set '${name}' --input <dollars> --output <dollars>\``,
          );
        if (json === true) printJson(context, priced);
        else for (const line of cardOf(priced)) print(context, visible(line));
      }),
    );
}

const FROM = {
  settings: "set in sallyport.yaml",
  free: "the provider is free",
  shipped: "from the table that came with this version",
  owner: "set by the owner of the tunnel",
} as const;

function cardOf({ provider, model, price, from }: PricedModel): readonly string[] {
  const { tiers = [], web_search, batch_percent, context_tokens, output_tokens } = price;
  return [
    `${nameOf(provider, model)}: ${FROM[from]}`,
    ...ratesOf(price),
    ...tiers.flatMap((tier) => [[`above ${count(tier.above, "token")} of input`], ratesOf(tier)]).flat(),
    ...(batch_percent === undefined ? [] : [`  in a batch     ${batch_percent} %`]),
    ...(web_search === undefined ? [] : [`  one search     ${dollars(web_search)}`]),
    ...(context_tokens === undefined ? [] : [`  window         ${count(context_tokens, "token")}`]),
    ...(output_tokens === undefined ? [] : [`  longest answer ${count(output_tokens, "token")}`]),
  ];
}

function ratesOf({ input, output, cache_read, cache_write, cache_write_1h }: Rates): readonly string[] {
  const write = cache_write ?? input;
  return [
    `  input          ${dollars(input)} per million tokens`,
    `  output         ${dollars(output)}`,
    `  cache read     ${dollars(cache_read ?? input)}`,
    `  cache write    ${dollars(write)}, for an hour ${dollars(cache_write_1h ?? write)}`,
  ];
}

interface SetPriceOptions {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly cacheWrite1h?: number;
  readonly webSearch?: number;
  readonly batchPercent?: number;
  readonly contextTokens?: number;
  readonly outputTokens?: number;
  readonly json?: boolean;
}

const SET_HELP = `
Dollars per million tokens, with up to six decimal places. A price that is there for the same glob is replaced. Prices that
grow with the length of the input (tiers) are written into sallyport.yaml by hand.

Example:
  $ sallyport price set 'cloud/claude-next*' --input 3.00 --output 15.00 --cache-read 0.30 --cache-write 3.75`;

function addSet(price: Command, context: CommandContext): void {
  const tokens = wholeNumber({ from: 1, to: 1_000_000_000 });
  price
    .command("set")
    .description("set the price of a model, or of all that a glob matches")
    .argument("<glob>", "<model glob> or <provider>/<model glob>; * stands for anything")
    .requiredOption("--input <dollars>", "input", dollarAmount)
    .requiredOption("--output <dollars>", "output", dollarAmount)
    .option("--cache-read <dollars>", "input that is read from a cache (default: as input)", dollarAmount)
    .option("--cache-write <dollars>", "input that is kept for five minutes (default: as input)", dollarAmount)
    .option("--cache-write-1h <dollars>", "input that is kept for an hour (default: as --cache-write)", dollarAmount)
    .option("--web-search <dollars>", "one search of the provider (default: such searches are refused)", dollarAmount)
    .option("--batch-percent <n>", "of these prices, for batches", wholeNumber({ from: 0, to: 100 }))
    .option("--context-tokens <n>", "the most that a request and its answer can have", tokens)
    .option("--output-tokens <n>", "the most that an answer can have", tokens)
    .option("--json", "as JSON")
    .addHelpText("after", SET_HELP)
    .action(async (glob: string, options: SetPriceOptions, command: Command) => {
      const place = await ownSettingsFile(context, command);
      const wanted = priceOf(options);
      await editSettings(place, (document) => {
        putEntry(document, ["prices", glob], { fields: wanted, without: Object.keys(Price.shape) });
      });
      if (options.json === true) printJson(context, { glob, price: wanted, file: place.path });
      else
        print(
          context,
          visible(`${glob}: ${dollars(wanted.input)} in, ${dollars(wanted.output)} out, per million tokens`),
        );
    });
}

function priceOf(options: SetPriceOptions): Price {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, webSearch, batchPercent } = options;
  const { contextTokens, outputTokens } = options;
  return defined({
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    cache_write_1h: cacheWrite1h,
    web_search: webSearch,
    batch_percent: batchPercent,
    context_tokens: contextTokens,
    output_tokens: outputTokens,
  });
}

function addRemove(price: Command, context: CommandContext): void {
  price
    .command("remove")
    .description("take a price of yours out of sallyport.yaml")
    .argument("<glob>", "as `price list` shows it")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport price remove 'local/qwen3*'")
    .action(async (glob: string, { json }: { json?: boolean }, command: Command) => {
      const place = await ownSettingsFile(context, command);
      await editSettings(place, (document) => {
        if (!takeEntry(document, ["prices", glob]))
          throw new Failure("not_found", `${place.path} has no price for ${glob}; \`sallyport price list\` shows them`);
      });
      if (json === true) printJson(context, { glob, removed: true });
      else print(context, visible(`the price for ${glob} is gone`));
    });
}
