import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../support/app.ts";
import { has } from "../support/programs.ts";
import { openCollector } from "./collector.ts";

const DOCUMENTED = new Set(["invoke_agent", "execute_tool", "chat", "count_tokens", "list_models", "get_model"]);

type Families = Readonly<Record<string, { readonly kind: string; readonly labels: readonly string[] }>>;

/** The tables of the page: every name with its kind and labels. */
function documented(): Families {
  const page = readFileSync("docs/operations/telemetry.md", "utf8");
  const section = page.slice(page.indexOf("## Metrics"), page.indexOf("### Worth an alarm"));
  const rows = [...section.matchAll(/^\| (`.+?) \| (counter|gauge|histogram|summary) \|/gm)];
  return Object.fromEntries(
    rows.flatMap(([, names = "", kind = ""]) =>
      [...names.matchAll(/`(\w+)(?:\{([^}]*)\})?`/g)].map(([, name = "", labels = ""]) => [
        name,
        { kind, labels: labels.split(",").filter(Boolean).toSorted() },
      ]),
    ),
  );
}

/** What a scrape shows: every family with its kind and the labels of its samples. */
function exposed(text: string): Families {
  const kinds = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", kind = ""]) => [name, kind]));
  const labels = new Map<string, Set<string>>();
  for (const [, sample = "", pairs = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const name = kinds.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, "");
    const known = labels.get(name) ?? new Set();
    for (const [, label = ""] of pairs.matchAll(/(\w+)="/g)) if (label !== "le") known.add(label);
    labels.set(name, known);
  }
  return Object.fromEntries(
    [...kinds].map(([name, kind]) => [name, { kind, labels: [...(labels.get(name) ?? [])].toSorted() }]),
  );
}

describe("traces of a running server", () => {
  it("a chat says who answered, where and why it ended; nothing is named request", async () => {
    const collector = await openCollector();
    const app = await openTestApp({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await runScript(app.client, { model: "sim", prompt: { text: script({ say: "Hello." }) } });
    await app[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
    const chats = collector.spans.filter(({ name }) => name.startsWith("chat"));
    expect(chats.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "sim",
        "gen_ai.response.model": "sim",
        "gen_ai.response.id": expect.stringMatching(/^msg_/),
        "gen_ai.response.finish_reasons": ["end_turn"],
        "server.address": "127.0.0.1",
        "server.port": expect.any(Number),
      }),
    ]);
    const operations = new Set(collector.spans.map(({ attributes }) => attributes["gen_ai.operation.name"]));
    expect([...operations].filter((name) => !DOCUMENTED.has(String(name)))).toEqual([]);
    expect(collector.spans.filter(({ attributes }) => attributes["gen_ai.request.model"] === "")).toEqual([]);
  });
});

describe("metrics of a running server", () => {
  let app: TestApp;
  let collector: Awaited<ReturnType<typeof openCollector>>;
  let text = "";
  const scrape = async (): Promise<string> => {
    const { url, token } = app.serving;
    return (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  };
  const value = (line: string): number => Number(new RegExp(`^${line} (\\S+)$`, "m").exec(text)?.[1]);

  beforeAll(async () => {
    collector = await openCollector();
    app = await openTestApp({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const { client, serving } = app;
    const session = await client.createSession({
      model: "sim",
      autonomy: "supervised",
      max_cost_microusd: 1,
      prompt: { text: script({ tool: "Bash", input: { command: "true" } }, { say: "Done." }) },
    });
    const socket = new WebSocket(`${serving.url.replace("http", "ws")}/api/ws`, {
      headers: { authorization: `Bearer ${serving.token}` },
    });
    await once(socket, "open");
    for await (const event of client.watch(session.id)) {
      if (event.type === "approval.requested") {
        // In the first millisecond of a question its age is zero, and a young server has not sampled its event loop yet.
        do text = await scrape();
        while (
          value("sallyport_oldest_question_seconds") === 0 ||
          value("sallyport_event_loop_delay_seconds_count") === 0
        );
        await approveWith(client)(event.approval);
      }
      if (event.type === "turn.completed" || event.type === "turn.failed") break;
    }
    socket.close();
  });

  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });

  it("shows what happens while a question waits", () => {
    expect([
      value("sallyport_open_sockets"),
      value("sallyport_pending_approvals"),
      value("sallyport_oldest_question_seconds") > 0,
      value("sallyport_session_keys") > 0,
      value("sallyport_model_requests_open") >= 0,
      value("process_open_fds") > 10,
      value("sallyport_store_commit_seconds_count") > 0,
      value("sallyport_event_loop_delay_seconds_count") > 0,
      value('sallyport_http_requests_total\\{method="POST",route="/api/sessions",status="201"\\}'),
    ]).toEqual([1, 1, true, true, true, true, true, true, 1]);
  });

  it("counts requests by their route, however many paths there are", async () => {
    const { url, token } = app.serving;
    const headers = { authorization: `Bearer ${token}` };
    for (const path of [
      "/api/sessions/ses_a",
      "/api/sessions/ses_b",
      "/claude/sessions/ses_c/status",
      "/api/none",
      "/none",
    ])
      await (await fetch(`${url}${path}`, { headers })).text();
    await (await fetch(`${url}/api/sessions/ses_d`)).text();
    text = await scrape();
    const lines = text.split("\n").filter((line) => /^sallyport_http_requests_total.*status="40[14]"/.test(line));
    expect(lines.toSorted()).toEqual([
      'sallyport_http_requests_total{method="GET",route="/api/sessions/:id",status="401"} 1',
      'sallyport_http_requests_total{method="GET",route="/api/sessions/:id",status="404"} 2',
      'sallyport_http_requests_total{method="GET",route="/claude/*",status="404"} 1',
      'sallyport_http_requests_total{method="GET",route="other",status="404"} 2',
    ]);
  });

  it("is what the page says, in both directions: names, kinds and labels", async () => {
    const shown = exposed(await scrape());
    // A counter that nothing has happened to has no labels to show yet.
    const quiet = Object.entries(documented()).map(([name, { kind, labels }]) => {
      const idle = shown[name]?.labels.length === 0;
      return [name, { kind, labels: idle ? [] : labels }] as const;
    });
    expect(shown).toEqual(Object.fromEntries(quiet));
  });

  it.skipIf(!has("promtool"))("is clean to promtool", async () => {
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: await scrape() });
    expect({ status, stdout: String(stdout), stderr: String(stderr) }).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});
