import { chmodSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkNode } from "../../src/cli/doctor/programs.ts";
import { isVendorProgram } from "../../src/engines/vendor/programs.ts";
import { scriptedServer } from "../support/mcp-servers.ts";
import { Place } from "./place.ts";

interface Report {
  readonly checks: readonly { name: string; state: string; found: string; advice?: string }[];
  readonly settings: readonly { name: string; value: string; origin: string }[];
}

async function doctor(place: Place, environment: Readonly<Record<string, string>> = {}, words: readonly string[] = []) {
  const { code, stdout } = await place.run([...words, "doctor", "--json"], environment);
  const report = JSON.parse(stdout) as Report;
  const check = (name: string) => report.checks.find((one) => one.name === name);
  return { code, report, check, stdout };
}

test.each([
  ["v20.19.0", "ok"],
  ["v20.18.9", "fail"],
  ["v18.20.0", "fail"],
  ["v22.0.0", "ok"],
])("Node %s: %s", (version, state) => {
  expect(checkNode(version).state).toBe(state);
});

describe("sallyport doctor", () => {
  test("a fresh folder is fine, and nothing is made there", async () => {
    await using place = new Place();
    const { code, report } = await doctor(place);
    expect(code).toBe(0);
    // A machine may have some of them on its PATH.
    const checks = report.checks.filter(({ name }) => !isVendorProgram(name));
    expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "node ok",
      expect.stringMatching(/^open files (ok|warn)$/),
      "ripgrep ok",
      "bash ok",
      "git ok",
      expect.stringMatching(/^seatbelt (ok|warn)$/),
      expect.stringMatching(/^bubblewrap (ok|warn)$/),
      "container ok",
      "gvisor ok",
      "firecracker ok",
      expect.stringMatching(/^browser (ok|warn)$/),
      "claude ok",
      "engines ok",
      "agents ok",
      "model ok",
      "home ok",
      "workspace ok",
      "server ok",
      expect.stringMatching(/^port (ok|warn)$/),
    ]);
    expect(place.read(".sallyport")).toBeUndefined();
  });

  test("settings come with where they are from, secrets without themselves", async () => {
    await using place = new Place();
    mkdirSync(join(place.folder, "home"), { mode: 0o700 });
    place.write("home/sallyport.yaml", "model: some-model\n");
    const environment = {
      SALLYPORT_PORT: "0",
      ANTHROPIC_API_KEY: "sk-ant-secret-secret-secret",
      SALLYPORT_TOKEN: "sp_secret-secret",
    };
    const { report, stdout, check } = await doctor(place, environment, ["--home", "home"]);
    expect(stdout).not.toContain("secret");
    expect(report.settings).toEqual([
      { name: "home", value: join(place.folder, "home"), origin: "flag" },
      { name: "host", value: "127.0.0.1", origin: "default" },
      { name: "port", value: "0", origin: "environment" },
      { name: "workspace", value: place.folder, origin: "default" },
      { name: "roots", value: place.folder, origin: "default" },
      { name: "provider", value: "cloud", origin: "default" },
      { name: "model", value: "some-model", origin: "sallyport.yaml" },
      { name: "allowed_hosts", value: "(none)", origin: "default" },
      { name: "allowed_origins", value: "(none)", origin: "default" },
      { name: "requests_per_minute", value: "6000", origin: "default" },
      { name: "drain_seconds", value: "7", origin: "default" },
      { name: "idempotency_seconds", value: "3600", origin: "default" },
      { name: "client_sessions", value: "200", origin: "default" },
      { name: "challenge_seconds", value: "300", origin: "default" },
      { name: "access_log", value: "as the log level says", origin: "default" },
      { name: "sandbox", value: "local", origin: "environment" },
      { name: "pool", value: "(none)", origin: "default" },
      { name: "start_ahead", value: "on", origin: "default" },
      { name: "proxy_port", value: "0", origin: "default" },
      { name: "claude", value: "(none)", origin: "default" },
      { name: "programs", value: "(none)", origin: "default" },
      { name: "programs_folder", value: join(place.folder, "home/programs"), origin: "default" },
      { name: "telemetry", value: "(none)", origin: "default" },
      { name: "providers", value: "(none)", origin: "default" },
      { name: "mcp_servers", value: "(none)", origin: "default" },
      { name: "prices", value: "(none)", origin: "default" },
      { name: "api_url", value: "https://api.anthropic.com", origin: "default" },
      { name: "api_key", value: "(set)", origin: "environment" },
      { name: "token", value: "(set)", origin: "environment" },
    ]);
    expect(check("model")?.found).toContain("ANTHROPIC_API_KEY is set");
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["", {}, "no ANTHROPIC_API_KEY, so the demo model answers; set it for a real one"],
    ["", { SALLYPORT_PROVIDER: "sim" }, "the demo model was chosen, and answers"],
    ["", { ANTHROPIC_API_KEY: "sk-ant-1" }, "ANTHROPIC_API_KEY is set; calls go to https://api.anthropic.com"],
    [
      'provider: mine\nproviders: { mine: { base_url: "http://127.0.0.1:9", wire: anthropic, auth: none } }\n',
      {},
      "calls go to the provider mine; `sallyport provider test mine` says whether it answers",
    ],
  ])("who answers is said as it is: %j %j", async (settings, environment, found) => {
    await using place = new Place();
    mkdirSync(join(place.folder, "home"), { mode: 0o700 });
    place.write("home/sallyport.yaml", settings);
    const { check } = await doctor(place, environment, ["--home", "home"]);
    expect(check("model")).toEqual({ name: "model", state: "ok", found });
  });

  test("MCP servers of the settings are tried", async () => {
    await using place = new Place();
    mkdirSync(join(place.folder, "home"), { mode: 0o700 });
    const servers = {
      things: scriptedServer(),
      broken: scriptedServer({ exitAtStart: 4, stderr: "no config" }),
      keyless: { type: "http", url: "http://127.0.0.1:9/mcp", headers: { "x-key": { credential_env: "NOT_SET" } } },
    };
    place.write("home/sallyport.yaml", JSON.stringify({ mcp_servers: servers }));
    const { report, code } = await doctor(place, { PATH: process.env["PATH"] ?? "" }, ["--home", "home"]);
    expect(code).toBe(0);
    expect(report.checks.filter(({ name }: { readonly name: string }) => name === "mcp")).toEqual([
      { name: "mcp", state: "ok", found: "things: answers, 1 tool" },
      {
        name: "mcp",
        state: "warn",
        found: "broken: it ended with exit code 4; it said last: no config",
        advice: "look at mcp_servers.broken in sallyport.yaml",
      },
      {
        name: "mcp",
        state: "warn",
        found: "keyless: NOT_SET holds no credential for the MCP server keyless",
        advice: "look at mcp_servers.keyless in sallyport.yaml",
      },
    ]);
  });

  test("what is wrong is said with what to do; a failure is exit code 1", async () => {
    await using place = new Place();
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
    });
    mkdirSync(join(place.folder, ".sallyport"));
    chmodSync(join(place.folder, ".sallyport"), 0o755);
    const { code, check } = await doctor(place, { SALLYPORT_PORT: String(port), SALLYPORT_WORKSPACE: "nowhere" });
    taken.close();
    expect(code).toBe(1);
    expect(check("port")).toEqual({
      name: "port",
      state: "warn",
      found: `${port} on 127.0.0.1 cannot be used (EADDRINUSE)`,
      advice: "stop what uses it, or choose another with --port or SALLYPORT_PORT",
    });
    expect(check("workspace")?.state).toBe("fail");
    expect(check("home modes")).toMatchObject({
      state: "warn",
      advice: `chmod go= ${join(place.folder, ".sallyport")}`,
    });
  });

  test("a running server is found, and its port is its own", async () => {
    await using place = new Place();
    const server = place.start(["serve", "--port", "0"]);
    await server.reads("First task");
    const { port } = new URL(server.stdout.trim());
    const { check } = await doctor(place, { SALLYPORT_PORT: port });
    expect(check("server")?.found).toMatch(/^runs at http:\/\/127\.0\.0\.1:\d+ \(pid \d+\)$/);
    expect(check("port")).toEqual({ name: "port", state: "ok", found: `${port} is the running server's` });
    const { stdout } = await place.run(["doctor"]);
    expect(stdout).toMatch(/^ok {3}node {7}v/);
  });
});
