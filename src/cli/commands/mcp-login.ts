import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import type { SallyportClient } from "../../client/index.ts";
import { Failure, LIMITS, type FinishMcpLogin } from "../../protocol/index.ts";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { table } from "../terminal/table.ts";
import { visible } from "../terminal/visible.ts";

const LOGIN_HELP = `
For servers of sallyport.yaml with oauth. The tokens stay in the server: no agent and no sandbox sees them. Without a browser on this
machine, use --paste: open the address anywhere, and paste the address that you are sent to.

Examples:
  $ sallyport mcp login github
  $ sallyport mcp login github --paste`;

/** Logins at MCP servers, below the command that is an MCP server itself. */
export function addMcpLogins(mcp: Command, context: CommandContext): void {
  mcp
    .command("login")
    .description("log in to an MCP server of sallyport.yaml by OAuth")
    .argument("<server>")
    .option("--paste", "paste the address that the browser is sent to")
    .addHelpText("after", LOGIN_HELP)
    .action((name: string, { paste }: { paste?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const finish = paste === true ? await byPaste(context, client, name) : await byLoopback(context, client, name);
        const { scope } = await client.mcpLogins.finish(finish);
        print(context, `logged in to ${name}${scope === undefined ? "" : ` (${visible(scope)})`}`);
      }),
    );
  mcp
    .command("logout")
    .description("forget the login at an MCP server")
    .argument("<server>")
    .addHelpText("after", "\nExample:\n  $ sallyport mcp logout github")
    .action((name: string, _options: unknown, command: Command) =>
      withServer(context, command, async ({ client }) => {
        await client.mcpLogins.end(name);
        print(context, `logged out of ${name}`);
      }),
    );
  mcp
    .command("logins")
    .description("the MCP servers of sallyport.yaml that are logged in to by OAuth")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport mcp logins")
    .action(({ json }: { json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const list = await client.mcpLogins.list();
        if (json === true) {
          printJson(context, list);
          return;
        }
        const rows = list.servers.map(({ name, url, logged_in, at }) => [
          name,
          logged_in ? `since ${at ?? "?"}` : "no",
          visible(url),
        ]);
        if (rows.length === 0) {
          print(context, "no MCP server of sallyport.yaml has `oauth`");
          return;
        }
        const head = ["SERVER", "LOGGED IN", "ADDRESS"];
        for (const line of table([head, ...rows], width(context))) print(context, line);
      }),
    );
}

async function byLoopback(context: CommandContext, client: SallyportClient, name: string): Promise<FinishMcpLogin> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const timer = setTimeout(() => server.emit("late"), LIMITS.mcpLoginMs);
  try {
    const { authorization_url, state } = await client.mcpLogins.start(name, {
      redirect_url: `http://127.0.0.1:${port}/callback`,
    });
    const answer = answerOf(server, state);
    context.screen.line(`Open this address and log in:\n\n  ${visible(authorization_url)}\n`);
    return answerIn(await answer, state);
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
  }
}

/** The redirect of this login. Other pages of the person's browser can send requests here too: they end nothing. */
function answerOf(server: Server, state: string): Promise<URL> {
  return new Promise((resolve, reject) => {
    server.once("late", () => reject(new Failure("timed_out", "nobody came back from the login in time")));
    server.on("request", (request, response) => {
      const asked = new URL(request.url ?? "/", "http://127.0.0.1");
      if (asked.pathname !== "/callback" || asked.searchParams.get("state") !== state) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8", connection: "close" });
      response.end("You can close this page and go back to your terminal.\n", () => resolve(asked));
    });
  });
}

async function byPaste(context: CommandContext, client: SallyportClient, name: string): Promise<FinishMcpLogin> {
  const { surroundings, screen } = context;
  // Nobody listens there: the browser shows the address that is pasted.
  const redirect_url = "http://127.0.0.1:1/callback";
  const { authorization_url, state } = await client.mcpLogins.start(name, { redirect_url });
  screen.line(`Open this address and log in:\n\n  ${visible(authorization_url)}\n`);
  screen.line("The browser is then sent to an address that does not open. Paste it here, or only its code:");
  const lines = createInterface({ input: surroundings.input });
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (text === "") continue;
      return URL.canParse(text) ? answerIn(new URL(text), state) : { state, code: text };
    }
  } finally {
    lines.close();
  }
  throw new Failure("aborted", "nothing was pasted, so nothing has changed");
}

function answerIn({ searchParams }: URL, state: string): FinishMcpLogin {
  const refused = searchParams.get("error");
  if (refused !== null) {
    const why = searchParams.get("error_description") ?? refused;
    throw new Failure("forbidden", `the login was refused: ${why.slice(0, LIMITS.mcpReasonChars)}`);
  }
  const code = searchParams.get("code");
  const iss = searchParams.get("iss");
  if (code === null || searchParams.get("state") !== state)
    throw new Failure("invalid_request", "this is not the answer to this login; begin again");
  return { state, code, ...(iss === null ? {} : { iss }) };
}
