import { Option, type Command } from "commander";
import { PermissionMode, type CreateSession } from "../../protocol/index.ts";
import type { ServerConnection } from "../connect.ts";
import { withServer, type CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import type { Signal } from "../surroundings.ts";
import { addSessionOptions, dollarAmount, oneOf, sessionSettings, type SessionFlags } from "./options.ts";

const HELP = `
Speaks the Agent Client Protocol on standard input and output, for editors. Sessions work in the folder that the editor
names, under this server's policy and budget; what has to be asked is asked in the editor.

Example, in the settings of an editor:
  "agent_servers": { "Sallyport": { "type": "custom", "command": "sallyport", "args": ["acp"] } }`;

export function addAcp(program: Command, context: CommandContext): void {
  const command = program
    .command("acp")
    .description("be an editor's agent (Agent Client Protocol on standard input and output)")
    .option(
      "--cwd <folder>",
      "the folder on the server to work in (default: the editor's, where both are one machine)",
    );
  addSessionOptions(command)
    .addOption(
      new Option("--permission-mode <mode>", `the mode to begin with: ${PermissionMode.options.join(", ")}`).argParser(
        oneOf(PermissionMode),
      ),
    )
    .option("--max-cost <dollars>", "the most that each session may spend before it asks for more", dollarAmount)
    .addHelpText("after", HELP)
    .action(async (flags: SessionFlags, command: Command) => {
      await withServer(context, command, (connection) => serve(context, connection, sessionSettings(flags)));
    });
}

async function serve(
  context: CommandContext,
  connection: ServerConnection,
  settings: CreateSession,
): Promise<ExitCode> {
  const { surroundings, screen } = context;
  // Loaded on demand: no other command speaks this protocol.
  const [{ AcpAgent }, { lineStream }] = await Promise.all([import("../acp/agent.ts"), import("../acp/streams.ts")]);
  const complain = (words: string): void => screen.line(words);
  const agent = new AcpAgent({
    client: connection.client,
    version: surroundings.version,
    settings,
    local: connection.local,
    complain,
  });
  const { input, output } = surroundings;
  const editor = agent.app().connect(lineStream({ input, output, complain }));
  let code: ExitCode = EXIT.done;
  const stops = (["SIGINT", "SIGTERM", "SIGHUP"] as const satisfies readonly Signal[]).map((signal) =>
    surroundings.onSignal(signal, () => {
      code = signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
      editor.close();
    }),
  );
  try {
    await editor.closed;
    // A server inside this process ends with it: otherwise the next start would resume its turns.
    await agent.close({ interrupt: connection.embedded });
    return code;
  } finally {
    for (const stop of stops) stop();
  }
}
