import { afterAll, beforeAll, expect, it } from "vitest";
import type { JournalEvent } from "../../../src/protocol/index.ts";
import { script } from "../../support/app.ts";
import { openMountWorld, type Files, type MountWorld } from "./world.ts";

let world: MountWorld;
let agent: Files;
beforeAll(async () => {
  world = await openMountWorld();
  agent = await world.as("agent");
});
afterAll(() => world[Symbol.asyncDispose]());

const idOf = (folder: string): string => folder.slice(folder.lastIndexOf("/") + 1);

/** When the first event of a type was written. */
async function at(folder: string, type: JournalEvent["type"]): Promise<string | undefined> {
  const { events } = await world.app.client.events(idOf(folder));
  return events.find((event) => event.type === type)?.at;
}

const OURS = new Set(
  "session_id tool_use_id pending requested_at request_id input_hash reason warnings effects diff expires_at".split(
    " ",
  ),
);

/** Document 003's state: everything but what is ours. */
async function state(folder: string): Promise<Record<string, unknown>> {
  const status = await agent.json(`${folder}/status`);
  return Object.fromEntries(Object.entries(status).filter(([name]) => !OURS.has(name)));
}

it("has what document 003 has in each state", async () => {
  const folder = await agent.create({});
  const { created_at, updated_at } = await world.app.client.session(idOf(folder));
  expect(await state(folder)).toEqual({ status: "ready", since: updated_at, created_at });

  const call = { tool: "Bash", input: { command: "echo hi" } };
  await agent.write(`${folder}/prompt`, script(call, { say: "Done." }));
  await agent.until(folder, "pending_approval");
  const started_at = await at(folder, "turn.started");
  const { approvals } = await world.app.client.approvals({ session_id: idOf(folder) });
  const since = approvals[0]?.created_at;
  expect(await state(folder)).toEqual({
    status: "pending_approval",
    since,
    started_at,
    tool: "Bash",
    params: { command: "echo hi" },
  });

  await world.admin.json(`${folder}/status`);
  await world.admin.write(`${folder}/tools/approve`, { approved: true });
  await agent.until(folder, "idle");
  const last_response_at = await at(folder, "turn.completed");
  expect(await state(folder)).toEqual({ status: "idle", since: expect.any(String) as unknown, last_response_at });

  await agent.write(`${folder}/ctl`, "stop");
  expect(await state(folder)).toEqual({
    status: "complete",
    since: expect.any(String) as unknown,
    response: "Done.",
    usage: expect.objectContaining({ total_tokens: expect.any(Number) as unknown }) as unknown,
    cost_usd: 0,
    reserved_usd: expect.any(Number) as unknown,
    provider_id: "sim",
    model: "sim",
    tunnel_endpoint: null,
  });
});

it("names the call that runs", async () => {
  const folder = await world.admin.create({ autonomy: "full" });
  const wait = { tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.01; done" } };
  await world.admin.write(`${folder}/prompt`, script(wait, { say: "end" }));
  for await (const frame of world.app.client.watch(idOf(folder))) if (frame.type === "item.updated") break;
  expect(await world.admin.json(`${folder}/status`)).toMatchObject({
    status: "working",
    started_at: await at(folder, "turn.started"),
    current_tool: "Bash",
  });
  await world.admin.write(`${folder}/ctl`, "interrupt");
  await world.admin.until(folder, "idle");
  expect(await world.admin.json(`${folder}/status`)).not.toHaveProperty("current_tool");
});

it("lets a parent decide from the status alone, as document 003's example does", async () => {
  const { client } = world.app;
  const policy = await client.policy();
  const name = policy.default_profile;
  const profile = { ...policy.profiles[name], approvers: ["creator" as const] };
  await client.setPolicy({ ...policy, profiles: { ...policy.profiles, [name]: profile } });
  const folder = await agent.create({
    initial_prompt: script({ tool: "Bash", input: { command: "echo hi" } }, { say: "ok" }),
  });
  const status = await agent.until(folder, "pending_approval");
  const approve = status["tool"] === "Bash" && (status["params"] as { command: string }).command === "echo hi";
  await agent.write(`${folder}/tools/approve`, { approved: approve });
  await agent.until(folder, "idle");
  expect(await agent.text(`${folder}/response`)).toBe("ok\n");
});
