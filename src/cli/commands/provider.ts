import { resolve } from "node:path";
import { Option, type Command } from "commander";
import type { Document } from "yaml";
import {
  Failure,
  ProviderAuth,
  ProviderKind,
  OpenAiApi,
  ProviderWire,
  type CredentialSetting,
  type ProviderReport,
  type ProviderSetting,
  type ProviderView,
} from "../../protocol/index.ts";
import { providerIds } from "../../proxy/providers/resolve.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { hasServer, ownSettingsFile, settingsFor } from "../serving.ts";
import { editSettings, putEntry, takeEntry, type FileSettings } from "../settings/file.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";
import { duration } from "../terminal/words.ts";
import { collect, oneOf, wholeNumber } from "./options.ts";

const HELP = `
Keys stay out of sallyport.yaml: it names a variable, a file with mode 600 or a command that prints the key.
A running server uses what was changed at once.

Examples:
  $ sallyport provider list
  $ sallyport provider add local --base-url http://127.0.0.1:11434 --wire anthropic --default-model qwen3-coder
  $ sallyport provider add cloud --credential-file ~/.secrets/anthropic
  $ sallyport provider test`;

export function addProvider(program: Command, context: CommandContext): void {
  const provider = program
    .command("provider")
    .description("where model calls go: list, add, remove and test providers")
    .helpCommand(false)
    .addHelpText("after", HELP);
  addList(provider, context);
  addAdd(provider, context);
  addRemove(provider, context);
  addTest(provider, context);
}

/** Provider queries, with a server or without. */
interface Providers {
  list(): Promise<readonly ProviderView[]>;
  test(id: string): Promise<ProviderReport>;
}

async function withProviders(
  context: CommandContext,
  command: Command,
  use: (providers: Providers) => Promise<ExitCode | undefined>,
): Promise<void> {
  if (await hasServer(context, command)) {
    return withServer(context, command, ({ client }) =>
      use({ list: async () => (await client.providers()).providers, test: (id) => client.testProvider(id) }),
    );
  }
  const settings = settingsFor(context, command);
  const { environment, now } = context.surroundings;
  // Loaded on demand: an HTTP client takes time to load.
  const [{ openProviders, viewProvider }, { startSim }] = await Promise.all([
    import("../../proxy/index.ts"),
    import("../../sim/index.ts"),
  ]);
  const sim = await startSim({ host: "127.0.0.1", port: 0 });
  const book = openProviders({
    settings: () => settings.providers.value,
    environment,
    simUrl: sim.url,
    now,
    learn: () => undefined,
    log: { warn: () => undefined },
  });
  try {
    const list = (): Promise<ProviderView[]> =>
      Promise.all(
        book
          .list()
          .map((one) => viewProvider(one, { defaultProvider: settings.provider.value, status: book.status(one.id) })),
      );
    const test = async (id: string): Promise<ProviderReport> => {
      const { wires, models, latency_ms, ...report } = await book.test(id);
      return {
        ...report,
        wires: [...wires],
        ...(models === undefined ? {} : { models: [...models] }),
        ...(latency_ms === undefined ? {} : { latency_ms }),
      };
    };
    context.end((await use({ list, test })) ?? EXIT.done);
  } finally {
    book.close();
    await sim.close();
  }
}

function addList(provider: Command, context: CommandContext): void {
  provider
    .command("list")
    .description("the providers, where they answer, and whether their key is there; never the key")
    .option("--json", "as JSON")
    .addHelpText("after", "\nThe default is marked with *.\n\nExample:\n  $ sallyport provider list")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withProviders(context, command, async (providers) => {
        const list = await providers.list();
        if (json === true) printJson(context, { providers: list });
        else {
          const head = ["PROVIDER", "STATUS", "WIRES", "ADDRESS", "COST", "MODEL", "CREDENTIAL"];
          for (const line of table([head, ...list.map(rowOf)], width(context))) print(context, line);
        }
      }),
    );
}

function rowOf(view: ProviderView): readonly string[] {
  const hosts = [...new Set(Object.values(view.hosts))];
  return [
    view.is_default ? `${view.id} *` : view.id,
    view.status,
    view.wires.join(", "),
    view.id === "sim" ? "beside the server" : hosts.join(", "),
    view.free ? "free" : "priced",
    view.default_model === "" ? "-" : view.default_model,
    credentialWords(view),
  ];
}

function credentialWords({ credential, credential_names, message }: ProviderView): string {
  switch (credential) {
    case "found":
      return `found: ${credential_names.join(", ")}`;
    case "missing":
      return `missing: ${message ?? "?"}`;
    case "not_needed":
      return "not needed";
  }
}

interface AddProviderOptions {
  readonly kind?: ProviderKind;
  readonly baseUrl?: string;
  readonly wire?: readonly ProviderWire[];
  readonly openaiApi?: OpenAiApi;
  readonly credentialEnv?: readonly string[];
  readonly credentialFile?: readonly string[];
  readonly credentialCommand?: readonly string[];
  readonly auth?: ProviderAuth;
  readonly defaultModel?: string;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly free?: boolean;
  readonly json?: boolean;
}

const ADD_HELP = `
Of a provider that is there already, only what is given is changed. Several credentials: give the option several times;
keys that are exhausted or refused rest, and the next one is used.

Examples:
  $ sallyport provider add openai --credential-env OPENAI_API_KEY
  $ sallyport provider add cloud --credential-command "pass show anthropic"
  $ sallyport provider add work --kind cloud --credential-file ~/.secrets/work
  $ sallyport provider add vllm --base-url http://10.0.0.7:8000 --wire openai --wire anthropic --free`;

function addAdd(provider: Command, context: CommandContext): void {
  const wire = oneOf(ProviderWire);
  provider
    .command("add")
    .description("set a provider in sallyport.yaml")
    .argument("<id>", `${ProviderKind.options.join(", ")}, or a name of your own`)
    .addOption(
      new Option("--kind <kind>", `with the defaults of: ${ProviderKind.options.join(", ")}`).argParser(
        oneOf(ProviderKind),
      ),
    )
    .option("--base-url <url>", "where it answers; http://, https:// or unix:/path")
    .addOption(
      new Option("--wire <wire>", `what it speaks, several times: ${ProviderWire.options.join(", ")}`).argParser(
        (text, before: readonly ProviderWire[] | undefined) => [...(before ?? []), wire(text)],
      ),
    )
    .addOption(
      new Option(
        "--openai-api <api>",
        `what the loop asks of the wire openai: ${OpenAiApi.options.join(", ")}`,
      ).argParser(oneOf(OpenAiApi)),
    )
    .option("--credential-env <name>", "the key is in this variable of the server", collect)
    .option("--credential-file <file>", "the keys are in this file, one a line; its mode must be 600", collect)
    .option("--credential-command <command>", "this prints the key; run by /bin/sh", collect)
    .addOption(
      new Option("--auth <how>", `how the key is sent: ${ProviderAuth.options.join(", ")}`).argParser(
        oneOf(ProviderAuth),
      ),
    )
    .option("--default-model <model>", "what sessions get that name no model")
    .option("--requests-per-minute <n>", "at most", wholeNumber({ from: 1, to: 1_000_000 }))
    .option("--tokens-per-minute <n>", "at most", wholeNumber({ from: 1, to: 10_000_000_000 }))
    .option("--free", "models without a price cost nothing here")
    .option("--no-free", "models without a price are refused here")
    .option("--json", "as JSON")
    .addHelpText("after", ADD_HELP)
    .action(async (id: string, options: AddProviderOptions, command: Command) => {
      const wanted = settingOf(options, context.surroundings.cwd);
      if (Object.keys(wanted).length === 0)
        throw new Failure("invalid_request", `nothing to set: say what ${id} has, such as --credential-file <file>`);
      const place = await ownSettingsFile(context, command);
      const { providers } = await editSettings(place, (document) => put(document, id, wanted));
      if (options.json === true) printJson(context, { id, setting: providers?.[id], file: place.path });
      else {
        print(context, `${id} is set in ${place.path}`);
        context.screen.line(
          context.screen.paint.dim(`see whether it works: ${context.surroundings.name} provider test ${id}`),
        );
      }
    });
}

function settingOf(options: AddProviderOptions, cwd: string): ProviderSetting {
  const { kind, baseUrl, wire, openaiApi, auth, defaultModel, requestsPerMinute, tokensPerMinute, free } = options;
  const sources = sourcesOf(options, cwd);
  const [source] = sources;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(wire === undefined ? {} : wire.length === 1 ? { wire: wire[0] } : { wires: [...new Set(wire)] }),
    ...(openaiApi === undefined ? {} : { openai_api: openaiApi }),
    ...(source === undefined ? {} : sources.length === 1 ? source : { credentials: [...sources] }),
    ...(auth === undefined ? {} : { auth }),
    ...(defaultModel === undefined ? {} : { default_model: defaultModel }),
    ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokens_per_minute: tokensPerMinute }),
    ...(free === undefined ? {} : { free }),
  };
}

function sourcesOf(options: AddProviderOptions, cwd: string): readonly CredentialSetting[] {
  const { credentialEnv = [], credentialFile = [], credentialCommand = [] } = options;
  return [
    ...credentialEnv.map((name) => ({ credential_env: name })),
    // On the command line a path is relative to the working folder, in the file to the file's folder.
    ...credentialFile.map((file) => ({ credential_file: file.startsWith("~/") ? file : resolve(cwd, file) })),
    ...credentialCommand.map((line) => ({ credential_command: line })),
  ];
}

/** Mutually exclusive settings. */
const INSTEAD: readonly (readonly string[])[] = [
  ["credential_env", "credential_file", "credential_command", "credentials"],
  ["base_url", "base_urls"],
  ["wire", "wires"],
];

function put(document: Document, id: string, wanted: ProviderSetting): void {
  const without = INSTEAD.filter((group) => group.some((field) => field in wanted)).flat();
  putEntry(document, ["providers", id], { fields: wanted, without });
}

function addRemove(provider: Command, context: CommandContext): void {
  provider
    .command("remove")
    .description("take a provider's settings out of sallyport.yaml")
    .argument("<id>")
    .option("--json", "as JSON")
    .addHelpText("after", "\nOne that ships stays, with its defaults.\n\nExample:\n  $ sallyport provider remove work")
    .action(async (id: string, { json }: { json?: boolean }, command: Command) => {
      const place = await ownSettingsFile(context, command);
      const take = (document: Document): void => {
        if (!takeEntry(document, ["providers", id]))
          throw new Failure("not_found", `${place.path} says nothing of a provider ${id}`);
      };
      await editSettings(place, take, (settings) => refuseOrphan(settings, id));
      const stays = providerIds({}).includes(id);
      if (json === true) printJson(context, { id, removed: true, ships: stays });
      else print(context, stays ? `${id} has its defaults again` : `${id} is gone`);
    });
}

function refuseOrphan({ provider, providers }: FileSettings, removed: string): void {
  if (provider === undefined || providerIds(providers ?? {}).includes(provider)) return;
  throw new Failure("conflict", `${removed} is the default: name another one under \`provider\` first`);
}

function addTest(provider: Command, context: CommandContext): void {
  provider
    .command("test")
    .description("ask a provider whether it is there and takes its key; costs nothing")
    .argument("[id]", "left out: all that have their key")
    .option("--models", "list its models")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExit code 1 when one does not work.\n\nExample:\n  $ sallyport provider test cloud")
    .action((id: string | undefined, options: { models?: boolean; json?: boolean }, command: Command) =>
      withProviders(context, command, async (providers) => {
        const known = await providers.list();
        if (id !== undefined && !known.some((view) => view.id === id)) {
          const ids = known.map((view) => view.id).join(", ");
          throw new Failure("not_found", `there is no provider ${id}; there are: ${ids}`);
        }
        const wanted = id === undefined ? known.filter(({ credential }) => credential !== "missing") : [{ id }];
        const reports = await Promise.all(wanted.map((view) => providers.test(view.id)));
        if (options.json === true) printJson(context, { providers: reports });
        else showReports(context, reports, options.models === true);
        return reports.every(({ status }) => status === "ok") ? EXIT.done : EXIT.failed;
      }),
    );
}

function showReports(context: CommandContext, reports: readonly ProviderReport[], withModels: boolean): void {
  const rows = reports.map(({ id, status, latency_ms, message }) => [
    id,
    status,
    latency_ms === undefined ? "-" : duration(latency_ms),
    message,
  ]);
  for (const line of table([["PROVIDER", "STATUS", "TIME", "ANSWER"], ...rows], width(context))) print(context, line);
  if (!withModels) return;
  for (const { id, models = [] } of reports) for (const model of models) print(context, visible(`${id}/${model}`));
}
