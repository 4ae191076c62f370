import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Approval, JournalEvent } from "../../../src/protocol/index.ts";
import { openSite } from "../../browser/site.ts";
import { approveWith, runScript, script, untilTurnEnds } from "../../support/app.ts";
import { browserPath } from "../../support/programs.ts";
import { makePlace, leftBehind, startServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeWithWalls } from "../../support/walls.ts";
import { openWith, outputs } from "../mcp-client/world.ts";

const PREFIX = "mcp__puppeteer__puppeteer_";
const BROWSER = { SALLYPORT_BROWSER: browserPath ?? "off" };
const step = (tool: string, input: object): object => ({ tool: PREFIX + tool, input });

/** The outputs of browser tools; pictures as their kinds. */
function seen(events: readonly JournalEvent[]): readonly string[] {
  return outputs(events);
}

/** A server that a session's own command starts. */
const SERVER = `const s = require('http').createServer((q, r) => r.end('<title>App</title><button id=b onclick="document.title=1">b</button>'));
s.listen(8123, () => console.log('listening'));`;

describeWithWalls("a session's browser behind walls", () => {
  it.skipIf(browserPath === undefined)(
    "opens what a command of the session serves, acts there unasked, and asks about scripts and hosts",
    async () => {
      await using app = await openWith({}, BROWSER);
      await writeFile(join(app.place.workspace, "serve.cjs"), SERVER);
      const asked: Approval[] = [];
      const { events } = await runScript(
        app.client,
        {
          sandbox: "bubblewrap",
          prompt: {
            text: script(
              { tool: "Bash", input: { command: `${process.execPath} serve.cjs`, run_in_background: true } },
              {
                tool: "Bash",
                input: { command: "until (exec 3<>/dev/tcp/127.0.0.1/8123) 2>/dev/null; do sleep 0.1; done" },
              },
              step("navigate", { url: "http://localhost:8123/" }),
              step("click", { selector: "#b" }),
              step("screenshot", { name: "app" }),
              step("evaluate", { script: "return document.title" }),
              step("navigate", { url: "http://elsewhere.example.org/" }),
              step("connect_active_tab", {}),
              { say: "Done." },
            ),
          },
        },
        async (approval) => {
          asked.push(approval);
          const decision = approval.tool === "Network" ? "reject" : "approve";
          await app.client.decide(approval.id, { decision, input_hash: approval.input_hash });
        },
      );
      const [navigated, clicked, pictured, evaluated, elsewhere, connected] = seen(events);
      expect([navigated, clicked, pictured, evaluated]).toEqual([
        "Successfully navigated to http://localhost:8123/ (Status: 200)",
        "Clicked: #b",
        "Screenshot 'app' taken at 800x600image",
        'Execution result:\n"1"\n\nConsole output:\n',
      ]);
      expect(elsewhere).toMatch(/^Navigation failed: HTTP error: 403 /);
      expect(elsewhere).toContain("This session may not connect to elsewhere.example.org:80. A person refused it");
      expect(connected).toContain("Failed to connect to browser: this session may not leave its sandbox.");
      expect(asked.map(({ tool }) => tool).filter((tool) => tool !== "Bash")).toEqual([
        `${PREFIX}evaluate`,
        "Network",
        `${PREFIX}connect_active_tab`,
      ]);
      const { preview } = asked.find(({ tool }) => tool === `${PREFIX}evaluate`) ?? {};
      expect(preview).toMatchObject({
        type: "generic",
        page: { url: "http://localhost:8123/", title: "1", picture: { media_type: "image/jpeg" } },
      });
    },
  );
});

describe.skipIf(browserPath === undefined)("a session's browser without walls", () => {
  it("asks before it acts, shows page and element, and asks again when the page has changed meanwhile", async () => {
    const site = await openSite();
    const policy = {
      default_profile: "own",
      profiles: { own: { egress_hosts: [`localhost:${site.port}`] } },
    };
    await using app = await openWith({ policy }, BROWSER);
    const asked: Approval[] = [];
    const { events } = await runScript(
      app.client,
      {
        prompt: {
          text: script(
            step("navigate", { url: `${site.url}/prices` }),
            step("click", { selector: "#pay" }),
            step("navigate", { url: "http://127.0.0.1:8099/" }),
            { say: "Done." },
          ),
        },
      },
      async (approval) => {
        asked.push(approval);
        if (asked.length === 1) {
          site.price = "Pay 1000 dollars";
          const { length } = site.asked;
          // The page has asked for the new price, and asked again: it shows it.
          await until(() => site.asked.length > length + 2);
        }
        const decision = asked.length === 1 ? "approve" : "reject";
        await app.client.decide(approval.id, { decision, input_hash: approval.input_hash });
      },
    );
    const elements = asked.map(({ preview }) => (preview.type === "generic" ? preview.page?.element : undefined));
    expect(elements).toEqual(['<button id="pay">Pay 1 dollar</button>', '<button id="pay">Pay 1000 dollars</button>']);
    expect(site.asked).not.toContain("/paid");
    const [navigated, , local] = seen(events);
    expect(navigated).toBe(`Successfully navigated to ${site.url}/prices (Status: 200)`);
    expect(local).toContain("This session may not connect to 127.0.0.1:8099.");
    site.server.closeAllConnections();
    site.server.close();
  });

  it("takes over a tab of a person's own browser where the profile allows it, and leaves that open", async () => {
    const site = await openSite();
    await using own = await openOwnBrowser(`${site.url}/form`);
    const policy = { default_profile: "own", profiles: { own: { browser: ["active_tab"] } } };
    await using app = await openWith({ policy }, BROWSER);
    const asked: Approval[] = [];
    const connecting = step("connect_active_tab", { targetUrl: `${site.url}/form`, debugPort: own.port });
    const { events, session } = await runScript(
      app.client,
      {
        prompt: {
          text: script(
            connecting,
            step("evaluate", { script: "document.title = 'Taken over'; return location.href" }),
            { say: "Done." },
          ),
        },
      },
      async (approval) => {
        asked.push(approval);
        await app.client.decide(approval.id, { decision: "approve", input_hash: approval.input_hash });
      },
    );
    const [connected, evaluated] = seen(events);
    expect(connected).toMatch(/^Successfully connected to browser\nActive webpage: .* \(http.*\/form\)$/);
    expect(evaluated).toBe(`Execution result:\n"${site.url}/form"\n\nConsole output:\n`);
    expect(asked.map(({ tool, warnings }) => [tool, warnings.map(({ kind }) => kind)])).toContainEqual([
      `${PREFIX}connect_active_tab`,
      ["dangerous"],
    ]);
    await app.client.control(session.id, "close");
    expect(await own.titles()).toEqual(["Taken over"]);
    site.server.closeAllConnections();
    site.server.close();
  });

  it("says what is wrong with a port that is no browser's, and goes nowhere else", async () => {
    const heard: string[] = [];
    const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
      "without an address": (response) => response.end("{}"),
      "an error": (response) => response.writeHead(503).end(),
      "a redirection": (response) => response.writeHead(302, { location: "http://192.0.2.1/json/version" }).end(),
      "another address": (response) =>
        response.end(JSON.stringify({ webSocketDebuggerUrl: "ws://192.0.2.1:9/devtools/browser/x" })),
    };
    const servers = Object.entries(answers).map(([name, answer]) =>
      createServer((_, response) => answer(response))
        .on("upgrade", ({ url }: IncomingMessage, socket) => {
          heard.push(`${name}: ${url}`);
          socket.destroy();
        })
        .listen(0, "127.0.0.1"),
    );
    const closed = createServer().listen(0, "127.0.0.1");
    await Promise.all([...servers, closed].map((server) => once(server, "listening")));
    const ports = [closed, ...servers].map((server) => (server.address() as AddressInfo).port);
    await new Promise((resolve) => void closed.close(resolve));
    const policy = { default_profile: "own", profiles: { own: { browser: ["active_tab"] } } };
    await using app = await openWith({ policy }, BROWSER);
    const steps = ports.map((debugPort) => step("connect_active_tab", { debugPort }));
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(...steps, { say: "Done." }) } },
      approveWith(app.client),
    );
    const said = seen(events);
    expect(said).toHaveLength(ports.length);
    for (const [at, words] of said.slice(0, 4).entries())
      expect(words).toContain(
        `Failed to connect to browser: Failed to connect to Chrome debugging port ${ports[at]}: `,
      );
    expect(said[1]).toContain("No WebSocket debugger URL found. Is Chrome running with --remote-debugging-port?");
    expect(said[2]).toContain("Failed to fetch debugger info: Service Unavailable");
    expect(said[0]).toContain("To connect to Chrome:\n1. Close Chrome completely");
    expect(said[4]).toMatch(/^Failed to connect to browser: /);
    expect(heard).toEqual(["another address: /devtools/browser/x"]);
    for (const server of servers) server.close();
  });

  it("leaves nothing behind when the server is killed", async () => {
    const place = await makePlace();
    const site = await openSite();
    const profile = { egress_hosts: [`localhost:${site.port}`] };
    await writePolicy(place.home, profile);
    const server = await startServer(place, BROWSER);
    try {
      const session = await server.client.createSession({
        prompt: { text: script(step("navigate", { url: `${site.url}/form` }), { say: "Done." }) },
      });
      await untilTurnEnds(server.client, session.id, { answer: approveWith(server.client) });
      expect((await leftBehind(place)).length).toBeGreaterThan(0);
      await server.kill();
      await until(async () => (await leftBehind(place)).length === 0);
      expect(await chromiumOf(place.home)).toEqual([]);
      // Its profile is gone when the next server starts.
      await (await startServer(place, BROWSER)).stop();
      expect(await readdir(join(place.home, "browsers")).catch(() => [])).toEqual([]);
    } finally {
      await server.kill();
      site.server.closeAllConnections();
      site.server.close();
      await place.remove();
    }
  });
});

async function writePolicy(home: string, profile: object): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const policy = { default_profile: "own", profiles: { own: profile } };
  await writeFile(join(home, "policy.yaml"), JSON.stringify(policy), { mode: 0o600 });
}

/** Processes of a browser whose profile lies in this home. */
async function chromiumOf(home: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const words = await readFile(`/proc/${name}/cmdline`, "latin1").catch(() => "");
    if (words.includes(`--user-data-dir=${home}`)) found.push(name);
  }
  return found;
}

interface OwnBrowser extends AsyncDisposable {
  readonly port: number;
  titles(): Promise<readonly string[]>;
}

/** A browser that a person has started, with its debugging port. */
async function openOwnBrowser(url: string): Promise<OwnBrowser> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-own-browser-"));
  const words = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"];
  const program = spawn(browserPath ?? "", [...words, `--user-data-dir=${folder}`, url], {
    stdio: ["ignore", "ignore", "pipe"],
    // Debian's command is a script that starts the browser: both end together, as one group.
    detached: true,
  });
  let said = "";
  program.stderr.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  await until(() => said.includes("DevTools listening on "));
  const port = Number(/DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(said)?.[1]);
  const pages = async (): Promise<readonly { readonly type: string; readonly title: string; readonly url: string }[]> =>
    (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  // Its address is listed before it is there: the title comes with the page.
  await until(async () => (await pages()).some((page) => page.url === url && page.title === "Form"));
  return {
    port,
    titles: async () => (await pages()).filter(({ type }) => type === "page").map(({ title }) => title),
    [Symbol.asyncDispose]: async () => {
      if (program.pid !== undefined) process.kill(-program.pid, "SIGKILL");
      await once(program, "exit");
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
