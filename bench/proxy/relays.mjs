// What is compared. Each starts as one process of its own between the callers and the scripted provider.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startGuest, startOurs } from "./processes.mjs";
import { CONNECTIONS, MODEL, UPSTREAM_KEY } from "./traffic.mjs";

const GUEST = fileURLToPath(new URL("./guest.mjs", import.meta.url));
const INSTALL_MS = 120_000;
/**
 * Both as their makers publish them, except that Portkey streams `/v1/messages` on Node only with a @hono/node-server
 * before 1.14.2 (its issue 1389). The router's later versions need Node 22.
 */
const GATEWAYS = {
  private: true,
  dependencies: { "@portkey-ai/gateway": "1.15.2", "@musistudio/claude-code-router": "2.0.0" },
  overrides: { "@hono/node-server": "1.14.1" },
};

/** Why something is not in the comparison. */
export class Skipped extends Error {}

/** Those that the comparison can do without. */
export const GUESTS = new Set(["nginx", "portkey", "claude_code_router"]);

const CALLER_KEY = { "x-api-key": "a-key-of-the-caller" };

/** Name → start({ upstream, folder, gateways, profile }) → a process with its address and the callers' headers. */
export const RELAYS = {
  /** No relay: the callers hold the key. */
  direct: async ({ upstream }) => ({
    url: upstream,
    headers: [{ "x-api-key": UPSTREAM_KEY }],
    stop: async () => undefined,
  }),
  undici: (options) => startBare(options, "joined"),
  undici_plain: (options) => startBare(options, "plain"),
  nginx: startNginx,
  portkey: startPortkey,
  claude_code_router: startRouter,
  sallyport: async ({ upstream, folder, profile }) => {
    const home = join(folder, "sallyport");
    await mkdir(home, { mode: 0o700 });
    const execArgv = profile ? ["--cpu-prof", "--cpu-prof-dir=."] : [];
    const child = await startOurs(new URL("./ours.mjs", import.meta.url), [upstream, home], execArgv);
    return ours(
      child,
      child.ready.keys.map((key) => ({ "x-api-key": key })),
    );
  },
};

async function startBare({ upstream }, manner) {
  return ours(await startOurs(new URL("./bare.mjs", import.meta.url), [upstream, manner]), [CALLER_KEY]);
}

function ours(child, headers) {
  return { url: child.ready.url, pid: child.pid, headers, stop: child.stop, ask: child.ask };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function inPath(name) {
  for (const folder of [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"]) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this one.
    }
  }
  return undefined;
}

async function startNginx({ upstream, folder }) {
  const command = inPath("nginx");
  if (command === undefined) throw new Skipped("nginx is not installed");
  const place = join(folder, "nginx");
  await mkdir(place);
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(place, name)};`)
    .join("\n");
  await writeFile(
    join(place, "nginx.conf"),
    `daemon off; master_process off; worker_processes 1; pid ${join(place, "pid")}; error_log stderr error;
events { worker_connections 2048; }
http {
  access_log off; ${temporary}
  keepalive_requests 100000000;
  upstream provider { server ${new URL(upstream).host}; keepalive ${CONNECTIONS * 2}; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location / {
      proxy_pass http://provider; proxy_http_version 1.1; proxy_buffering off;
      proxy_set_header connection ""; proxy_set_header x-api-key ${UPSTREAM_KEY};
    }
  }
}
`,
  );
  const child = await startGuest({ command, argv: ["-p", place, "-c", join(place, "nginx.conf")], port });
  return ours(child, [CALLER_KEY]);
}

/** Keeps no key of its own: the caller sends it. */
async function startPortkey({ upstream, gateways }) {
  const port = await freePort();
  const child = await startGuest({
    command: process.execPath,
    argv: [
      "--import",
      GUEST,
      join(installed(gateways), "@portkey-ai/gateway/build/start-server.js"),
      `--port=${port}`,
      "--headless",
    ],
    environment: { NODE_ENV: "production" },
    port,
  });
  return ours(child, [
    {
      "x-portkey-provider": "anthropic",
      "x-portkey-custom-host": `${upstream}/v1`,
      authorization: `Bearer ${UPSTREAM_KEY}`,
    },
  ]);
}

/** Its own shortest way: an Anthropic provider, so that nothing is translated; no log. */
async function startRouter({ upstream, folder, gateways }) {
  const port = await freePort();
  const home = join(folder, "router");
  const settings = {
    LOG: false,
    HOST: "127.0.0.1",
    PORT: port,
    NON_INTERACTIVE_MODE: true,
    API_TIMEOUT_MS: 60_000,
    Providers: [
      {
        name: "bench",
        api_base_url: `${upstream}/v1/messages`,
        api_key: UPSTREAM_KEY,
        models: [MODEL],
        transformer: { use: ["Anthropic"] },
      },
    ],
    Router: { default: `bench,${MODEL}` },
  };
  await mkdir(join(home, ".claude-code-router"), { recursive: true });
  await writeFile(join(home, ".claude-code-router/config.json"), JSON.stringify(settings));
  const child = await startGuest({
    command: process.execPath,
    argv: ["--import", GUEST, join(installed(gateways), "@musistudio/claude-code-router/dist/cli.js"), "start"],
    environment: { HOME: home, NODE_ENV: "production" },
    port,
  });
  return ours(child, [CALLER_KEY]);
}

function installed(gateways) {
  if (gateways === undefined) throw new Skipped("not asked for: --gateways installs it into a temporary folder");
  if (gateways instanceof Error) throw new Skipped(gateways.message);
  return gateways;
}

/** Installs the public gateways and answers where their packages are, or why they are not. Runs no script of theirs. */
export async function installGateways(folder) {
  const place = join(folder, "gateways");
  await mkdir(place);
  await writeFile(join(place, "package.json"), JSON.stringify(GATEWAYS));
  const argv = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", place];
  const said = [];
  const code = await new Promise((resolve) => {
    const child = spawn("npm", argv, { stdio: ["ignore", "pipe", "pipe"], timeout: INSTALL_MS, killSignal: "SIGKILL" });
    child.stdout.on("data", (piece) => said.push(piece));
    child.stderr.on("data", (piece) => said.push(piece));
    child.once("error", (error) => resolve(error.message));
    child.once("close", (status) => resolve(status));
  });
  const modules = join(place, "node_modules");
  if (code === 0 && existsSync(modules)) return modules;
  return new Error(`npm did not install it (${code}): ${Buffer.concat(said).toString().slice(-500).trim()}`);
}
