import { Option, type Command } from "commander";
import { Role } from "../../protocol/index.ts";
import { print, printJson, width, withServer, type Context } from "../context.ts";
import { EXIT } from "../exit.ts";
import { table } from "../terminal/table.ts";
import { oneOf } from "./options.ts";

export function addToken(program: Command, context: Context): void {
  const token = program
    .command("token")
    .description("make, list and delete tokens")
    .helpCommand(false)
    .addHelpText("after", "\nExample:\n  $ sallyport token create --role operator --name anna");
  addCreate(token, context);
  token
    .command("list")
    .description("the tokens, without the tokens themselves")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport token list")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const page = await client.tokens();
        if (json === true) printJson(context, page);
        else {
          const rows = page.tokens.map(({ id, role, created_at, name }) => [id, role, created_at, name]);
          for (const line of table([["TOKEN", "ROLE", "CREATED", "NAME"], ...rows], width(context)))
            print(context, line);
        }
        return EXIT.done;
      }),
    );
  token
    .command("delete")
    .description("make a token useless")
    .argument("<id>")
    .addHelpText("after", "\nExample:\n  $ sallyport token delete tok_01jqk3v7w8x9y2z3a4b5c6")
    .action((id: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        await client.deleteToken(id);
        print(context, `${id} is gone`);
        return EXIT.done;
      }),
    );
}

function addCreate(token: Command, context: Context): void {
  token
    .command("create")
    .description("make a token; it is shown this once")
    .addOption(
      new Option("--role <role>", `what it may do: ${Role.options.join(", ")}`)
        .argParser(oneOf(Role))
        .makeOptionMandatory(),
    )
    .requiredOption("--name <name>", "whose it is; the journal names whoever decides")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nThe token alone goes to standard output.\n\nExample:\n  $ sallyport token create --role agent --name ci",
    )
    .action((options: { role: Role; name: string; json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const created = await client.createToken({ role: options.role, name: options.name });
        if (options.json === true) printJson(context, created);
        else {
          print(context, created.token);
          context.screen.line(context.screen.paint.dim(`${created.id}: keep it, it is not shown again`));
        }
        return EXIT.done;
      }),
    );
}
