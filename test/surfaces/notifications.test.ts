import { createHmac } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type {
  Approval,
  CreateNotificationTarget,
  CreateSession,
  NotificationAnswer,
  PushMessage,
} from "../../src/protocol/index.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";
import {
  allowLoopback,
  makeBrowserKeys,
  messageIn,
  openPushService,
  type PushService,
} from "../support/push-service.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let clock: MovableClock;
let service: PushService;
beforeEach(async () => {
  clock = new MovableClock();
  service = await openPushService();
  app = await openTestApp({}, { clock, prepare: allowLoopback });
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const browser = makeBrowserKeys();
const subscription = (path = "/send/1"): CreateNotificationTarget => ({
  kind: "push",
  endpoint: service.url + path,
  keys: { ...browser.keys },
  answers: "direct",
});
const ask = (command = "echo hello", settings: CreateSession = {}): Promise<{ id: string }> =>
  app.client.createSession({
    ...settings,
    prompt: { text: script({ tool: "Bash", input: { command } }) },
    ask_reads: true,
  });
const pending = async (): Promise<Approval> => {
  await until(async () => (await app.client.approvals({ status: "pending" })).approvals.length > 0);
  const [approval] = (await app.client.approvals({ status: "pending" })).approvals;
  if (approval === undefined) throw new Error("nothing waits");
  return approval;
};
const received = (count: number): Promise<void> => until(() => service.received.length >= count);
const push = (index = 0): PushMessage => {
  const post = service.received[index];
  if (post === undefined) throw new Error("nothing came");
  return messageIn(post, browser);
};
const answer = (body: unknown): Promise<Response> =>
  fetch(`${app.serving.url}/api/notifications/answers`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const answerOf = (decision: "approve" | "reject", message = push()): NotificationAnswer => {
  if (message.answer === undefined) throw new Error("it cannot be answered");
  const { how: _how, ...question } = message.answer;
  return { ...question, decision };
};

describe("web push", () => {
  it("tells a browser of a question, encrypted and signed, and its answer counts after a restart", async () => {
    const { push_key } = await app.client.notifications.settings();
    await app.client.notifications.add(subscription());
    await ask();
    const approval = await pending();
    await received(1);
    expect(service.received[0]).toMatchObject({
      path: "/send/1",
      headers: {
        "content-encoding": "aes128gcm",
        urgency: "high",
        authorization: expect.stringContaining(`k=${push_key}`),
      },
    });
    expect(push()).toMatchObject({
      event: "question",
      title: "Run this command?",
      text: expect.stringMatching(/^echo hello\n/),
      tag: approval.id,
      answer: { approval_id: approval.id, input_hash: approval.input_hash, how: "direct" },
    });
    await app.restart();
    const response = await answer(answerOf("approve"));
    expect([response.status, await response.json()]).toEqual([
      200,
      { id: approval.id, status: "approved", tool: "Bash" },
    ]);
    expect((await answer(answerOf("reject"))).status).toBe(409);
    // Told once, although the server was started again while the question waited.
    await until(async () => service.received.some((_, index) => push(index).event === "ended"));
    expect(service.received.filter((_, index) => push(index).event === "question")).toHaveLength(1);
    expect(await app.client.approval(approval.id)).toMatchObject({
      status: "approved",
      resolved_by: { name: "first admin" },
    });
  });

  it("tells of a question that a server asked which ended before it could tell", async () => {
    service.answer(503);
    await app.client.notifications.add({ ...subscription(), events: ["question"] });
    await ask();
    await pending();
    await received(1);
    service.answer(201);
    await app.restart();
    await received(2);
    expect(push(1)).toEqual(push(0));
  });

  it("an answer must be for what was shown, to this browser, with its ticket", async () => {
    await app.client.notifications.add(subscription());
    await ask();
    const approval = await pending();
    await received(1);
    const given = answerOf("approve");
    const others = await Promise.all([
      answer({ ...given, ticket: given.ticket.replace(/^./, given.ticket.startsWith("A") ? "B" : "A") }),
      answer({ ...given, input_hash: "0".repeat(64) }),
      answer({ ...given, target_id: "ntf_other" }),
      answer({ ...given, ticket: "" }),
      answer({ ...given, more: 1 }),
    ]);
    expect(others.map(({ status }) => status)).toEqual([401, 401, 401, 401, 400]);
    expect((await app.client.approval(approval.id)).status).toBe("pending");
  });

  it("ends with its token: nothing more is sent, and its tickets are worth nothing", async () => {
    const operator = await app.as("operator", "phone");
    await operator.notifications.add(subscription());
    await ask();
    const approval = await pending();
    await received(1);
    const { tokens } = await app.client.tokens();
    await app.client.deleteToken(tokens.find(({ name }) => name === "phone")?.id ?? "");
    expect((await answer(answerOf("approve"))).status).toBe(401);
    expect((await app.client.notifications.settings()).targets).toEqual([]);
    expect((await app.client.approval(approval.id)).status).toBe("pending");
    expect(await readdir(join(app.place.home, "secrets", "notifications"))).toEqual([]);
  });

  it("retries while the service is away, later each time, and gives up in the end", async () => {
    service.answer(503);
    const { id } = await app.client.notifications.add({ ...subscription(), events: ["question"] });
    // It waits without an end: the clock goes far ahead.
    await ask("echo hello", { unattended: "park" });
    await pending();
    for (let tries = 1; tries <= 4; tries += 1) {
      await until(() => {
        if (tries > 1 && service.received.length < tries) clock.pass(100_000);
        return service.received.length >= tries;
      });
    }
    await until(
      async () => (await app.client.notifications.settings()).targets[0]?.last?.message === "it answered 503",
    );
    clock.pass(1_000_000);
    service.answer(201);
    expect(await app.client.notifications.test(id)).toMatchObject({ ok: true });
    expect(service.received.map((_, index) => push(index).event)).toEqual([
      "question",
      "question",
      "question",
      "question",
      "test",
    ]);
  });

  it.each([404, 410])("is removed when the service answers %i", async (status) => {
    service.answer(status);
    await app.client.notifications.add(subscription());
    await ask();
    await until(async () => (await app.client.notifications.settings()).targets.length === 0);
    expect(service.received).toHaveLength(1);
  });

  it("a call that a notification cannot show as a whole is not answered there", async () => {
    await app.client.notifications.add(subscription());
    await ask(`echo ${"a".repeat(300)}`);
    await received(1);
    expect(push().answer).toBeUndefined();
    expect(push().text).toContain(" …\n");
  });

  it("a browser that subscribes again takes its own place; keys that are none are refused", async () => {
    await app.client.notifications.add(subscription());
    const again = await app.client.notifications.add({ ...subscription(), name: "Again" });
    expect((await app.client.notifications.settings()).targets.map(({ id }) => id)).toEqual([again.id]);
    const keys = { p256dh: "A".repeat(87), auth: browser.keys.auth };
    await expect(
      app.client.notifications.add({ kind: "push", endpoint: `${service.url}/2`, keys }),
    ).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("addresses that are not on the open internet, or not protected, are refused", async () => {
    for (const [endpoint, message] of [
      ["https://127.0.0.2/send", "not on the open internet"],
      ["https://[::1]/send", "not on the open internet"],
      ["https://push.internal/send", "not on the open internet"],
      ["https://10.0.0.7/send", "not on the open internet"],
      ["http://push.example.net/send", "must begin with https://"],
      ["https://user@push.example.net/send", "user name or password"],
      ["ftp://push.example.net/send", "must be an address"],
    ] as const) {
      const keys = { ...browser.keys };
      await expect(app.client.notifications.add({ kind: "push", endpoint, keys })).rejects.toThrow(message);
    }
    expect((await app.client.notifications.settings()).targets).toEqual([]);
  });

  it("a name that leads to this machine is not connected to", async () => {
    await app[Symbol.asyncDispose]();
    const addressOf = (): Promise<{ readonly refused: string }> =>
      Promise.resolve({ refused: "The host rebind.example.net has the address 127.0.0.1" });
    app = await openTestApp({}, { clock, addressOf });
    const port = new URL(service.url).port;
    const made = await app.client.notifications.add({
      kind: "push",
      endpoint: `https://rebind.example.net:${port}/send`,
      keys: { ...browser.keys },
    });
    expect(await app.client.notifications.test(made.id)).toMatchObject({ ok: false });
    expect(service.received).toEqual([]);
  });

  it("people see their own; viewers may have a browser, but no service; agents nothing", async () => {
    const viewer = await app.as("viewer");
    const agent = await app.as("agent");
    const made = await viewer.notifications.add(subscription());
    expect((await viewer.notifications.settings()).targets).toMatchObject([
      { id: made.id, events: ["question", "budget", "ended"] },
    ]);
    const operator = await app.as("operator");
    expect((await operator.notifications.settings()).targets).toEqual([]);
    await expect(operator.notifications.remove(made.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(viewer.notifications.add({ kind: "slack", url: `${service.url}/x` })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(agent.notifications.settings()).rejects.toMatchObject({ code: "forbidden" });
    // A viewer is told, but cannot answer.
    await ask();
    await pending();
    await received(1);
    expect((await answer(answerOf("approve"))).status).toBe(403);
  });
});

describe("services", () => {
  it("a webhook gets signed JSON with a link that names the question's hash; nothing of the address is shown again", async () => {
    const url = `${service.url}/hooks/secret-part`;
    const made = await app.client.notifications.add({
      kind: "webhook",
      url,
      console_url: "https://agents.example.org",
    });
    await ask();
    const approval = await pending();
    await received(1);
    const [post] = service.received;
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = post?.headers ?? {};
    const key = Buffer.from((made.secret ?? "").replace("whsec_", ""), "base64");
    const text = post?.body.toString() ?? "";
    expect(signature).toBe(
      `v1,${createHmac("sha256", key)
        .update(`${String(id)}.${String(at)}.${text}`)
        .digest("base64")}`,
    );
    expect(JSON.parse(text)).toMatchObject({
      type: "sallyport.question",
      data: {
        approval_id: approval.id,
        input_hash: approval.input_hash,
        link: `https://agents.example.org/approvals?id=${approval.id}&hash=${approval.input_hash}`,
      },
    });
    const shown = JSON.stringify([await app.client.notifications.settings(), await app.client.audit({})]);
    expect(shown).not.toContain("secret-part");
    expect(shown).not.toContain(made.secret);
    const file = join(app.place.home, "secrets", "notifications", made.id);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toContain("secret-part");
    await app.client.notifications.remove(made.id);
    await expect(stat(file)).rejects.toThrow();
  });

  it("only what was asked for is told, and a test says what became of it", async () => {
    const made = await app.client.notifications.add({
      kind: "slack",
      url: `${service.url}/services/x`,
      events: ["ended"],
    });
    expect(await app.client.notifications.test(made.id)).toMatchObject({ ok: true, message: "sent" });
    await ask();
    const { id, input_hash } = await pending();
    await app.client.decide(id, { decision: "approve", input_hash });
    await received(2);
    expect(
      service.received.map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text.split("\n")[0]),
    ).toEqual(["Sallyport can reach you", "Turn finished"]);
    service.answer(400);
    expect(await app.client.notifications.test(made.id)).toMatchObject({ ok: false, message: "it answered 400" });
    // A power cut, or somebody's hand.
    await writeFile(join(app.place.home, "secrets/notifications", made.id), "{ half of it, and long enough");
    expect(await app.client.notifications.test(made.id)).toMatchObject({
      ok: false,
      message: "its address is not in the secret store any more",
    });
  });

  it("a topic that is no text is refused when it is added", async () => {
    for (const url of [service.url, `${service.url}/%zz`, `${service.url}/%ff/`])
      await expect(app.client.notifications.add({ kind: "ntfy", url })).rejects.toThrow("ends with the topic");
  });
});
