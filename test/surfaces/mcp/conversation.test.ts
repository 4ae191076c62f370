import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MountClient } from "../../../src/client/files.ts";
import { openTestApp, script, type TestApp } from "../../support/app.ts";
import { call, connect, DOORS, type Connected } from "./world.ts";

const TOOLS = [
  "claude_approve",
  "claude_fork",
  "claude_new",
  "claude_prompt",
  "claude_read",
  "claude_stop",
  "claude_wait",
  "compute_new",
  "containers_new",
];

let app: TestApp;

beforeAll(async () => {
  app = await openTestApp();
});

afterAll(() => app[Symbol.asyncDispose]());

/** Starts a session; answers its id. */
async function begin(mcp: Connected, initial_prompt: string, more: object = {}): Promise<string> {
  const { session_id } = await call(mcp, "claude_new", { model: "sim", initial_prompt, ...more });
  return String(session_id);
}

describe.each(DOORS)("the tree over $door, in the protocol's $era form", (door) => {
  let mcp: Connected;

  beforeAll(async () => {
    mcp = await connect(app, door);
  });

  afterAll(() => mcp.close());

  it("offers the nine tools and no other, with document 003's field names", async () => {
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(TOOLS);
    const created = tools.find(({ name }) => name === "claude_new");
    expect(created?.inputSchema.required).toEqual(["model"]);
    expect(Object.keys(created?.inputSchema.properties ?? {})).toEqual(
      expect.arrayContaining([
        "model",
        "system_prompt",
        "initial_prompt",
        "tools",
        "max_context_tokens",
        "tunnel_endpoint",
        "max_cost_usd",
        "idempotency_key",
        "resume_session_id",
        "timeout_ms",
        "autonomy",
      ]),
    );
    expect(mcp.client.getInstructions()).toContain("cannot approve");
  });

  it("starts a session, waits for it, sends more, forks it and stops it", async () => {
    const created = await call(mcp, "claude_new", { model: "sim", initial_prompt: script({ say: "First." }) });
    expect(created).toMatchObject({
      status: "creating",
      status_path: `/claude/sessions/${String(created["session_id"])}/status`,
    });
    const session_id = String(created["session_id"]);
    expect(await call(mcp, "claude_wait", { session_id })).toMatchObject({
      session_id,
      status: "idle",
      response: "First.\n",
      timed_out: false,
    });
    expect(await call(mcp, "claude_prompt", { session_id, prompt: script({ say: "Second." }) })).toMatchObject({
      session_id,
    });
    expect(await call(mcp, "claude_wait", { session_id })).toMatchObject({ status: "idle", response: "Second.\n" });
    expect(await call(mcp, "claude_read", { path: `/claude/sessions/${session_id}/output` })).toEqual({
      text: "First.\nSecond.\n",
      path: `/claude/sessions/${session_id}/output`,
      size: 15,
      offset: 0,
    });
    const fork = String((await call(mcp, "claude_fork", { session_id }))["session_id"]);
    await call(mcp, "claude_prompt", { session_id: fork, prompt: script({ say: "Otherwise." }) });
    expect(await call(mcp, "claude_wait", { session_id: fork })).toMatchObject({ response: "Otherwise.\n" });
    expect(await call(mcp, "claude_stop", { session_id })).toMatchObject({ status: "complete" });
    expect(await call(mcp, "claude_wait", { session_id })).toMatchObject({ status: "complete", timed_out: false });
    expect(await call(mcp, "claude_prompt", { session_id, prompt: "more" })).toMatchObject({
      failed: true,
      error: { code: "session_closed" },
    });
  });

  it("runs commands in a sandbox and asks a model once, as jobs", async () => {
    const container = await call(mcp, "containers_new", { commands: ["echo $((6 * 7))"], autonomy: "full" });
    const session_id = String(container["session_id"]);
    expect(await call(mcp, "claude_wait", { session_id })).toMatchObject({ status: "complete" });
    const result = await call(mcp, "claude_read", { path: container["result_path"] });
    expect(JSON.parse(String(result["text"]))).toMatchObject({ session_id, exit_code: 0, output: "42\n" });
    const input = { messages: [{ role: "user", content: script({ say: "Once." }) }] };
    const computation = await call(mcp, "compute_new", { model: "sim", input });
    const job = String(computation["job_id"]);
    expect(await call(mcp, "claude_wait", { session_id: job })).toMatchObject({ status: "complete" });
    const { contents } = await mcp.client.readResource({ uri: `compute:///jobs/${job}/result` });
    expect(contents).toMatchObject([{ mimeType: "application/json" }]);
    const { resources } = await mcp.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(["containers:///policy", "compute:///policy", "claude:///policy"]),
    );
  });

  it("waits for a person, who approves over REST meanwhile", async () => {
    const target = join(app.place.workspace, `${door.door}-${door.era}.txt`);
    const write = { tool: "Write", input: { file_path: target, content: "approved\n" } };
    const session_id = await begin(mcp, script(write, { say: "Written." }));
    const asked = await call(mcp, "claude_wait", { session_id });
    expect(asked).toMatchObject({
      status: "pending_approval",
      tool: "Write",
      params: write.input,
      pending_tools: [{ tool: "Write", params: write.input }],
      timed_out: false,
    });
    // Whoever wants only the end waits on.
    const ended = call(mcp, "claude_wait", { session_id, until: ["idle"] });
    const [approval] = (await app.client.approvals({ status: "pending", session_id })).approvals;
    await app.client.decide(approval?.id ?? "", { decision: "approve", input_hash: approval?.input_hash ?? "" });
    expect(await ended).toMatchObject({ status: "idle", response: "Written.\n" });
    expect(await readFile(target, "utf8")).toBe("approved\n");
  });

  it("waits no longer than it was told, and says so", async () => {
    const session_id = await begin(mcp, script({ delay_ms: 60_000 }));
    await expect.poll(async () => (await app.client.session(session_id)).status).toBe("working");
    expect(await call(mcp, "claude_wait", { session_id, timeout_ms: 0 })).toMatchObject({
      status: "working",
      timed_out: true,
    });
    expect(await call(mcp, "claude_wait", { session_id, timeout_ms: 50 })).toMatchObject({ timed_out: true });
    await call(mcp, "claude_stop", { session_id });
  });

  it("lets a wait be cancelled; the session goes on, and nobody follows it any more", async () => {
    const session_id = await begin(mcp, script({ say: "Long." }, { delay_ms: 60_000 }));
    const stop = new AbortController();
    const waiting = call(mcp, "claude_wait", { session_id }, { signal: stop.signal });
    await watchers(session_id, 1);
    stop.abort();
    await expect(waiting).rejects.toThrow();
    await watchers(session_id, 0);
    expect((await app.client.session(session_id)).status).toBe("working");
    await call(mcp, "claude_stop", { session_id });
  });

  it("tells of progress while it waits", async () => {
    const go = join(app.place.workspace, `go-${door.door}-${door.era}`);
    // It works until somebody follows it.
    const wait = { tool: "Bash", input: { command: `until [ -e ${go} ]; do sleep 0.01; done` } };
    const look = { tool: "Glob", input: { pattern: "*" } };
    const session_id = await begin(mcp, script(wait, look, { say: "end" }), { autonomy: "full" });
    const told: (string | undefined)[] = [];
    const ended = call(
      mcp,
      "claude_wait",
      { session_id },
      { onprogress: ({ message }) => told.push(message), resetTimeoutOnProgress: true },
    );
    await watchers(session_id, 1);
    await writeFile(go, "");
    expect(await ended).toMatchObject({ status: "idle" });
    expect(told).toContain("Glob");
  });

  it("lists and reads every readable file as a resource", async () => {
    const session_id = await begin(mcp, script({ say: "Read me." }));
    await call(mcp, "claude_wait", { session_id });
    const { resources } = await mcp.client.listResources();
    const uris = resources.map(({ uri }) => uri);
    const files = [
      "status",
      "response",
      "response.json",
      "output",
      "context",
      "error",
      "usage",
      "tools/log",
      "tools/pending",
    ];
    expect(uris).toEqual(expect.arrayContaining(files.map((file) => `claude:///sessions/${session_id}/${file}`)));
    expect(uris).toEqual(
      expect.arrayContaining(["claude:///policy", "claude:///usage", "claude:///providers/sim/info"]),
    );
    for (const uri of uris.filter((uri) => !uri.includes("/sessions/") || uri.includes(session_id))) {
      const { contents } = await mcp.client.readResource({ uri });
      expect(contents).toMatchObject([{ uri, text: expect.any(String) as unknown }]);
      const [content] = contents;
      if (content?.mimeType === "application/json" && "text" in content) JSON.parse(content.text);
    }
    const { contents } = await mcp.client.readResource({ uri: `claude:///sessions/${session_id}/output` });
    expect(contents).toEqual([
      { uri: `claude:///sessions/${session_id}/output`, mimeType: "text/plain", text: "Read me.\n" },
    ]);
  });

  it("leaves out no file of a session that can be read", async () => {
    const session_id = await begin(mcp, script({ say: "Read me." }));
    const folder = `/claude/sessions/${session_id}`;
    const files = new MountClient({ url: app.serving.url, token: app.serving.token });
    const names = [
      ...(await files.list(folder)).filter(({ is_dir }) => !is_dir).map(({ name }) => name),
      ...(await files.list(`${folder}/tools`)).map(({ name }) => `tools/${name}`),
    ];
    const readable: string[] = [];
    // A fork answers only what is written to it.
    for (const name of names)
      if (name !== "fork" && (await files.stat(`${folder}/${name}`)).readable) readable.push(name);
    const { resources } = await mcp.client.listResources();
    const listed = resources.flatMap(({ uri }) => uri.split(`${session_id}/`)[1] ?? []);
    expect(listed.toSorted()).toEqual(readable.toSorted());
  });

  it("names each kind of file by a template", async () => {
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      ...[
        "status",
        "response",
        "response.json",
        "output",
        "context",
        "error",
        "usage",
        "changes",
        "tools/log",
        "tools/pending",
      ].map((file) => `claude:///sessions/{session_id}/${file}`),
      ...["info", "models", "health"].map((file) => `claude:///providers/{provider_id}/${file}`),
      ...["status", "isolation", "sessions", "metrics"].map((file) => `claude:///workers/{worker_id}/${file}`),
      ...["status", "result", "output", "usage", "tools/pending"].map(
        (file) => `containers:///sessions/{session_id}/${file}`,
      ),
      ...["info", "health"].map((file) => `containers:///providers/{provider_id}/${file}`),
      ...["status", "result", "stream"].map((file) => `compute:///jobs/{job_id}/${file}`),
      ...["info", "models", "health"].map((file) => `compute:///providers/{provider_id}/${file}`),
    ]);
  });

  it("tells who subscribed of status, output, log and questions, and of nothing after that", async () => {
    const session_id = await begin(mcp, "help");
    await call(mcp, "claude_wait", { session_id });
    const uri = (file: string): string => `claude:///sessions/${session_id}/${file}`;
    const wanted = ["status", "output", "tools/log", "tools/pending"].map(uri);
    const leave = await mcp.subscribe(...wanted);
    mcp.changed.splice(0);
    await call(mcp, "claude_prompt", {
      session_id,
      prompt: script({ say: "Asking." }, { tool: "Bash", input: { command: "echo hi" } }, { say: "Done." }),
    });
    await mcp.until(() => wanted.every((one) => mcp.changed.includes(one)));
    expect(JSON.parse(await textOf(mcp, uri("tools/pending")))).toMatchObject([{ tool: "Bash" }]);
    const before = mcp.changed.filter((one) => one === uri("tools/pending")).length;
    const [approval] = (await app.client.approvals({ status: "pending", session_id })).approvals;
    await app.client.decide(approval?.id ?? "", { decision: "approve", input_hash: approval?.input_hash ?? "" });
    await mcp.until(() => mcp.changed.filter((one) => one === uri("tools/pending")).length > before);
    expect(await call(mcp, "claude_wait", { session_id, until: ["idle"] })).toMatchObject({ status: "idle" });
    expect(new Set(mcp.changed)).toEqual(new Set(wanted));
    await leave();
    await watchers(session_id, 0);
    mcp.changed.splice(0);
    await call(mcp, "claude_prompt", { session_id, prompt: script({ say: "Unheard." }) });
    await call(mcp, "claude_wait", { session_id });
    expect(mcp.changed).toEqual([]);
  });

  it.each([
    ["a file that does not change by itself", "claude:///policy"],
    ["a session that is not there", "claude:///sessions/ses_none/status"],
    ["a file that is not there", "claude:///sessions/ses_none/nothing"],
    ["what is no address of the tree", "file:///etc/passwd"],
    ["a way out of the tree", "claude:///sessions/../../api/tokens"],
    ["a way out that is hidden", "claude:///sessions/%2e%2e/%2e%2e/api/tokens"],
  ])("refuses to subscribe to %s", async (_what, uri) => {
    await expect(mcp.subscribe(uri)).rejects.toThrow();
  });

  it.each([
    ["no file", "claude:///nothing"],
    ["nobody's session", "claude:///sessions/ses_none/status"],
    ["a folder", "claude:///sessions"],
    ["what can only be written", "claude:///new"],
    ["another scheme", "file:///etc/passwd"],
    ["a way out", "claude:///../api/tokens"],
    ["a broken address", "claude:///%zz"],
  ])("refuses to read %s", async (_what, uri) => {
    await expect(mcp.client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
  });

  it("refuses a cursor that is none", async () => {
    await expect(mcp.client.listResources({ cursor: "nowhere" })).rejects.toMatchObject({ code: -32_602 });
  });

  it.each([
    ["claude_new", {}, "invalid_request", "model"],
    ["claude_new", { model: "sim", max_cost_usd: -1 }, "invalid_request", "max_cost_usd"],
    ["claude_new", { model: "sim", wild: true }, "invalid_request", "wild"],
    ["claude_new", { model: "sim", autonomy: "wild" }, "invalid_request", "autonomy"],
    ["claude_new", { model: "sim", tools: [{ name: "" }] }, "invalid_request", "tools.0.name"],
    ["claude_new", { model: "sim", resume_session_id: "ses_none" }, "not_found", ""],
    ["claude_prompt", { session_id: "ses_none", prompt: "hi" }, "not_found", "ses_none"],
    ["claude_prompt", { session_id: "../policy", prompt: "hi" }, "invalid_request", "session_id"],
    ["claude_prompt", { session_id: "ses_none" }, "invalid_request", "prompt"],
    ["claude_prompt", { session_id: "ses_none", prompt: "" }, "invalid_request", "prompt"],
    ["claude_wait", { session_id: "ses_none" }, "not_found", "ses_none"],
    ["claude_wait", { session_id: "x", until: [] }, "invalid_request", "until"],
    ["claude_wait", { session_id: "x", until: ["wild"] }, "invalid_request", "until.0"],
    ["claude_wait", { session_id: "x", timeout_ms: -1 }, "invalid_request", "timeout_ms"],
    ["claude_wait", { session_id: "x", timeout_ms: 1e12 }, "invalid_request", "timeout_ms"],
    ["claude_read", {}, "invalid_request", "path"],
    ["claude_read", { path: "/claude/nothing" }, "not_found", ""],
    ["claude_read", { path: "/claude/../api/tokens" }, "invalid_request", ""],
    ["claude_read", { path: "sessions//x" }, "invalid_request", ""],
    ["claude_read", { path: "policy", offset: -1 }, "invalid_request", "offset"],
    ["claude_read", { path: "policy", limit: 0 }, "invalid_request", "limit"],
    ["claude_fork", { session_id: "ses_none" }, "not_found", "ses_none"],
    ["claude_stop", { session_id: "ses_none" }, "not_found", "ses_none"],
    ["claude_stop", { session_id: 7 }, "invalid_request", "session_id"],
  ])("%s refuses %j: %s", async (tool, input, code, words) => {
    const answer = await call(mcp, tool, input);
    expect(answer).toMatchObject({ failed: true, error: { code } });
    expect(answer["text"]).toContain(`${code}: `);
    expect(answer["text"]).toContain(words);
  });

  it("gives a file to clients that show text and to those that show data, whole characters at a time", async () => {
    const session_id = await begin(mcp, script({ say: "aé€" }));
    await call(mcp, "claude_wait", { session_id });
    const parts: unknown[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const path = `sessions/${session_id}/output`;
      const result = await mcp.client.callTool({ name: "claude_read", arguments: { path, offset, limit: 3 } });
      const data = result.structuredContent as { readonly text: string; readonly next_offset?: number };
      parts.push([result.content, data.text]);
      offset = data.next_offset;
    }
    expect(parts).toEqual(["aé", "€", "\n"].map((text) => [[{ type: "text", text }], text]));
  });

  it("describes every argument and every answer", async () => {
    const { tools } = await mcp.client.listTools();
    for (const { name, inputSchema, outputSchema } of tools) {
      const properties = Object.entries((inputSchema.properties ?? {}) as Record<string, { description?: string }>);
      expect([name, properties.filter(([, { description }]) => description === undefined)]).toEqual([name, []]);
      expect([name, outputSchema?.type]).toEqual([name, "object"]);
    }
  });

  it("refuses a tool that is not there", async () => {
    await expect(call(mcp, "claude_nothing", {})).rejects.toMatchObject({ code: -32_602 });
  });

  it("reads a long file in parts, and lists a folder", async () => {
    const session_id = await begin(mcp, script({ say: "abcdefghij" }));
    await call(mcp, "claude_wait", { session_id });
    const path = `sessions/${session_id}/output`;
    expect(await call(mcp, "claude_read", { path, limit: 4 })).toMatchObject({
      text: "abcd",
      size: 11,
      next_offset: 4,
    });
    expect(await call(mcp, "claude_read", { path, offset: 8 })).toEqual({
      text: "ij\n",
      path: `/claude/${path}`,
      size: 11,
      offset: 8,
    });
    expect(await call(mcp, "claude_read", { path: `claude:///sessions/${session_id}` })).toMatchObject({
      entries: expect.arrayContaining([{ name: "status", is_dir: false, size: 0 }]) as unknown,
    });
  });
});

/** Waits until so many follow a session: the server says how many do. */
async function watchers(session_id: string, wanted: number): Promise<void> {
  const headers = { authorization: `Bearer ${app.serving.token}` };
  const metrics = async (): Promise<string> => (await fetch(`${app.serving.url}/metrics`, { headers })).text();
  await expect.poll(metrics, { message: session_id }).toMatch(new RegExp(`^sallyport_watchers ${wanted}$`, "m"));
}

async function textOf({ client }: Connected, uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  return content !== undefined && "text" in content ? content.text : "";
}
