import type { Command } from "commander";
import { dollars, type ModelList, type ModelView } from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";

const HELP = `
The names come from each provider's own list, windows and prices from it, from sallyport.yaml or from the shipped table.
Prices are dollars per million tokens. The default of a provider is marked with *.

Examples:
  $ sallyport models --provider openrouter qwen coder
  $ sallyport models --provider local`;

interface ModelListFlags {
  readonly provider?: string;
  readonly profile?: string;
  readonly json?: boolean;
}

export function addModels(program: Command, context: CommandContext): void {
  program
    .command("models")
    .description("the models that sessions can ask, with their windows and prices")
    .argument("[words...]", "only those whose name contains all of them")
    .option("--provider <id>", "of this provider only")
    .option("--profile <name>", "under the rules of this policy profile")
    .option("--json", "as JSON")
    .addHelpText("after", HELP)
    .action((words: readonly string[], { provider, profile, json }: ModelListFlags, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const search = words.join(" ");
        const list = await client.models({
          ...(provider === undefined ? {} : { provider }),
          ...(profile === undefined ? {} : { profile }),
          ...(search === "" ? {} : { search }),
        });
        if (json === true) printJson(context, list);
        else show(context, list);
        return EXIT.done;
      }),
    );
}

function show(context: CommandContext, { models, sources, truncated }: ModelList): void {
  const head = ["MODEL", "WINDOW", "ANSWER", "INPUT", "OUTPUT", "NOTE"];
  const rows = models.map(rowOf);
  for (const line of table([head, ...rows], width(context))) print(context, line);
  const { screen } = context;
  if (models.length === 0) screen.line("no such model");
  if (truncated) screen.line("there are more: name a provider, or a part of the name");
  for (const { provider, message } of sources)
    if (message !== undefined)
      screen.line(screen.paint.dim(`${provider}: its own list could not be read: ${visible(message)}`));
}

function rowOf({
  provider,
  model,
  is_default,
  context_tokens,
  output_tokens,
  price,
  price_from,
  refusal,
}: ModelView): readonly string[] {
  const cost = (amount: number | undefined): string => (amount === undefined ? "?" : dollars(amount));
  return [
    visible(`${provider}/${model}${is_default === true ? " *" : ""}`),
    context_tokens?.toLocaleString("en") ?? "?",
    output_tokens?.toLocaleString("en") ?? "?",
    cost(price?.input),
    cost(price?.output),
    visible(refusal ?? (price_from === "free" ? "free" : "-")),
  ];
}
