import type { Command } from "commander";
import { MountClient } from "../../client/files.ts";
import { LIMITS } from "../../protocol/index.ts";
import type { ClaudeTree } from "../../surfaces/mcp/claude-tree.ts";
import type { ServerConnection } from "../connect.ts";
import { withServer, type CommandContext } from "../context.ts";
import { addMcpLogins } from "./mcp-login.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import type { Signal } from "../surroundings.ts";

const HELP = `
Speaks the Model Context Protocol on standard input and output, for agents that start agents. With the token of the role
agent a client sees its own sessions only and cannot approve anything.

Example, in the settings of an agent:
  "mcpServers": { "sallyport": { "command": "sallyport", "args": ["--server", "http://127.0.0.1:5353", "--token", "…", "mcp"] } }`;

export function addMcp(program: Command, context: CommandContext): void {
  const mcp = program
    .command("mcp")
    .description("give an agent the /claude tree (Model Context Protocol on standard input and output)")
    .addHelpText("after", HELP)
    .action(async (_options: unknown, command: Command) => {
      await withServer(context, command, (connection) => serve(context, connection));
    });
  mcp.helpCommand(false);
  addMcpLogins(mcp, context);
}

async function serve({ surroundings, screen }: CommandContext, connection: ServerConnection): Promise<ExitCode> {
  // Loaded on demand: no other command speaks this protocol.
  const { serveMcpStdio } = await import("../../surfaces/mcp/stdio.ts");
  const client = serveMcpStdio({
    tree: treeOver(connection),
    version: surroundings.version,
    input: surroundings.input,
    output: surroundings.output,
    onError: (error) => screen.line(`mcp: ${error instanceof Error ? error.message : "something went wrong"}`),
  });
  let code: ExitCode = EXIT.done;
  const stops = (["SIGINT", "SIGTERM", "SIGHUP"] as const satisfies readonly Signal[]).map((signal) =>
    surroundings.onSignal(signal, () => {
      code = signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
      void client.close();
    }),
  );
  try {
    await client.closed;
    return code;
  } finally {
    for (const stop of stops) stop();
  }
}

/** The tree of another server, with the given token: that server decides what is allowed. */
function treeOver({ client, url, token }: ServerConnection): ClaudeTree {
  const files = new MountClient({ url, token });
  return {
    stat: (path) => files.stat(path, { sized: false }),
    list: (path) => files.list(path),
    read: (path, options) => files.read(path, options),
    write: (path, text) => files.write(path, text),
    call: (path, text) => files.call(path, text),
    follow: async (session_id, signal) => {
      const { seq, status } = await client.session(session_id);
      // A little earlier: the newest events may not be on the disk yet, so no stream could begin there.
      const after = Math.max(0, seq - LIMITS.watchPageEvents);
      return { begun: { seq, status }, frames: client.watch(session_id, { after, signal }) };
    },
  };
}
