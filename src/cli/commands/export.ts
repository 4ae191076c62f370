import { Option, type Command } from "commander";
import { defined, ExportFormat } from "../../protocol/index.ts";
import { print, printJson, refuseEmbedded, width, withServer, type CommandContext } from "../context.ts";
import { writeWholeFile } from "../new-file.ts";
import { table } from "../terminal/table.ts";
import { lifetime } from "./options.ts";

const EXAMPLE = "ses_01jqk3v7w8x9y2z3a4b5c6";

interface ShareFlags {
  readonly tools?: true;
  readonly thoughts?: true;
  readonly costs?: true;
  readonly expiresIn?: number;
  readonly json?: true;
}

export function addExport(program: Command, context: CommandContext): void {
  program
    .command("export")
    .description("a whole session as a file: Markdown, one HTML page that works offline, or every event as JSON")
    .argument("<session>")
    .addOption(new Option("--format <format>", "what kind of file").choices(ExportFormat.options).default("markdown"))
    .option("--output <file>", "where to write it (default: standard output)")
    .addHelpText("after", `\nExample:\n  $ sallyport export ${EXAMPLE} --format html --output review.html`)
    .action((id: string, { format, output }: { format: ExportFormat; output?: string }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { body } = await client.exports.file(id, format);
        const { surroundings } = context;
        if (body === null) return undefined;
        if (output !== undefined) await writeWholeFile(output, body);
        else for await (const chunk of body) surroundings.output.write(new TextDecoder().decode(chunk));
        return undefined;
      }),
    );
  addShare(program, context);
}

function addShare(program: Command, context: CommandContext): void {
  const share = program
    .command("share")
    .description("links that show a session to people without a token")
    .helpCommand(false)
    .addHelpText(
      "after",
      `
A link shows prompts, answers and the names of tool calls, as they are now. Known secrets and the folder's path are removed.
Look at the page before you send the link: what a person wrote or a tool returned may still be private.

Example:
  $ sallyport share create ${EXAMPLE} --expires-in 2d`,
    );
  share
    .command("create")
    .description("make a link; it is shown this once")
    .argument("<session>")
    .option("--tools", "also show what went into tools and came out of them")
    .option("--thoughts", "also show the model's thoughts")
    .option("--costs", "also show what the turns cost")
    .option("--expires-in <time>", "how long it works: 15m, 8h, 30d (default: 7d)", lifetime)
    .option("--json", "as JSON")
    .addHelpText("after", `\nExample:\n  $ sallyport share create ${EXAMPLE} --tools`)
    .action((id: string, { tools, thoughts, costs, expiresIn, json }: ShareFlags, command: Command) =>
      withServer(context, command, async (connection) => {
        refuseEmbedded(context, connection, "the link");
        const { client, url } = connection;
        const wanted = defined({ tools, thoughts, costs, expires_in_s: expiresIn });
        const made = await client.exports.share(id, wanted);
        if (json === true) printJson(context, made);
        else {
          print(context, `${url}${made.path}`);
          context.screen.line(
            context.screen.paint.dim(`${made.id}: works until ${made.expires_at}, and is not shown again`),
          );
        }
        return undefined;
      }),
    );
  addShareList(share, context);
}

function addShareList(share: Command, context: CommandContext): void {
  share
    .command("list")
    .description("the links of a session that work, without their secrets")
    .argument("<session>")
    .option("--json", "as JSON")
    .addHelpText("after", `\nExample:\n  $ sallyport share list ${EXAMPLE}`)
    .action((id: string, { json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const { shares } = await client.exports.shares(id);
        if (json === true) printJson(context, { shares });
        else {
          const rows = shares.map(({ id: share_id, created_by, expires_at }) => [
            share_id,
            created_by.name,
            expires_at,
          ]);
          for (const line of table([["LINK", "BY", "EXPIRES"], ...rows], width(context))) print(context, line);
        }
        return undefined;
      }),
    );
  share
    .command("revoke")
    .description("end a link at once")
    .argument("<session>")
    .argument("<link>")
    .addHelpText("after", `\nExample:\n  $ sallyport share revoke ${EXAMPLE} shr_01jqk3v7w8x9y2z3a4b5c6`)
    .action((id: string, link: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        await client.exports.revoke(id, link);
        print(context, `${link} does not work any more`);
        return undefined;
      }),
    );
}
