import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS, type Approval, type SaveTemplate } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  // The server's own folder lies in the workspace: nobody may see it there.
  app = await openTestApp({}, "home inside workspace");
});
afterAll(() => app[Symbol.asyncDispose]());

async function put(path: string, text = ""): Promise<void> {
  const whole = join(app.place.workspace, path);
  await mkdir(dirname(whole), { recursive: true });
  await writeFile(whole, text);
}

const refused = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => "not refused",
    (error: unknown) => (error as { readonly code?: unknown }).code,
  );

describe("who is asking", () => {
  it("is told what it may do, and nothing that it may not", async () => {
    const agent = await app.as("agent", "Robot");
    const viewer = await app.as("viewer", "Eve");
    const admin = await app.client.me();
    expect(admin).toMatchObject({ role: "admin", rights: { "policy.write": "all", "approval.decide": "all" } });
    expect(await agent.me()).toEqual({
      id: expect.stringMatching(/^tok_/) as unknown,
      name: "Robot",
      role: "agent",
      rights: {
        "session.create": "own",
        "session.read": "own",
        "session.control": "own",
        "approval.read": "own",
        "approval.answer": "own",
        "policy.read": "all",
        "policy.test": "all",
        "usage.read": "own",
        "project.read": "own",
        "project.write": "own",
        "workspace.choose": "own",
        "workspace.read": "own",
        "connection.use": "own",
        "identity.use": "own",
      },
      bounds: {},
    });
    const { rights } = await viewer.me();
    expect([rights["session.read"], rights["session.create"], rights["template.write"]]).toEqual([
      "all",
      undefined,
      undefined,
    ]);
  });

  it("is told of every engine, also of those that cannot be used here", async () => {
    const { engines } = await app.client.engines();
    expect(engines[0]).toMatchObject({ id: "loop", available: true, wires: expect.any(Array) as unknown });
    expect(engines[0]?.capabilities).toMatchObject({ streaming: true, fork: true });
    for (const { available, advice } of engines) expect(available).toBe(advice === undefined);
  });
});

describe("folders", () => {
  beforeAll(async () => {
    for (const path of ["src/a.ts", "docs/x.md", ".git/config", "node_modules/m/i.js", ".hidden/x", "src/deep/b.ts"])
      await put(path);
    await symlink("/", join(app.place.workspace, "out"));
    await symlink(join(app.place.workspace, "src"), join(app.place.workspace, "source"));
    await symlink(app.place.home, join(app.place.workspace, "own"));
  });

  it("are listed below the roots only, without what is hidden or the server's own", async () => {
    const { workspace } = app.place;
    const roots = await app.client.folders();
    expect(roots).toMatchObject({ folders: [{ path: workspace }], truncated: false });
    const top = await app.client.folders({ path: workspace });
    expect(top).toEqual({
      path: workspace,
      folders: ["docs", "source", "src"].map((name) => ({ name, path: join(workspace, name) })),
      truncated: false,
    });
    expect(await app.client.folders({ path: join(workspace, "source") })).toEqual({
      path: join(workspace, "src"),
      parent: workspace,
      folders: [{ name: "deep", path: join(workspace, "src", "deep") }],
      truncated: false,
    });
    expect(await (await app.as("agent")).folders({ path: "src" })).toMatchObject({ path: join(workspace, "src") });
  });

  it.each([
    ["/", "forbidden"],
    ["..", "forbidden"],
    ["src/../..", "forbidden"],
    ["out", "forbidden"],
    ["out/etc", "forbidden"],
    ["own", "forbidden"],
    [".sallyport", "forbidden"],
    [".sallyport/output", "forbidden"],
    ["nowhere", "not_found"],
    ["src/a.ts", "not_found"],
    ["a\0b", "invalid_request"],
  ])("of %j are %s", async (path, code) => {
    expect(await refused(app.client.folders({ path }))).toBe(code);
  });

  it("are not shown to who may not start sessions", async () => {
    expect(await refused((await app.as("viewer")).folders())).toBe("forbidden");
  });

  it("are as many as may be told", async () => {
    const { workspace } = app.place;
    const names = Array.from({ length: LIMITS.foldersListed + 1 }, (_, index) => `many/f${index}`);
    for (const name of names) await mkdir(join(workspace, name), { recursive: true });
    const { folders, truncated } = await app.client.folders({ path: "many" });
    expect([folders.length, truncated]).toEqual([LIMITS.foldersListed, true]);
  });
});

describe("files of a session", () => {
  it("are found by a few letters, without what git ignores, secrets and the server's own", async () => {
    const paths = ["app/server.ts", "app/server.test.ts", "app/.env", ".env.local", "app/id_rsa", "app/tls.pem"];
    for (const path of [...paths, "build/server.js", ".github/workflows/ci.yml"]) await put(path);
    await put(".gitignore", "build/\n");
    const session = await app.client.createSession({ workspace: app.place.workspace });
    const find = async (query: string): Promise<readonly string[]> =>
      (await app.client.files(session.id, { query })).files;
    expect(await find("server")).toEqual(["app/server.ts", "app/server.test.ts"]);
    expect(await find("ci.yml")).toEqual([".github/workflows/ci.yml"]);
    expect(await find("aps")).toEqual(["app/server.ts", "app/server.test.ts"]);
    for (const secret of ["env", "id_rsa", "tls.pem", "sallyport.db", "token", "config"])
      expect(await find(secret)).toEqual([]);
    const all = await app.client.files(session.id, { limit: 1 });
    expect(all).toEqual({ files: [".gitignore"], truncated: true });
    const agent = await app.as("agent");
    expect(await refused(agent.files(session.id))).toBe("not_found");
  });

  it("are not to be had when the workspace is gone", async () => {
    const { rm } = await import("node:fs/promises");
    await put("gone/x");
    const session = await app.client.createSession({ workspace: "gone" });
    await rm(join(app.place.workspace, "gone"), { recursive: true });
    expect(await refused(app.client.files(session.id))).toBe("workspace_missing");
  });
});

describe("templates", () => {
  const review: SaveTemplate = { name: "Review", session: { autonomy: "read_only", prompt: { text: "Review it." } } };

  it("are kept, replaced, deleted, audited, and there after a restart", async () => {
    const operator = await app.as("operator", "Olga");
    const saved = await operator.saveTemplate("review", review);
    expect(saved).toEqual({
      id: "review",
      ...review,
      updated_at: expect.any(String) as unknown,
      updated_by: expect.objectContaining({ name: "Olga", role: "operator" }) as unknown,
    });
    await app.client.saveTemplate("a", { name: "Another", session: {} });
    await app.client.saveTemplate("a", { name: "Zebra", session: {} });
    await app.restart();
    expect((await app.client.templates()).templates.map(({ id, name }) => [id, name])).toEqual([
      ["review", "Review"],
      ["a", "Zebra"],
    ]);
    await app.client.deleteTemplate("a");
    expect(await refused(app.client.deleteTemplate("a"))).toBe("not_found");
    expect((await app.client.templates()).templates).toEqual([saved]);
    const { entries } = await app.client.audit({ action: "template." });
    expect(entries.map(({ action, target, by }) => `${action} ${target} ${by.role}`).sort()).toEqual([
      "template.delete a admin",
      "template.set a admin",
      "template.set a admin",
      "template.set review operator",
    ]);
  });

  it("are written by people, read by whoever may start sessions", async () => {
    const agent = await app.as("agent");
    expect((await agent.templates()).templates.length).toBe(1);
    expect(await refused(agent.saveTemplate("mine", review))).toBe("forbidden");
    expect(await refused((await app.as("viewer")).templates())).toBe("forbidden");
  });

  it("have bounds", async () => {
    const text = "x".repeat(LIMITS.templateChars);
    expect(await refused(app.client.saveTemplate("long", { name: "Long", session: { prompt: { text } } }))).toBe(
      "payload_too_large",
    );
    expect(await refused(app.client.saveTemplate("a/b", review))).toBe("invalid_request");
    expect(await refused(app.client.saveTemplate("bad", { name: "", session: {} }))).toBe("invalid_request");
    await Promise.all(
      Array.from({ length: LIMITS.templates - 1 }, (_, index) => app.client.saveTemplate(`t${index}`, review)),
    );
    expect(await refused(app.client.saveTemplate("one-more", review))).toBe("limit_reached");
    expect((await app.client.saveTemplate("t1", { ...review, name: "Changed" })).name).toBe("Changed");
  });
});

describe("an edit of an approval", () => {
  const bash = (command: string): string => script({ tool: "Bash", input: { command } }, { say: "end" });

  it("is shown as it would be asked for, and nothing is decided", async () => {
    const seen: unknown[] = [];
    const file_path = join(app.place.workspace, "e.txt");
    await runScript(
      app.client,
      { prompt: { text: script({ tool: "Write", input: { file_path, content: "one\n" } }, { say: "end" }) } },
      async (approval) => {
        const input = { ...approval.input, content: "two\n" };
        seen.push(await app.client.previewEdit(approval.id, { input }));
        const outside = await app.client.previewEdit(approval.id, { input: { ...input, file_path: "/etc/x" } });
        seen.push(outside.ruling.effect);
        seen.push((await app.client.approval(approval.id)).status);
        seen.push(await refused((await app.as("viewer")).previewEdit(approval.id, { input })));
        await approveWith(app.client)(approval);
        seen.push(await refused(app.client.previewEdit(approval.id, { input })));
      },
    );
    expect(seen).toEqual([
      {
        preview: expect.objectContaining({
          type: "diff",
          file: expect.objectContaining({ new_content: "two\n" }),
        }) as unknown,
        warnings: [],
        ruling: expect.objectContaining({ effect: "ask" }) as unknown,
      },
      "deny",
      "pending",
      "forbidden",
      "already_answered",
    ]);
    expect(await refused(app.client.previewEdit("apr_none", { input: {} }))).toBe("not_found");
  });

  it("is the same preview that a question about that input has", async () => {
    const asked: Approval[] = [];
    const previews: unknown[] = [];
    for (const command of ["echo a > x.txt", "sudo rm -rf y | cat"]) {
      await runScript(app.client, { prompt: { text: bash(command) } }, async (approval) => {
        asked.push(approval);
        previews.push(await app.client.previewEdit(approval.id, { input: { command: "sudo rm -rf y | cat" } }));
        await app.client.decide(approval.id, { decision: "reject", input_hash: approval.input_hash });
      });
    }
    const [{ preview, warnings }] = asked.slice(1) as [Approval];
    expect(previews).toEqual([
      expect.objectContaining({ preview, warnings }),
      expect.objectContaining({ preview, warnings }),
    ]);
    expect(warnings.length).toBeGreaterThan(0);
  });
});

describe("the audit log", () => {
  it("tells of every decision and of every change by an admin, by action and by who did it", async () => {
    const admin = await app.as("admin", "=Anna");
    const { id } = await admin.me();
    const token = await admin.createToken({ role: "viewer", name: "short" });
    await admin.deleteToken(token.id);
    await admin.setPolicy(await admin.policy());
    await admin.testProvider("sim");
    await admin.saveTemplate("t1", { name: "One", session: {} });
    const session = await admin.createSession({});
    await admin.setBudget(session.id, { max_cost_microusd: 1_000_000 });
    for (const decision of ["approve", "reject"] as const) {
      await runScript(
        app.client,
        { prompt: { text: script({ tool: "Bash", input: { command: "echo hi" } }, { say: "end" }) } },
        ({ id: approval_id, input_hash, session_rule }) =>
          admin.decide(approval_id, {
            decision,
            input_hash,
            ...(decision === "approve" && session_rule !== undefined ? { scope: "session" } : {}),
            ...(decision === "reject" ? { feedback: "=1+1" } : {}),
          }),
      );
    }
    const { entries } = await app.client.audit({ by: id });
    expect(entries.map(({ action, target }) => `${action} ${target.replace(/_.*/, "")}`).sort()).toEqual([
      "approval.decide apr",
      "approval.decide apr",
      "budget.set ses",
      "policy.set policy",
      "provider.test sim",
      "session.create ses",
      "template.set t1",
      "token.create tok",
      "token.delete tok",
    ]);
    const decisions = await app.client.audit({ by: id, action: "approval" });
    expect(decisions.entries).toEqual(entries.slice(0, 2));
    expect(decisions.entries.map(({ details }) => details)).toMatchObject([
      { decision: "reject", feedback: "=1+1", tool: "Bash" },
      { decision: "approve", scope: "session", granted_rule: "Bash(echo hi)" },
    ]);
    const { csv } = await app.client.auditCsv({ by: id });
    const lines = csv.split("\r\n");
    expect([lines.length, lines[0]]).toEqual([11, "at,by_id,by_name,by_role,action,target,details,id"]);
    // What a spreadsheet would take for a formula is text.
    expect(lines[1]).toContain(`,${id},"'=Anna",admin,approval.decide,apr_`);
  });

  it("tells of prices that were set in the file, while the server ran or before", async () => {
    const file = join(app.place.home, "sallyport.yaml");
    const changes = async (): Promise<readonly unknown[]> => {
      const { entries } = await app.client.audit({ action: "price." });
      // Lines of the same millisecond have no order.
      return entries.map(({ action, target, by }) => `${action} ${target} ${by.role}`).sort();
    };
    await writeFile(file, "prices:\n  one: { input: 1, output: 2 }\n");
    await app.restart();
    expect(await changes()).toEqual(["price.set one system"]);
    await app.restart();
    await writeFile(file, "prices:\n  one: { input: 1, output: 3 }\n  two: { input: 1, output: 2 }\n");
    await app.restart();
    await writeFile(file, "prices: {}\n");
    await app.restart();
    expect(await changes()).toEqual([
      "price.remove one system",
      "price.remove two system",
      "price.set one system",
      "price.set one system",
      "price.set two system",
    ]);
  });

  it("tells when nobody answered in time", async () => {
    const policy = await app.client.policy();
    const { default_profile } = policy;
    await app.client.setPolicy({
      ...policy,
      profiles: {
        ...policy.profiles,
        [default_profile]: { ...policy.profiles[default_profile], approval_timeout_ms: 1_000 },
      },
    });
    let asked = "";
    await runScript(
      app.client,
      { prompt: { text: script({ tool: "Bash", input: { command: "echo late" } }, { say: "end" }) } },
      async ({ id }) => {
        asked = id;
      },
    );
    const { entries } = await app.client.audit({ action: "approval.timeout" });
    expect(entries.map(({ target, by }) => [target, by.role])).toEqual([[asked, "system"]]);
    expect(await refused(app.client.previewEdit(asked, { input: {} }))).toBe("timed_out");
  });

  it("keeps what the policy was", async () => {
    const { changes } = await app.client.policyHistory();
    expect(changes.length).toBeGreaterThan(0);
    expect(changes[0]).toMatchObject({ by: { role: "admin" }, policy: { profiles: {} } });
  });
});

describe("the list of sessions", () => {
  it("is searched by title, id, workspace and who, in any case, and by engine", async () => {
    await put("Ökohaus/x");
    const olga = await app.as("operator", "Olga Ödland");
    const mine = await olga.createSession({ workspace: "Ökohaus", prompt: { text: "Mend the GATE now" } });
    const find = async (query: { search?: string; engine?: string }): Promise<readonly string[]> =>
      (await app.client.sessions(query)).sessions.map(({ id }) => id);
    for (const search of ["ökohaus", "ÖKOHAUS mend", "olga ödl", mine.id.toUpperCase(), "the gate", " gate  olga "])
      expect([search, await find({ search })]).toEqual([search, [mine.id]]);
    expect(await find({ search: "gate nobody" })).toEqual([]);
    expect(await find({ search: "%" })).toEqual([]);
    expect(await find({ engine: "loop", search: "gate" })).toEqual([mine.id]);
    expect(await find({ engine: "claude-cli", search: "gate" })).toEqual([]);
    const agent = await app.as("agent");
    expect((await agent.sessions({ search: "gate" })).sessions).toEqual([]);
    expect(await refused(app.client.sessions({ search: "x".repeat(LIMITS.searchChars + 1) }))).toBe("invalid_request");
  });
});
