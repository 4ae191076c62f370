import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { may, type Capability } from "../../../src/gate/index.ts";
import { FileFailure, type Role } from "../../../src/protocol/index.ts";
import { script } from "../../support/app.ts";
import { openMountWorld, type Files, type MountWorld } from "./world.ts";

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly "x-reads"?: string; readonly "x-writes"?: string }>>>
  >;
}

let world: MountWorld;
/** Every file of the tree as the server itself describes it. */
let table: readonly { readonly path: string; readonly reads: string; readonly writes: string }[];
/** Of another agent: one that waits for an approval. */
let others: string;
/** The same agent's jobs. */
let jobs: Readonly<Record<"container" | "computation", string>>;

beforeAll(async () => {
  world = await openMountWorld();
  const { paths } = JSON.parse((await world.admin.http("GET", "/openapi.json")).text) as Described;
  table = Object.entries(paths).flatMap(([path, methods]) => {
    const first = Object.values(methods).find((method) => method["x-reads"] !== undefined);
    return first === undefined ? [] : [{ path, reads: first["x-reads"] ?? "", writes: first["x-writes"] ?? "" }];
  });
  const stranger = await world.as("agent", "stranger");
  others = await stranger.create({ initial_prompt: script({ tool: "Bash", input: { command: "true" } }) });
  await stranger.until(others, "pending_approval");
  const { session_id } = await stranger.call("/containers/new", { commands: ["true"] });
  const { job_id } = await stranger.call("/compute/new", { model: "sim", input: { messages: [HELLO] } });
  jobs = { container: `/containers/sessions/${session_id}`, computation: `/compute/jobs/${job_id}` };
});
afterAll(() => world[Symbol.asyncDispose]());

const HELLO = { role: "user", content: "Hello" };

/** Right for the file, so that only the caller's right decides. */
function textFor(path: string): string {
  if (path === "/containers/new") return JSON.stringify({ commands: ["true"] });
  if (path === "/compute/new") return JSON.stringify({ model: "sim", input: { messages: [HELLO] } });
  if (path.endsWith("/new")) return JSON.stringify({ model: "sim" });
  if (path.endsWith("/policy")) return JSON.stringify({ default_autonomy: "full", max_concurrent: null });
  if (path.endsWith("/ctl")) return "pause";
  if (path.endsWith("/approve")) return "approve";
  if (path.endsWith("/prompt")) return script({ say: "mine now" });
  return "{}";
}

function concrete(path: string, session: string): string {
  return path
    .replace("/claude/sessions/{id}", session)
    .replace("/containers/sessions/{id}", jobs.container)
    .replace("/compute/jobs/{id}", jobs.computation)
    .replace("/containers/providers/{provider}", "/containers/providers/local")
    .replace("{provider}", "sim")
    .replace("{worker}", "w99");
}

async function attempt(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
    return "done";
  } catch (error) {
    if (error instanceof FileFailure) return error.errno;
    throw error;
  }
}

const scopeOf = (role: Role, needs: string): string => (needs === "nobody" ? "no" : may(role, needs as Capability));

describe("who may do what, file by file", () => {
  it("knows every file of document 003's layout", () => {
    const session = [
      "status",
      "prompt",
      "response",
      "response.json",
      "output",
      "context",
      "error",
      "usage",
      "fork",
      "ctl",
      // Not of the document: what the session changed in files of its own.
      "changes",
    ];
    expect(table.map(({ path }) => path.replace("/claude/", "")).toSorted()).toEqual(
      [
        "new",
        "policy",
        "usage",
        ...["info", "endpoints", "health"].map((file) => `providers/tunnel/${file}`),
        ...["info", "models", "health"].map((file) => `providers/{provider}/${file}`),
        ...["status", "isolation", "sessions", "metrics"].map((file) => `workers/{worker}/${file}`),
        ...["config", "status", "metrics"].map((file) => `pool/${file}`),
        ...["status", "allowlist", "metrics"].map((file) => `proxy/${file}`),
        ...["tunnels", "status", "challenge"].map((file) => `auth/${file}`),
        ...session.map((file) => `sessions/{id}/${file}`),
        ...["log", "pending", "approve"].map((file) => `sessions/{id}/tools/${file}`),
        ...["new", "policy", "usage"].flatMap((file) => [`/containers/${file}`, `/compute/${file}`]),
        ...["info", "health"].map((file) => `/containers/providers/{provider}/${file}`),
        ...["info", "models", "health"].map((file) => `/compute/providers/{provider}/${file}`),
        ...["ctl", "exec", "output", "result", "status", "usage", "tools/approve", "tools/pending"].map(
          (file) => `/containers/sessions/{id}/${file}`,
        ),
        ...["ctl", "result", "status", "stream"].map((file) => `/compute/jobs/{id}/${file}`),
        ...["pubkey", "sign", "verify", "encrypt", "decrypt"].map((file) => `/identity/${file}`),
      ].toSorted(),
    );
  });

  it.each(["agent", "viewer", "operator"] as const)("keeps an %s to its rights on another's files", async (role) => {
    const files = await world.as(role, `${role} of the table`);
    for (const { path, reads, writes } of table) {
      if (role === "operator" && path.includes("/{id}/")) continue;
      const place = concrete(path, others);
      const isForeign = path.includes("{id}");
      const read = await attempt(() => files.mount.read(place));
      const expected = scopeOf(role, reads);
      if (path.includes("{worker}")) expect({ path, read }).toEqual({ path, read: "ENOENT" });
      else if (reads === "nobody") expect({ path, ok: read === "done" }).toEqual({ path, ok: false });
      else if (expected === "no") expect({ path, read }).toEqual({ path, read: "EACCES" });
      else if (expected === "own" && isForeign) expect({ path, read }).toEqual({ path, read: "ENOENT" });
      // There is no answer yet.
      else if (!/\/(response|result)/.test(path)) expect({ path, read }).toEqual({ path, read: "done" });
      const write = await attempt(() => files.write(place, textFor(path)));
      const allowed = scopeOf(role, writes);
      if (allowed === "no") expect({ path, write }).toEqual({ path, write: "EACCES" });
      else if (allowed === "own" && isForeign) expect({ path, write }).toEqual({ path, write: "ENOENT" });
    }
    const names = (await files.mount.list("/claude/sessions")).map(({ name }) => `/claude/sessions/${name}`);
    expect(names.includes(others)).toBe(role !== "agent");
    expect(await attempt(() => files.mount.list(others))).toBe(role === "agent" ? "ENOENT" : "done");
    expect(await attempt(() => files.mount.stat(`${others}/status`))).toBe(role === "agent" ? "ENOENT" : "done");
    // Nothing of all that has moved the stranger's session.
    expect(await world.admin.json(`${others}/status`)).toMatchObject({ status: "pending_approval", pending: 1 });
    expect(await world.admin.json("/claude/policy")).toMatchObject({ default_autonomy: "supervised" });
  });

  it("keeps an agent from watching and following another's output", async () => {
    const agent = await world.as("agent", "listener");
    expect(await attempt(() => agent.mount.watch(`${others}/output`).next())).toBe("ENOENT");
    expect(await attempt(() => agent.mount.follow(`${others}/output`).next())).toBe("ENOENT");
  });

  it("keeps an agent from approving its own tools and from asking for more than the policy gives", async () => {
    const agent = await world.as("agent", "self");
    const own = await agent.create({ initial_prompt: script({ tool: "Bash", input: { command: "echo hi" } }) });
    await agent.until(own, "pending_approval");
    for (const words of ["approve", '{"approved":true}', "reject"])
      expect(await attempt(() => agent.write(`${own}/tools/approve`, words))).toBe("EACCES");
    expect(await agent.json(`${own}/tools/pending`)).toMatchObject([{ tool: "Bash" }]);
    expect(await attempt(() => agent.create({ autonomy: "full" }))).toBe("EACCES");
    expect(await attempt(() => agent.create({ workspace: "/" }))).toBe("EACCES");
    expect(await attempt(() => agent.create({ resume_session_id: others.split("/").at(-1) }))).toBe("ENOENT");
    expect(await attempt(() => agent.create({ parent_session_id: others.split("/").at(-1) }))).toBe("ENOENT");
    expect(await attempt(() => agent.create({ profile: "server" }))).toBe("EINVAL");
    expect(await attempt(() => world.admin.write(`${own}/tools/approve`, "reject not today"))).toBe("ESTALE");
    await world.admin.json(`${own}/tools/pending`);
    await world.admin.write(`${own}/tools/approve`, "reject not today");
    expect(await agent.outputUntilIdle(own)).toBe("[Bash] echo hi → declined\n");
    const log = await agent.text(`${own}/tools/log`);
    expect(log).toContain('"approved":false');
    expect(log).toContain("not today");
  });

  it("tells each caller with stat what it may do", async () => {
    const agent = await world.as("agent", "asking");
    const rights = async (files: Files, path: string): Promise<string> => {
      const { readable, writable, watchable } = await files.mount.stat(path);
      return `${readable ? "r" : "-"}${writable ? "w" : "-"}${watchable ? "s" : "-"}`;
    };
    const own = await agent.create({});
    const told = async (files: Files): Promise<readonly string[]> =>
      Promise.all(
        [
          "/claude/new",
          "/claude/policy",
          "/claude/pool/config",
          `${own}/output`,
          `${own}/prompt`,
          `${own}/tools/approve`,
        ].map((path) => rights(files, path)),
      );
    // Whether the policy lets an agent answer is told when it does.
    expect(await told(agent)).toEqual(["rw-", "r--", "r--", "r-s", "-w-", "-w-"]);
    expect(await told(world.admin)).toEqual(["rw-", "rw-", "rw-", "r-s", "-w-", "-w-"]);
    expect(await told(await world.as("viewer"))).toEqual(["---", "r--", "r--", "r-s", "---", "---"]);
  });

  it("answers nobody without a token", async () => {
    for (const path of ["/claude", "/claude/", "/claude/policy", `${others}/output?follow=1`])
      expect((await fetch(`${world.admin.url}${path}`)).status).toBe(401);
  });
});
