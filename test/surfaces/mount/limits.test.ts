import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTestApp, script, untilTurnEnds } from "../../support/app.ts";
import { Files, openMountWorld, worldOf } from "./world.ts";

it("gives the default mount the document's budget, and agents its number of sessions", async () => {
  await using world = await openMountWorld();
  const agent = await world.as("agent");
  expect(await agent.json("/claude/policy")).toMatchObject({
    max_cost_usd_per_tick: 1_000_000,
    max_cost_usd_per_day: 100_000_000,
    max_concurrent: 3,
  });
  for (let number = 0; number < 3; number += 1) await agent.create({});
  await expect(agent.create({})).rejects.toThrow("max concurrent sessions exceeded: 3 of yours are open");
  // What one session may reserve by itself is a turn's limit; more than a day's is refused.
  const other = await world.as("agent", "other");
  await expect(other.create({ max_cost_usd: 100_000_001 })).rejects.toThrow("budget exceeded");
});

it("keeps what the policy's own profile says", async () => {
  await using world = await openMountWorld();
  const { client } = world.app;
  const policy = await client.policy();
  const name = policy.default_profile;
  const profile = { ...policy.profiles[name], max_cost_microusd_per_day: 5, max_concurrent: 1 };
  await client.setPolicy({ ...policy, profiles: { ...policy.profiles, [name]: profile } });
  const agent = await world.as("agent");
  expect(await agent.json("/claude/policy")).toMatchObject({ max_cost_usd_per_day: 5, max_concurrent: 1 });
});

const SETTINGS = `
prices:
  "sim*": { input: 1000000, output: 1000000 }
mounts:
  /claude:
    type: claude
    access: budgeted
    budget: { per_tick_usd: 900000, per_day_usd: 9000000, approval_threshold_usd: 1, approvers: [treasurer] }
    policy: { allowed_models: ["sim*"] }
  /claude-far:
    type: claude
    access: budgeted
    policy: { proxy_allowlist: [api.anthropic.com] }
  /claude-near:
    type: claude
    access: budgeted
    policy: { proxy_allowlist: [unix, 127.0.0.1] }
`;

it("asks above the threshold, and takes the answer of approvers alone", async () => {
  await using app = await openTestApp();
  await writeFile(join(app.place.home, "sallyport.yaml"), SETTINGS);
  await app.restart();
  const world = worldOf(app);
  const treasurer = await app.as("admin", "treasurer");
  const folder = await world.admin.create({
    initial_prompt: script({ say: "paid", usage: { input_tokens: 10, output_tokens: 1 } }),
    max_cost_usd: 800_000,
  });
  await world.admin.until(folder, "pending_approval");
  const [question] = (await app.client.approvals({ status: "pending" })).approvals;
  expect(question).toMatchObject({ tool: "Budget", input: { kind: "threshold" } });
  if (question === undefined) throw new Error("nobody was asked");
  const { id, input_hash } = question;
  await expect(app.client.decide(id, { decision: "approve", input_hash })).rejects.toThrow(
    "money for this session is approved by treasurer",
  );
  await treasurer.decide(id, { decision: "approve", input_hash });
  const events = await untilTurnEnds(app.client, folder.slice(folder.lastIndexOf("/") + 1));
  expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
});

it("reaches the hosts of proxy_allowlist only", async () => {
  await using app = await openTestApp();
  await writeFile(join(app.place.home, "sallyport.yaml"), SETTINGS);
  await app.restart();
  const files = new Files(app.serving.url, app.serving.token);
  await expect(files.call("/claude-far/new", { model: "sim" })).rejects.toThrow("no provider matches policy filters");
  await files.call("/claude-near/new", { model: "sim" });
  // Whoever names the profile of that mount elsewhere does not get further.
  const { id } = await app.client.createSession({ profile: "mount:/claude-far", prompt: { text: "hello" } });
  expect((await untilTurnEnds(app.client, id)).at(-1)).toMatchObject({
    type: "turn.failed",
    error: { code: "provider_not_allowed" },
  });
});
