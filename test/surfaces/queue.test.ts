import { expect, it } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import { openTestApp, script, untilTurnEnds } from "../support/app.ts";

/** A session whose first turn waits for an answer, with these prompts behind it. */
async function waiting(client: SallyportClient, ...texts: readonly string[]): Promise<{ id: string; turns: string[] }> {
  const slow = script({ tool: "Bash", input: { command: "sleep 0 && whoami" } }, { say: "First." });
  const { id } = await client.createSession({ prompt: { text: slow } });
  await expect.poll(async () => (await client.session(id)).pending_approvals.length).toBe(1);
  const turns: string[] = [];
  for (const text of texts) turns.push((await client.prompt(id, { text })).turn_id);
  return { id, turns };
}

/** The prompts that began, in order. */
async function begun(client: SallyportClient, id: string): Promise<readonly string[]> {
  const { events } = await client.events(id, { limit: 1_000 });
  return events.flatMap((event) => (event.type === "turn.started" ? [event.prompt.text.split("\n")[0] ?? ""] : []));
}

it("prompts that wait are read whole, changed and put in another order; what runs is what is shown, also after a restart", async () => {
  await using app = await openTestApp();
  const { client } = app;
  const say = (text: string): string => `${text}\n${script({ say: `Did ${text}.` })}`;
  const { id, turns } = await waiting(client, say("one"), say("two"), say(`three ${"x".repeat(300)}`));
  const [one = "", two = "", three = ""] = turns;
  expect((await client.queue.get(id, three)).prompt.text).toBe(say(`three ${"x".repeat(300)}`));
  const edited = await client.queue.edit(id, two, say("two, but better"));
  expect(edited.queue.map(({ text }) => text.split("\n")[0]?.slice(0, 20))).toEqual([
    "one",
    "two, but better",
    "three xxxxxxxxxxxxxx",
  ]);
  const ordered = await client.queue.reorder(id, [three, two, one]);
  expect(ordered.queue.map(({ turn_id }) => turn_id)).toEqual([three, two, one]);
  // As it was: nothing is written.
  expect((await client.queue.reorder(id, [three, two, one])).seq).toBe(ordered.seq);
  await app.restart();
  expect((await app.client.session(id)).queue).toEqual(ordered.queue);
  expect((await app.client.queue.get(id, two)).prompt.text).toBe(say("two, but better"));
  await app.client.interrupt(id, {});
  await expect.poll(async () => (await app.client.session(id)).status, { timeout: 20_000 }).toBe("idle");
  expect(await begun(app.client, id)).toEqual(["Do as told.", `three ${"x".repeat(300)}`, "two, but better", "one"]);
});

it("refuses an order with gaps, prompts that have begun, empty texts, and callers who may not", async () => {
  await using app = await openTestApp();
  const { client } = app;
  const { id, turns } = await waiting(client, "one", "two");
  const [one = "", two = ""] = turns;
  const viewer = await app.as("viewer");
  const { turn_id: open = "", seq } = await client.session(id);
  const codes = await Promise.all(
    [
      client.queue.reorder(id, [one]),
      client.queue.reorder(id, [one, one]),
      client.queue.reorder(id, [one, open]),
      client.queue.edit(id, open, "other"),
      client.queue.edit(id, one, "  "),
      client.queue.get(id, "turn_none"),
      viewer.queue.reorder(id, [two, one]),
      viewer.queue.edit(id, one, "mine"),
    ].map((call) => call.then(() => "taken").catch((error: unknown) => (error as { readonly code: string }).code)),
  );
  expect(codes).toEqual([
    "conflict",
    "conflict",
    "conflict",
    "not_found",
    "invalid_request",
    "not_found",
    "forbidden",
    "forbidden",
  ]);
  expect((await client.session(id)).seq).toBe(seq);
  expect((await viewer.queue.get(id, one)).prompt.text).toBe("one");
});

it("a stop holds the queue; a held prompt can be changed, moved and removed before somebody runs the rest", async () => {
  await using app = await openTestApp();
  const { client } = app;
  const { id, turns } = await waiting(client, script({ say: "A." }), script({ say: "B." }), script({ say: "C." }));
  const [a = "", b = "", c = ""] = turns;
  const stopped = await client.interrupt(id, { hold_queue: true });
  expect(stopped.queue.map(({ held }) => held)).toEqual([true, true, true]);
  await client.queue.reorder(id, [c, b, a]);
  await client.queue.edit(id, c, `Changed\n${script({ say: "C." })}`);
  const { queue, seq } = await client.removePrompt(id, b);
  expect(queue.map(({ turn_id, held }) => [turn_id, held])).toEqual([
    [c, true],
    [a, true],
  ]);
  await client.control(id, "resume");
  await untilTurnEnds(client, id, { after: seq });
  await expect.poll(async () => (await client.session(id)).status, { timeout: 20_000 }).toBe("idle");
  expect(await begun(client, id)).toEqual(["Do as told.", "Changed", "Do as told."]);
});
