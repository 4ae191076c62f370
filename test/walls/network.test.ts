import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  isToolItem,
  LIMITS,
  NETWORK_TOOL,
  outputText,
  type Approval,
  type CreateSession,
  type Decision,
  type JournalEvent,
  type Profile,
} from "../../src/protocol/index.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { addressOf, gitBackend, openTarget, type LoopbackTarget } from "../support/egress-targets.ts";
import { LIFE_ENGINES } from "../support/life-script.ts";
import { TEST_TOKEN } from "../support/server.ts";
import { describeWithWalls } from "../support/walls.ts";

let app: TestApp;
let target: LoopbackTarget;
beforeAll(async () => {
  app = await openTestApp({ SALLYPORT_SANDBOX: "auto" }, { addressOf });
  target = await openTarget();
});
afterAll(async () => {
  await target.close();
  await app[Symbol.asyncDispose]();
});
beforeEach(() => setProfile({}));

async function setProfile(profile: Profile): Promise<void> {
  const usual: Profile = { allow: ["Bash"], max_autonomy: "full" };
  await app.client.setPolicy({ default_profile: "net", profiles: { net: { ...usual, ...profile } } });
}

type Answer = Omit<Decision, "input_hash">;

interface Ran {
  readonly session: string;
  readonly events: readonly JournalEvent[];
  /** The questions about hosts, in their order. */
  readonly asked: readonly Approval[];
  /** What the commands printed. */
  readonly output: string;
}

/** Runs commands in a sandbox, one after the other. */
async function run(
  commands: readonly string[],
  options: {
    readonly answer?: ((approval: Approval) => Answer | undefined | Promise<Answer | undefined>) | undefined;
    readonly session?: CreateSession | string;
  } = {},
): Promise<Ran> {
  const { answer, session: given = {} } = options;
  const steps = commands.map((command) => ({ tool: "Bash", input: { command } }));
  const text = script(...steps, { say: "Done." });
  const id = typeof given === "string" ? given : (await app.client.createSession({ ...given, prompt: { text } })).id;
  const after = typeof given === "string" ? (await app.client.prompt(id, { text })).seq : 0;
  const asked: Approval[] = [];
  const events = await untilTurnEnds(app.client, id, {
    after: Math.max(0, after - 1),
    answer: async (approval) => {
      asked.push(approval);
      const decision = await answer?.(approval);
      if (decision !== undefined)
        await app.client.decide(approval.id, { ...decision, input_hash: approval.input_hash });
    },
  });
  const output = events
    .flatMap((event) => (event.type === "item.completed" && isToolItem(event.item) ? [event.item] : []))
    .map((item) => outputText(item.output ?? []))
    .join("\n");
  expect(asked.every(({ tool }) => tool === NETWORK_TOOL)).toBe(true);
  return { session: id, events, asked, output };
}

const approve = (): Answer => ({ decision: "approve" });
const get = (host: string, options = ""): string => `curl -sS ${options} http://${host}:${target.port}/`;
const outcomesOf = (events: readonly JournalEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "approval.resolved" ? [event.outcome] : []));
const noticesOf = (events: readonly JournalEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "error" ? [event.message] : []));

async function refusals(reason: string): Promise<number> {
  const headers = { authorization: `Bearer ${TEST_TOKEN}` };
  const text = await (await fetch(`${app.serving.url}/metrics`, { headers })).text();
  const line = new RegExp(`^sallyport_egress_refusals_total\\{reason="${reason}"\\} (\\d+)$`, "m").exec(text);
  return Number(line?.[1] ?? 0);
}

describeWithWalls("a host that the profile allows", () => {
  it("is reached without a question, as a web request and through a tunnel", async () => {
    await setProfile({ egress_hosts: [`known.test:${target.port}`] });
    const { asked, output } = await run([get("known.test"), get("known.test", "-p")]);
    expect(output.match(/hello from outside/g)).toHaveLength(2);
    expect(asked).toEqual([]);
  });
});

describeWithWalls("a host that no rule allows", () => {
  it.each([
    ["full", { autonomy: "full" }],
    ["dontAsk", { permission_mode: "dontAsk" }],
  ] as const)("is refused in %s, counted, and told once", async (_, session) => {
    const before = await refusals("not_allowed");
    const { asked, output, events } = await run([get("other.test"), get("other.test")], { session });
    const sentence = `This session may not connect to other.test:${target.port}. Ask for the host other.test to be allowed, or work without it.`;
    expect(output.split(sentence)).toHaveLength(3);
    expect(asked).toEqual([]);
    expect(noticesOf(events)).toEqual([sentence]);
    expect((await refusals("not_allowed")) - before).toBe(2);
  });

  it("is asked about: the question says what a yes allows", async () => {
    const { asked, output, session } = await run([get("ask.test")], { answer: approve });
    const [question] = asked;
    expect(question).toMatchObject({
      session_id: session,
      tool: NETWORK_TOOL,
      tier: "network",
      item_id: "",
      input: { host: "ask.test", port: target.port },
      preview: {
        type: "network",
        summary: `A program wants to connect to ask.test:${target.port}.`,
        host: "ask.test",
        port: target.port,
      },
      session_rule: `Network(ask.test:${target.port})`,
      reason: `The profile net does not let programs in the sandbox reach ask.test:${target.port}.`,
      warnings: [],
    });
    expect(output).toContain("hello from outside");
  });

  it.each(LIFE_ENGINES)("is asked about with %s, whose own program asks for nothing", async (engine) => {
    const { asked, output } = await run([get("engine.test")], { session: { engine }, answer: approve });
    expect(asked.map(({ input }) => input["host"])).toEqual(["engine.test"]);
    expect(output).toContain("hello from outside");
  });

  it("is open for the rest of the turn after a yes, and asked about again in the next one", async () => {
    const first = await run([get("once.test"), get("once.test", "-p")], { answer: approve });
    expect([first.asked.length, first.output.match(/hello/g)?.length]).toEqual([1, 2]);
    const second = await run([get("once.test")], { answer: approve, session: first.session });
    expect([second.asked.length, second.output.match(/hello/g)?.length]).toEqual([1, 1]);
  });

  it("is open for the session after a yes for it, also when the server was started again", async () => {
    const first = await run([get("always.test")], { answer: () => ({ decision: "approve", scope: "session" }) });
    expect((await app.client.session(first.session)).grants).toEqual([`Network(always.test:${target.port})`]);
    const second = await run([get("always.test")], { session: first.session });
    await app.restart();
    const third = await run([get("always.test")], { session: first.session });
    for (const { asked, output } of [second, third]) {
      expect(asked).toEqual([]);
      expect(output).toContain("hello from outside");
    }
    // The policy's word is the last one.
    await setProfile({ deny: ["Network"] });
    const denied = await run([get("always.test")], { session: first.session });
    expect(denied.output).toContain("may not connect to always.test");
    expect(denied.asked).toEqual([]);
  });

  it("is refused for the rest of the turn after a no, with the reason", async () => {
    const before = await refusals("not_approved");
    const { asked, output, events } = await run([get("no.test"), get("no.test", "-p -w '%{http_connect}'")], {
      answer: () => ({ decision: "reject", feedback: "use the mirror" }),
    });
    expect(asked).toHaveLength(1);
    expect(output).toContain(
      `This session may not connect to no.test:${target.port}. A person refused it: use the mirror. Work without it in this turn.`,
    );
    expect(output).toContain("403");
    // The question told it already.
    expect(noticesOf(events)).toEqual([]);
    expect((await refusals("not_approved")) - before).toBe(2);
  });

  it("ends the turn where the no says so", async () => {
    const { events } = await run([get("stop.test"), "echo still here"], {
      answer: () => ({ decision: "reject", interrupt: true }),
    });
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
  });

  it("stays closed after a yes where the policy says no meanwhile", async () => {
    const { output } = await run([get("meanwhile.test")], {
      answer: async () => {
        await setProfile({ deny: ["Network"] });
        return approve();
      },
    });
    expect(output).toContain("may not connect to meanwhile.test");
  });

  it("is refused when nobody answers in time", async () => {
    await setProfile({ approval_timeout_ms: 1_000 });
    const { asked, output, events } = await run([get("late.test"), get("late.test")]);
    expect(asked).toHaveLength(1);
    expect(outcomesOf(events)).toEqual(["timed_out"]);
    expect(output.match(/Nobody answered in time/g)).toHaveLength(2);
  });

  it("is not asked about any more when the program is gone", async () => {
    const sign = join(app.place.workspace, "asked-1");
    const waitForIt = `${get("gone.test")} & program=$!; until [ -e ${sign} ]; do sleep 0.02; done; kill $program; wait $program; echo over`;
    const { events, output } = await run([waitForIt, get("gone.test")], {
      answer: async ({ id }) => {
        await writeFile(sign, "");
        // The second one is asked because the first was withdrawn.
        const answered = (await app.client.approvals({})).approvals.filter(({ status }) => status === "cancelled");
        return answered.some((approval) => approval.id !== id && approval.input["host"] === "gone.test")
          ? approve()
          : undefined;
      },
    });
    expect(output).toContain("over");
    expect(outcomesOf(events)).toEqual(["cancelled", "approved"]);
    expect(output).toContain("hello from outside");
  });

  it("is not asked about any more when the turn is over", async () => {
    const sign = join(app.place.workspace, "asked-2");
    const leave = `(${get("left.test")} > /dev/null 2>&1 &) ; until [ -e ${sign} ]; do sleep 0.02; done`;
    const { events, asked } = await run([leave], {
      answer: async () => {
        await writeFile(sign, "");
        return undefined;
      },
    });
    expect(asked).toHaveLength(1);
    expect(outcomesOf(events)).toEqual(["cancelled"]);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });

  it("is not asked about any more when the server was started again", async () => {
    const { id } = await app.client.createSession({
      prompt: { text: script({ tool: "Bash", input: { command: get("restart.test") } }, { say: "Done." }) },
    });
    for await (const frame of app.client.watch(id)) if (frame.type === "approval.requested") break;
    await app.restart();
    const events = await untilTurnEnds(app.client, id);
    expect(outcomesOf(events)).toEqual(["cancelled"]);
    expect(events.filter(({ type }) => type === "turn.failed")).toEqual([]);
  });

  it("is asked about once for two programs", async () => {
    const { asked, output } = await run([`${get("both.test")} & ${get("both.test", "-p")} & wait`], {
      answer: approve,
    });
    expect(asked).toHaveLength(1);
    expect(output.match(/hello from outside/g)).toHaveLength(2);
  });

  it("is refused after a yes where its name leads inside", async () => {
    const { asked, output } = await run([get("inside.test")], { answer: approve });
    expect(asked).toHaveLength(1);
    expect(output).toContain("is not on the open internet");
  });

  it("is never asked about where it is private by its looks", async () => {
    const { asked, output } = await run(
      ["10.0.0.1", "169.254.169.254", "[fd00::1]", "server", "box.local", "x.localhost."].map(
        (host) => `curl -gsS --noproxy none http://${host}:8080/`,
      ),
    );
    expect(asked).toEqual([]);
    expect(output.match(/may not connect to/g)).toHaveLength(6);
  });

  it("is shown as people write it, with a warning where letters look like others", async () => {
    const { asked } = await run([get("xn--80ak6aa92e.test")], { answer: () => ({ decision: "reject" }) });
    expect(asked[0]?.preview).toMatchObject({
      host: "xn--80ak6aa92e.test",
      summary: `A program wants to connect to xn--80ak6aa92e.test:${target.port} (аррӏе.test).`,
    });
    expect(asked[0]?.warnings).toEqual([
      { kind: "dangerous", message: expect.stringContaining("letters that look like others") as string },
    ]);
  });

  it("is one of a few that a turn may ask about, whatever the flood", async () => {
    const flood = `
      const http = require("node:http");
      const codes = {};
      let next = 0;
      const ask = () => {
        if (next === 1000) return;
        const request = http.get({ host: "127.0.0.1", port: 3128, path: "http://h" + next++ + ".test:${target.port}/", agent: false });
        request.on("response", (response) => {
          codes[response.statusCode] = (codes[response.statusCode] ?? 0) + 1;
          response.resume();
          response.on("end", ask);
        });
      };
      for (let each = 0; each < 40; each += 1) ask();
      process.on("exit", () => console.log(JSON.stringify(codes)));`;
    await writeFile(join(app.place.workspace, "flood.cjs"), flood);
    const { asked, output, events } = await run(["node flood.cjs"], { answer: approve });
    expect(asked).toHaveLength(LIMITS.networkQuestionsPerTurn);
    expect(output).toContain(
      JSON.stringify({ 200: LIMITS.networkQuestionsPerTurn, 403: 1_000 - LIMITS.networkQuestionsPerTurn }),
    );
    expect(noticesOf(events)).toHaveLength(LIMITS.egressNotices);
  });
});

describeWithWalls("who answers", () => {
  it("is a person: not an agent that may answer for its sessions, and not with another host", async () => {
    await setProfile({ approvers: ["creator"], for_agents: true });
    const agent = await app.as("agent", "creator");
    const created = await agent.createSession({
      prompt: { text: script({ tool: "Bash", input: { command: get("who.test") } }) },
    });
    const refused: unknown[] = [];
    await untilTurnEnds(app.client, created.id, {
      answer: async ({ id, input_hash, input }) => {
        const attempts = [
          () => agent.decide(id, { decision: "approve", input_hash }),
          () =>
            app.client.decide(id, { decision: "approve", input_hash, updated_input: { ...input, host: "else.test" } }),
        ];
        for (const attempt of attempts) await attempt().catch((error: unknown) => refused.push(error));
        await app.client.decide(id, { decision: "reject", input_hash });
      },
    });
    expect(refused).toMatchObject([
      { code: "forbidden", message: "only a person answers for Network" },
      { code: "invalid_request" },
    ]);
  });
});

describeWithWalls("programs that know proxies", () => {
  it("git clones from a host that was approved", async () => {
    const root = join(app.place.home, "..", "repositories");
    await mkdir(root);
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", join(root, "one.git")]);
    const source = join(root, "source");
    execFileSync("git", ["init", "-q", "-b", "main", source]);
    await writeFile(join(source, "cloned.txt"), "from the repository\n");
    const git = (...words: string[]): unknown =>
      execFileSync("git", ["-C", source, "-c", "user.name=t", "-c", "user.email=t@example.org", ...words]);
    git("add", ".");
    git("commit", "-qm", "one");
    git("push", "-q", join(root, "one.git"), "main");
    const server = await openTarget(gitBackend(root));
    const { asked, output } = await run(
      [`git clone -q http://git.test:${server.port}/one.git cloned && cat cloned/cloned.txt`],
      { answer: approve },
    );
    await server.close();
    expect(asked).toHaveLength(1);
    expect(output).toContain("from the repository");
  });

  it("npm reads from a registry that was approved", async () => {
    const registry = await openTarget((_, response) => {
      const version = { name: "thing", version: "1.2.3", dist: { tarball: "http://npm.test/thing.tgz" } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name: "thing", "dist-tags": { latest: "1.2.3" }, versions: { "1.2.3": version } }));
    });
    const { asked, output } = await run(
      [`npm view thing version --registry http://npm.test:${registry.port}/ --cache ./npm-cache`],
      { answer: approve },
    );
    await registry.close();
    expect(asked).toHaveLength(1);
    expect(output).toContain("1.2.3");
  });
});
