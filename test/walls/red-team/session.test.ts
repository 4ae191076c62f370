import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { JournalEvent } from "../../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../../support/app.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "../../support/server.ts";
import { isFullRun } from "../../support/sample.ts";
import { describeWithWalls } from "../../support/walls.ts";
import { EchoModel } from "./echo-model.ts";
import { hasOwnKernel, isOwnKernels } from "./drivers.mjs";
import { leftIn, STRAYS } from "./faults.mjs";
import { escapesIn, type AttackRow } from "./run.ts";
import { canary, openYard } from "./yard.mjs";

const CANARY = /canary-[a-z]+-[0-9a-f]{24}/;
const PROVIDER_KEY = canary("provider");
const SERVER_SECRET = canary("environment");

let app: TestApp;
let model: EchoModel;
let yard: Awaited<ReturnType<typeof openYard>>;

beforeAll(async () => {
  model = await EchoModel.open();
  const provider = { base_url: model.url, wire: "anthropic", credential_env: "ECHO_KEY", default_model: "sim" };
  const settings = {
    provider: "echo",
    model: "sim",
    providers: { echo: provider },
    prices: { sim: { input: 1, output: 1 } },
  };
  app = await openTestApp(
    {
      SALLYPORT_SANDBOX: "bubblewrap",
      ECHO_KEY: PROVIDER_KEY,
      SERVER_SECRET,
      ...(isFullRun ? { SALLYPORT_CONTAINER_EMULATION: "1" } : {}),
    },
    {
      prepare: async (place) => {
        await mkdir(place.home, { recursive: true, mode: 0o700 });
        yard = await openYard({
          root: dirname(place.home),
          home: place.home,
          workspace: place.workspace,
          server: process.pid,
          isWalled: true,
        });
        const hosts = ["local*", `local*:${yard.targets.tcp4}`, "*.redteam.test", `127.0.0.1:${yard.targets.allowed}`];
        const profiles = { free: { autonomy: "full" }, asked: { autonomy: "supervised", egress_hosts: hosts } };
        await writeFile(join(place.home, "sallyport.yaml"), JSON.stringify(settings), { mode: 0o600 });
        await writeFile(join(place.home, "policy.yaml"), JSON.stringify({ default_profile: "asked", profiles }), {
          mode: 0o600,
        });
        return () => model.close();
      },
    },
  );
});
afterAll(() => app[Symbol.asyncDispose]());

async function rowsIn(file: string): Promise<readonly AttackRow[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as AttackRow);
}

function expectNoCanary(events: readonly JournalEvent[]): void {
  expect(CANARY.exec(JSON.stringify(events))).toBeNull();
  expect(CANARY.exec(model.heard)).toBeNull();
}

async function startWalled(place: Place): Promise<ServerProcess & AsyncDisposable> {
  const server = await startServer(place, { SALLYPORT_SANDBOX: "bubblewrap" });
  return Object.assign(server, {
    [Symbol.asyncDispose]: async () => {
      await server.kill();
      await place.remove();
    },
  });
}

/** Processes with the workspace among their words, apart from the server's own. */
function strays(workspace: string): number {
  return leftIn(workspace).filter((pid) => !readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("dist/")).length;
}

const GROUPS = ["keys", "egress", "files", "calls"];
const WITH_PROXY = [...GROUPS, "proxy", "model"];
/** Every day in bubblewrap; in all sandboxes that work here in `npm run soak`. */
const PLACES = [
  ["loop", "bubblewrap", "none", GROUPS],
  ["claude-cli", "bubblewrap", "proxy_only", WITH_PROXY],
  ...(isFullRun
    ? ([
        ["loop", "container", "none", GROUPS],
        ["claude-cli", "container", "proxy_only", WITH_PROXY],
        ["loop", "gvisor", "none", GROUPS],
        ["loop", "gvisor", "proxy_only", [...GROUPS, "proxy"]],
        ["loop", "firecracker", "none", GROUPS],
        ["loop", "firecracker", "proxy_only", [...GROUPS, "proxy"]],
      ] as const)
    : []),
] as const;
/** An emulated processor takes its time. */
const ATTACKS_MS = isFullRun ? 600_000 : 100_000;

describeWithWalls("attacks from inside a session", () => {
  it.each(PLACES)(
    "%s in %s with the network %s: all are held, and no canary is in a model request or the journal",
    async (engine, sandbox, network, groups) => {
      const { sandboxes } = await app.client.engines();
      const place = sandboxes.find(({ id }) => id === sandbox);
      if (place?.available !== true) {
        console.log(`red team: sessions in ${sandbox} are left out: ${place?.advice ?? "it is not known"}`);
        return;
      }
      const rows = join(app.place.workspace, `rows-${sandbox}-${network}.jsonl`);
      const secrets = Object.values(yard.secrets).join(" ");
      const { session, events } = await runScript(
        app.client,
        {
          engine,
          sandbox,
          network,
          prompt: {
            text: script(
              {
                tool: "Bash",
                input: { command: `${yard.command(...groups).join(" ")} > ${rows} 2>&1`, timeout: ATTACKS_MS },
              },
              {
                tool: "Bash",
                input: {
                  command: `env; cat ${secrets} /proc/*/environ /proc/*/cmdline 2>&1; mount; ls -laR /tmp /home`,
                },
              },
              { tool: "Glob", input: { pattern: "redteam/*.mjs" } },
              { say: "Done." },
            ),
          },
        },
        approveWith(app.client),
      );
      expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
      // What reaches a kernel of its own reaches nothing of this machine.
      const hasOwn = hasOwnKernel(sandbox);
      const found = await rowsIn(rows);
      expect(escapesIn(found.filter((row) => !(hasOwn && isOwnKernels(row))))).toEqual([]);
      if (isFullRun) console.log(`red team: a session in ${sandbox}, network ${network}: ${found.length} attacks`);
      expect(found.length).toBeGreaterThan(75);
      expect(yard.traces()).toEqual({ heard: [], written: [], setuid: [] });
      expectNoCanary(events);
      expect(JSON.stringify(events)).toContain("redteam/hogs.mjs");
      await app.client.control(session.id, "close");
    },
    isFullRun ? ATTACKS_MS * 2 : undefined,
  );

  it("the server follows no link that is left in the engine's own folder", async () => {
    const outside = dirname(yard.secrets.other);
    const links = ["claude.jsonl", "claude/projects/forked", "tmp"].map(
      (name) => `ln -sfn ${outside}/w4 $e/${name} 2>&1`,
    );
    const command = `for e in $(find / -path /proc -prune -o -type d -path '*/engines/*' -name claude -print 2>/dev/null); do e=\${e%/claude}; ls -la $e; ${links.join("; ")}; done; echo linked`;
    const { session, events } = await runScript(
      app.client,
      {
        engine: "claude-cli",
        sandbox: "bubblewrap",
        prompt: { text: script({ tool: "Bash", input: { command } }, { say: "Done." }) },
      },
      approveWith(app.client),
    );
    expect(JSON.stringify(events)).toContain("linked");
    await app.client.control(session.id, "close");
    expect(yard.traces().written).toEqual([]);
  });

  it("nothing outlives its session, nor a server that is killed", async () => {
    const place = await makePlace();
    await using server = await startWalled(place);
    const { client } = server;
    const bash = { tool: "Bash", input: { command: STRAYS(place.workspace) } };
    const wanted = { engine: "loop", sandbox: "bubblewrap", prompt: { text: script(bash, { say: "Done." }) } } as const;
    const { session } = await runScript(client, wanted, approveWith(client));
    expect(strays(place.workspace)).toBeGreaterThan(4);
    await client.control(session.id, "close");
    await expect.poll(() => strays(place.workspace)).toBe(0);
    await runScript(client, wanted, approveWith(client));
    expect(strays(place.workspace)).toBeGreaterThan(4);
    await server.kill();
    await expect.poll(() => strays(place.workspace)).toBe(0);
    // The next one deletes what the dead one left.
    const next = await startServer(place, { SALLYPORT_SANDBOX: "bubblewrap" });
    await next.stop();
  });

  it("file tools never leave the workspace while a program swaps its folders for links", async () => {
    const { workspace } = app.place;
    const outside = dirname(yard.secrets.other);
    await writeFile(join(outside, "only-outside.txt"), "outside\n");
    await mkdir(join(workspace, "swapped"));
    await writeFile(join(workspace, "swapped", ".env"), "harmless\n");
    await symlink(outside, join(workspace, "swapping"));
    const before = await readdir(outside);
    const swap = `perl ${join(workspace, "redteam", "swap.pl")} swapped swapping 60`;
    const calls = Array.from({ length: isFullRun ? 150 : 25 }, (_, index) => ({
      tools: [
        { tool: "Read", input: { file_path: join(workspace, "swapped/.env") } },
        { tool: "Write", input: { file_path: join(workspace, `swapped/new-${index}.txt`), content: "inside\n" } },
        { tool: "Write", input: { file_path: join(workspace, `swapped/deep-${index}/new.txt`), content: "inside\n" } },
        { tool: "Glob", input: { pattern: "swapped/**" } },
        { tool: "Glob", input: { pattern: "**/*outside*" } },
        { tool: "Grep", input: { pattern: "canary-|outside", path: "swapped", output_mode: "content" } },
      ],
    }));
    const { session, events } = await runScript(app.client, {
      engine: "loop",
      sandbox: "bubblewrap",
      network: "none",
      profile: "free",
      max_turns: 1_000,
      prompt: {
        text: script({ tool: "Bash", input: { command: swap, run_in_background: true } }, ...calls, { say: "Done." }),
      },
    });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    await app.client.control(session.id, "close");
    expect(await readdir(outside)).toEqual(before);
    const said = JSON.stringify(events.filter(({ type }) => type === "item.completed"));
    expect(said).toContain("harmless");
    // The pattern is in the calls; the name and the content are not.
    expect(said).not.toContain("only-outside.txt");
    expectNoCanary(events);
  });
});
