import { access, chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { PROTOCOL_VERSION } from "../../../src/protocol/index.ts";
import { Place as Shell } from "../../cli/place.ts";
import { script } from "../../support/app.ts";
import { Haystack } from "../../support/money/haystack.ts";
import { Parrot, REPEATS } from "../../support/money/parrot.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "../../support/server.ts";

/** Not in the form of anybody's keys: what hides them must know them, not guess. */
const CANARIES = {
  ANTHROPIC_API_KEY: "canary.of.the.environment.5c1d0e7a9b24",
  OPENAI_API_KEY: "canary.of.openai.77f0a1c2d3e4b5968",
  XAI_API_KEY: "canary.of.xai.0b9a8c7d6e5f4a3b2",
  OPENROUTER_API_KEY: "canary.of.openrouter.1f2e3d4c5b6a",
  SECRET_OF_NAMED: "canary.of.a.named.variable.99a8b7c6",
  file: "canary.of.a.file.3e4d5c6b7a8f9e0d1c",
  command: "canary.of.a.command.aa11bb22cc33dd44",
  slow: "canary.of.a.slow.command.ee55ff66aa77",
  telemetry: "canary.of.telemetry.headers.4b5c6d7e",
} as const;
const { file, command, slow, telemetry, ...variables } = CANARIES;

const PROVIDERS = ["cloud", "filed", "commanded", "named"] as const;

let place: Place;
let parrot: Parrot;
let server: ServerProcess;
const shell = new Shell();
const hay = new Haystack();
let belowTools = 0;
let belowCommand = 0;

beforeAll(async () => {
  place = await makePlace();
  parrot = await Parrot.open();
  await prepare();
  server = await startServer(place, {
    ...variables,
    ANTHROPIC_BASE_URL: parrot.url,
    SALLYPORT_LOG_LEVEL: "debug",
    OTEL_EXPORTER_OTLP_ENDPOINT: `${parrot.url}/traces`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${telemetry}`,
  });
  for (const provider of PROVIDERS) await converse(provider);
  await watchTools();
  await watchCommand();
  await overDocument001();
  await askEverything();
  await commands("with a server", place.home);
  await hay.addFiles("home of the running server", place.home);
  await server.stop();
  await hay.addFiles("home", place.home);
  await hay.addFiles("workspace", place.workspace);
  await withoutServer();
  hay.add("log", server.log());
});

afterAll(async () => {
  await server.kill();
  await parrot.close();
  await shell[Symbol.asyncDispose]();
  await place.remove();
});

const secretPath = (name: string): string => join(place.home, "../secrets", name);

async function prepare(): Promise<void> {
  await mkdir(join(place.home, "../secrets"));
  for (const [name, key] of Object.entries({ file, command, slow })) {
    await writeFile(secretPath(name), `${key}\n`);
    await chmod(secretPath(name), 0o600);
  }
  const own = { base_url: parrot.url, wire: "anthropic", default_model: "any" };
  const waiting = `touch "${secretPath("asked")}"; until [ -e "${secretPath("go")}" ]; do sleep 0.02; done; cat "${secretPath("slow")}"`;
  await mkdir(place.home, { recursive: true });
  await writeFile(
    join(place.home, "sallyport.yaml"),
    JSON.stringify({
      provider: "cloud",
      model: "any",
      providers: {
        filed: { ...own, credential_file: secretPath("file") },
        commanded: { ...own, credential_command: ["cat", secretPath("command")] },
        named: { ...own, credential_env: "SECRET_OF_NAMED" },
        slow: { ...own, credential_command: waiting },
      },
      prices: { "*": { input: 1_000_000, output: 1_000_000 } },
    }),
  );
}

/** Follows a session over SSE and over the canonical socket until a turn has ended; what they say goes into the hay. */
async function follow(id: string, after: number): Promise<void> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/ws`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  const ended = new Promise<void>((done, failed) => {
    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "hello", protocol: PROTOCOL_VERSION }));
      socket.send(JSON.stringify({ type: "subscribe", session_id: id, after }));
    });
    socket.on("error", failed);
    socket.on("message", (data: Buffer) => {
      hay.add("/api/ws", data.toString());
      if (/"type":"turn\.(completed|failed)"/.test(data.toString())) done();
    });
  });
  for await (const frame of server.client.watch(id, { after })) {
    hay.add("SSE", JSON.stringify(frame));
    if (frame.type === "turn.completed" || frame.type === "turn.failed") break;
  }
  await ended;
  socket.close();
}

/** A provider that says the key in every way, and tools that look for it. */
async function converse(provider: string): Promise<void> {
  const { id, seq } = await server.client.createSession({ provider, model: "any", autonomy: "full" });
  let after = seq;
  const run = async (text: string): Promise<void> => {
    await server.client.prompt(id, { text });
    await follow(id, after);
    ({ seq: after } = await server.client.session(id));
  };
  const look =
    "env; env > env.txt; cat /proc/self/environ; cat /proc/$$/environ > environ.bin; ps eww $$; ps aux > ps.txt; ps aux";
  await run(script({ tool: "Bash", input: { command: look } }, { say: "looked" }));
  const { events } = await server.client.events(id);
  const looked = events.find((event) => event.type === "item.completed" && event.item.type === "command_execution");
  expect(JSON.stringify(looked)).toContain("PATH=");
  for (const repeat of REPEATS) await run(`please ${repeat}`);
  hay.add("journal", JSON.stringify((await server.client.events(id, { limit: 1_000 })).events));
  hay.add("session", JSON.stringify(await server.client.session(id)));
}

async function exists(path: string): Promise<void> {
  while (
    !(await access(path).then(
      () => true,
      () => false,
    ))
  )
    await new Promise((done) => setImmediate(done));
}

/** What the processes of a running tool can see. */
async function watchTools(): Promise<void> {
  const wait = "touch running; until [ -e go ]; do sleep 0.02; done";
  const shells = [
    { tool: "Bash", input: { command: `(${wait}) | cat` } },
    { tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.02; done", run_in_background: true } },
  ];
  const { id, seq } = await server.client.createSession({
    autonomy: "full",
    prompt: { text: script(shells[1] ?? {}, shells[0] ?? {}, { say: "done" }) },
  });
  await exists(join(place.workspace, "running"));
  belowTools = await hay.addProcesses("while tools run", server.child.pid ?? 0);
  await writeFile(join(place.workspace, "go"), "");
  await follow(id, Math.min(seq, 2));
}

/** What the command that prints a key can see of the others. */
async function watchCommand(): Promise<void> {
  const tested = server.client.testProvider("slow");
  await exists(secretPath("asked"));
  belowCommand = await hay.addProcesses("while a command prints a key", server.child.pid ?? 0);
  await writeFile(secretPath("go"), "");
  hay.add("test of slow", JSON.stringify(await tested));
}

async function overDocument001(): Promise<void> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/terminal/ws/agent`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  const prompts = ["parrot-say", "parrot-event", "parrot-401"];
  await new Promise<void>((done, failed) => {
    const next = (): void => {
      const prompt = prompts.shift();
      if (prompt === undefined) done();
      else socket.send(JSON.stringify({ command: "run", prompt, continue: false }));
    };
    socket.on("error", failed);
    socket.on("message", (data: Buffer) => {
      const text = data.toString();
      hay.add("/api/terminal/ws/agent", text);
      if (/"type":"(connected|complete|result|error|execution_complete)"/.test(text)) next();
    });
  });
  socket.close();
}

async function askEverything(): Promise<void> {
  const headers = { authorization: `Bearer ${server.token}` };
  const groups = "day,agent,model,provider,session,engine,turn";
  for (const path of [
    "/",
    "/health",
    "/openapi.json",
    "/metrics",
    "/api/me",
    "/api/engines",
    "/api/folders",
    "/api/templates",
    "/api/sessions",
    "/api/approvals",
    "/api/policy",
    "/api/policy/history",
    "/api/audit?limit=1000",
    "/api/tokens",
    "/api/providers",
    "/api/prices",
    `/api/usage?by=${groups}`,
    `/api/usage?by=${groups}&format=csv`,
  ]) {
    const answer = await fetch(`${server.url}${path}`, { headers });
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    hay.add(path, JSON.stringify([...answer.headers]) + (await answer.text()));
  }
  for (const { id } of (await server.client.providers()).providers)
    hay.add("/api/providers/test", JSON.stringify(await server.client.testProvider(id)));
}

/** What the command line says. */
async function commands(name: string, home: string): Promise<void> {
  const lines = [["provider", "list", "--json"], ["provider", "test"], ["doctor"]];
  await Promise.all(
    lines.map(async (line) => {
      const said = await sallyport([...line, "--home", home]);
      expect({ line, said: said.length > 0 }).toEqual({ line, said: true });
      hay.add(`sallyport ${line.join(" ")} ${name}`, said);
    }),
  );
}

/** In this process: the whole command but for its entry, and much cheaper than a process. */
async function sallyport(words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await shell.run(words, {
    HOME: place.home,
    SALLYPORT_TOKEN: server.token,
    ANTHROPIC_BASE_URL: parrot.url,
    ...variables,
  });
  return stdout + stderr;
}

/** The same commands where no server runs, and settings with a key where none belongs. */
async function withoutServer(): Promise<void> {
  const home = join(place.home, "../other-home");
  await mkdir(home);
  await cp(join(place.home, "sallyport.yaml"), join(home, "sallyport.yaml"));
  await commands("without a server", home);
  const settings: readonly object[] = [
    { providers: { local: { base_url: `http://user:${file}@127.0.0.1:1`, wire: "anthropic" } } },
    { providers: { local: { base_url: "http://127.0.0.1:1", wire: "anthropic", credential_env: file } } },
    { providers: { local: { base_url: "http://127.0.0.1:1", wire: "anthropic", api_key: file } } },
    { providers: { local: { base_url: `http://127.0.0.1:1/?key=${file}`, wire: "anthropic" } } },
  ];
  for (const [index, setting] of settings.entries()) {
    const wrong = join(place.home, `../wrong-home-${index}`);
    await mkdir(wrong);
    await writeFile(join(wrong, "sallyport.yaml"), JSON.stringify(setting));
    const lines = [
      ["provider", "list"],
      ["serve", "--port", "0"],
    ];
    for (const said of await Promise.all(lines.map((line) => sallyport([...line, "--home", wrong])))) {
      expect(said).toContain("sallyport.yaml");
      hay.add("commands with a key in their settings", said);
    }
  }
}

describe("keys of models", () => {
  it("are used: each provider was asked with its own", () => {
    const { OPENAI_API_KEY: _, XAI_API_KEY: __, OPENROUTER_API_KEY: ___, ...asked } = CANARIES;
    expect([...parrot.keys].filter((key) => key.startsWith("canary")).sort()).toEqual(Object.values(asked).sort());
  });

  it("are searched for where they could be", () => {
    expect(hay.places).toEqual(
      expect.arrayContaining([
        "SSE",
        "/api/ws",
        "/api/terminal/ws/agent",
        "journal",
        "log",
        "/metrics",
        "/api/providers",
        "home /sallyport.db",
        "home of the running server /sallyport.db-wal",
        "home /logs/model-requests.jsonl",
        "workspace /env.txt",
        "workspace /ps.txt",
        "while a command prints a key: environment of /bin/sh",
      ]),
    );
    // They did come that way, and were taken out.
    expect(hay.redacted).toEqual(expect.arrayContaining(["SSE", "/api/ws", "/api/terminal/ws/agent", "journal"]));
    expect(hay.places.filter((where) => where.startsWith("while tools run: environment of "))).not.toEqual([]);
    expect(belowTools).toBeGreaterThanOrEqual(2);
    expect(belowCommand).toBeGreaterThan(0);
  });

  it("are nowhere but at their source, and neither is a session's own key", () => {
    expect(hay.find(CANARIES)).toEqual([]);
  });

  it("of sessions never reach a provider", () => {
    expect(parrot.heard.filter((headers) => headers.includes("sp_"))).toEqual([]);
  });
});
