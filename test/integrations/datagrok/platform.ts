import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { build, type InlineConfig, type Rolldown } from "vite";
import { WebSocket, WebSocketServer } from "ws";
import { SallyportClient } from "../../../src/client/index.ts";
import { ownPort } from "../../support/port.ts";
import { makePlace, TEST_TOKEN } from "../../support/server.ts";

const root = resolve(import.meta.dirname, "../../..");
const PACKAGE = resolve(root, "integrations/datagrok");
/** The version that the platform has as its global, not the one of this repository. */
const RXJS = resolve(root, "node_modules/datagrok-api/node_modules/rxjs/bundles/rxjs.umd.min.js");

/** As the shipped profile, but somebody is asked before an element is pointed at. */
const POLICY = `profiles:
  server:
    tools: [Read, Glob, Grep, WebFetch, mcp__datagrok__*]
    autonomy: full
    client_may_choose: [model]
    ask: [mcp__datagrok__highlight_element]
`;

/** How long the container may take to be ready, and how often it is asked, ms. */
const READY_MS = 20_000;
const ASK_MS = 50;

const PAGE = `<!doctype html><meta charset="utf-8"><title>Datagrok</title>
<body><div class="d4-ribbon"><i class="grok-icon grok-icon-filter">filter</i><i class="grok-icon svg-icon svg-add-viewer" style="display:none"></i><span name="div-Edit">Edit</span></div>
<script src="/rxjs.js"></script><script src="/stand-in.js"></script><script src="/package.js"></script><script src="/package-test.js"></script>`;

/** What a connection of the platform does: joins the container, is closed by it, or is never joined. */
type Joining = "joins" | "refuses" | "waits";

export interface Platform {
  readonly url: string;
  readonly containerUrl: string;
  joining: Joining;
  /** With which codes pages closed their connections. */
  readonly closedWith: readonly number[];
  /** Cuts every connection between page and container. */
  cut(): void;
  stopContainer(): Promise<void>;
  /** The server's administrator, who reaches it past the relay. */
  readonly admin: SallyportClient;
  [Symbol.asyncDispose](): Promise<void>;
}

interface State {
  joining: Joining;
  readonly closedWith: number[];
}

/** The package as it is published, the stand-in, and the container's relay with the real server behind it. */
export async function openPlatform(): Promise<Platform> {
  const [container, files] = await Promise.all([startContainer(), buildFiles()]);
  const server = createServer((request, response) => {
    const found = files.get(request.url ?? "");
    if (found === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": found.type }).end(found.body);
  });
  const joined = new Set<WebSocket>();
  const state: State = { joining: "joins", closedWith: [] };
  joinContainers(server, container.url, joined, state);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of joined) socket.terminate();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    containerUrl: container.url,
    get joining() {
      return state.joining;
    },
    set joining(joining) {
      state.joining = joining;
    },
    closedWith: state.closedWith,
    cut,
    stopContainer: () => container.stop(),
    admin: container.admin,
    [Symbol.asyncDispose]: async () => {
      cut();
      server.closeAllConnections();
      server.close();
      await container.stop();
      await container.remove();
    },
  };
}

/** `/docker/containers/proxy-ws/<id>/ws`: the platform says `CONNECTED` when both sides are joined. */
function joinContainers(server: Server, containerUrl: string, joined: Set<WebSocket>, state: State): void {
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (page, { url }) => {
    const path = /^\/docker\/containers\/proxy-ws\/[^/]+(\/.*)$/.exec(url ?? "")?.[1];
    joined.add(page);
    page.on("close", (code) => {
      joined.delete(page);
      state.closedWith.push(code);
    });
    if (state.joining === "waits") return;
    if (path === undefined || state.joining === "refuses") {
      page.close(1011, "Container is not running");
      return;
    }
    const container = new WebSocket(containerUrl.replace("http", "ws") + path);
    container.on("error", () => page.close(1011, "Container is not reachable"));
    container.on("open", () => page.send("CONNECTED"));
    container.on("message", (data: Buffer) => page.send(data.toString()));
    container.on("close", () => page.close());
    page.on("message", (data: Buffer) => container.send(data.toString()));
    page.on("close", () => container.terminate());
  });
}

interface Container {
  readonly url: string;
  stop(): Promise<void>;
  readonly admin: SallyportClient;
  remove(): Promise<void>;
}

/** The entry point of the image, with the scripted model: no key is needed. */
async function startContainer(): Promise<Container> {
  const place = await makePlace();
  const [port, innerPort] = [await ownPort(), await ownPort()];
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  await writeFile(join(place.home, "policy.yaml"), POLICY, { mode: 0o600 });
  const relay = resolve(PACKAGE, "dockerfiles/claude-runtime/relay.mjs");
  const child = spawn(process.execPath, [relay, resolve(root, "dist/cli/main.js")], {
    stdio: "ignore",
    env: {
      PATH: process.env["PATH"],
      HOME: place.home,
      RELAY_HOST: "127.0.0.1",
      RELAY_PORT: String(port),
      RELAY_SERVER_PORT: String(innerPort),
      SALLYPORT_TOKEN: TEST_TOKEN,
      SALLYPORT_HOME: place.home,
      SALLYPORT_WORKSPACE: place.workspace,
    },
  });
  const exited = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url);
  return {
    url,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await exited;
    },
    admin: new SallyportClient({ url: `http://127.0.0.1:${innerPort}`, token: TEST_TOKEN }),
    remove: () => place.remove(),
  };
}

async function untilReady(url: string): Promise<void> {
  for (let waited = 0; waited < READY_MS; waited += ASK_MS) {
    const isReady = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resume) => setTimeout(resume, ASK_MS));
  }
  throw new Error(`the container was not ready within ${READY_MS} ms`);
}

interface Served {
  readonly type: string;
  readonly body: string;
}

async function buildFiles(): Promise<ReadonlyMap<string, Served>> {
  const configFile = resolve(PACKAGE, "vite.config.ts");
  const standIn: InlineConfig = {
    configFile: false,
    build: { lib: { entry: resolve(import.meta.dirname, "stand-in/index.ts"), name: "unused", formats: ["iife"] } },
  };
  const [made, tests, stand] = [
    await bundle({ configFile }),
    await bundle({ configFile, mode: "test" }),
    await bundle(standIn),
  ];
  const script = (body: string): Served => ({ type: "text/javascript", body });
  return new Map([
    ["/", { type: "text/html", body: PAGE }],
    ["/rxjs.js", script(readFileSync(RXJS, "utf8"))],
    ["/stand-in.js", script(stand)],
    ["/package.js", script(made)],
    ["/package-test.js", script(tests)],
  ]);
}

async function bundle(config: InlineConfig): Promise<string> {
  const built = (await build({
    ...config,
    logLevel: "silent",
    build: { ...config.build, write: false },
  })) as Rolldown.RolldownOutput | Rolldown.RolldownOutput[];
  const [output] = Array.isArray(built) ? built : [built];
  return output?.output.find((file) => file.type === "chunk")?.code ?? "";
}
