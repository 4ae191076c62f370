import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import { stringify } from "yaml";
import { parsePolicyYaml } from "../../gate/index.ts";
import { Autonomy, defined, Failure } from "../../protocol/index.ts";
import { print, printJson, withServer, type CommandContext } from "../context.ts";
import { visible } from "../terminal/visible.ts";
import { oneOf } from "./options.ts";
import { addExport } from "./policy-export.ts";
import { addImport } from "./policy-import.ts";

interface TestOptions {
  readonly tool: string;
  readonly input: string;
  readonly profile?: string;
  readonly session?: string;
  readonly cwd?: string;
  readonly autonomy?: Autonomy;
  readonly json?: boolean;
}

export function addPolicy(program: Command, context: CommandContext): void {
  const policy = program
    .command("policy")
    .description("show, set, try, export and import the policy")
    .helpCommand(false)
    .addHelpText("after", "\nExample:\n  $ sallyport policy show");
  policy
    .command("show")
    .description("the policy in force")
    .option("--json", "as JSON instead of YAML")
    .addHelpText("after", "\nExample:\n  $ sallyport policy show > policy.yaml")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const current = await client.policy();
        if (json === true) printJson(context, current);
        else print(context, stringify(current).trimEnd());
      }),
    );
  policy
    .command("set")
    .description("set profiles over those that ship")
    .argument("<file>", "a policy in YAML")
    .addHelpText("after", "\nExample:\n  $ sallyport policy set policy.yaml")
    .action(async (file: string, _options: unknown, command: Command) => {
      const wanted = parsePolicyYaml(await readFile(resolve(context.surroundings.cwd, file), "utf8"), file);
      await withServer(context, command, async ({ client }) => {
        const { default_profile, profiles } = await client.setPolicy(wanted);
        print(context, `in force: ${Object.keys(profiles).join(", ")}; default ${default_profile}`);
      });
    });
  addTest(policy, context);
  addExport(policy, context);
  addImport(policy, context);
}

function addTest(policy: Command, context: CommandContext): void {
  policy
    .command("test")
    .description("what would happen to a tool call; nothing is run")
    .requiredOption("--tool <name>", "the tool, such as Bash")
    .requiredOption("--input <json>", "its input as JSON, or @file")
    .option("--profile <name>", "under this profile (default: the policy's default)")
    .option("--session <id>", "in this session, with what was granted there")
    .option("--cwd <folder>", "in this folder (default: this one)")
    .addOption(
      new Option("--autonomy <level>", `with this autonomy: ${Autonomy.options.join(", ")}`).argParser(oneOf(Autonomy)),
    )
    .option("--json", "as JSON")
    .addHelpText("after", `\nExample:\n  $ sallyport policy test --tool Bash --input '{"command":"rm -rf build"}'`)
    .action(async (options: TestOptions, command: Command) => {
      const input = await readInput(options.input, context.surroundings.cwd);
      await withServer(context, command, async ({ client, local }) => {
        const { tool, profile, session, autonomy, cwd } = options;
        const here = session === undefined && local ? context.surroundings.cwd : undefined;
        const workspace = cwd === undefined ? here : resolve(context.surroundings.cwd, cwd);
        const ruling = await client.testPolicy(defined({ tool, input, profile, session, workspace, autonomy }));
        if (options.json === true) printJson(context, ruling);
        else print(context, `${ruling.effect}: ${visible(ruling.why)} (${ruling.step}, ${visible(ruling.rule)})`);
      });
    });
}

async function readInput(text: string, cwd: string): Promise<Record<string, unknown>> {
  const json = text.startsWith("@") ? await readFile(resolve(cwd, text.slice(1)), "utf8") : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Failure("invalid_request", `--input is not valid JSON; write it as '{"command":"ls"}' or @file`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure("invalid_request", "--input must be a JSON object");
  }
  return value as Record<string, unknown>;
}
