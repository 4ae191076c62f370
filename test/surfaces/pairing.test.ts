import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SallyportClient } from "../../src/client/index.ts";
import type { TokenCreated } from "../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";

let app: TestApp;
let clock: MovableClock;
beforeEach(async () => {
  clock = new MovableClock();
  app = await openTestApp({}, { clock });
});
afterEach(() => app[Symbol.asyncDispose]());

const redeem = (code: string): Promise<Response> =>
  fetch(`${app.serving.url}/api/pairings/redeem`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });

describe("connecting a phone", () => {
  it("a code becomes a token of the phone's own, once; it is listed, bounded in time and revocable", async () => {
    const made = await app.client.notifications.pair({ name: "Ada's phone", expires_in_s: 3_600 });
    expect(made).toMatchObject({ role: "operator", token_expires_in_s: 3_600 });
    expect(await app.client.notifications.pairing(made.id)).toEqual({ id: made.id, state: "waiting" });
    const first = await redeem(made.code);
    const token = (await first.json()) as TokenCreated;
    expect([first.status, token.name, token.role]).toEqual([201, "Ada's phone", "operator"]);
    expect(await app.client.notifications.pairing(made.id)).toEqual({ id: made.id, state: "used", token_id: token.id });
    expect((await redeem(made.code)).status).toBe(401);
    const phone = new SallyportClient({ url: app.serving.url, token: token.token });
    expect(await phone.me()).toMatchObject({ name: "Ada's phone", role: "operator" });
    const { tokens } = await app.client.tokens();
    expect(tokens.find(({ id }) => id === token.id)).toMatchObject({ expires_at: token.expires_at });
    await app.client.deleteToken(token.id);
    await expect(phone.me()).rejects.toMatchObject({ code: "unauthenticated" });
    const audit = JSON.stringify(await app.client.audit({}));
    expect(audit).toContain("token.pair");
    expect(audit).not.toContain(made.code);
    expect(audit).not.toContain(token.token);
  });

  it("two phones that scan the same code at once: one gets a token", async () => {
    const { code } = await app.client.notifications.pair();
    const answers = await Promise.all([redeem(code), redeem(code), redeem(code)]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["201", "401", "401"]);
  });

  it("a code ends after minutes, with its maker's token, with a restart, or when it is taken back", async () => {
    const late = await app.client.notifications.pair();
    clock.pass(300_000);
    expect((await redeem(late.code)).status).toBe(401);
    expect(await app.client.notifications.pairing(late.id)).toMatchObject({ state: "ended" });
    const operator = await app.as("operator", "leaving");
    const orphan = await operator.notifications.pair();
    const { tokens } = await app.client.tokens();
    await app.client.deleteToken(tokens.find(({ name }) => name === "leaving")?.id ?? "");
    expect((await redeem(orphan.code)).status).toBe(401);
    const ended = await app.client.notifications.pair();
    await app.client.notifications.endPairing(ended.id);
    expect((await redeem(ended.code)).status).toBe(401);
    const before = await app.client.notifications.pair();
    await app.restart();
    expect((await redeem(before.code)).status).toBe(401);
  });

  it("is never for more than its maker may do, and only people hand out tokens", async () => {
    const operator = await app.as("operator");
    await expect(operator.notifications.pair({ role: "admin" })).rejects.toMatchObject({ code: "forbidden" });
    await expect(app.client.notifications.pair({ role: "issuer" })).rejects.toMatchObject({ code: "invalid_request" });
    for (const role of ["viewer", "agent"] as const)
      await expect((await app.as(role)).notifications.pair()).rejects.toMatchObject({ code: "forbidden" });
    const { code, id } = await operator.notifications.pair({ role: "viewer" });
    await expect(app.client.notifications.pairing(id)).rejects.toMatchObject({ code: "not_found" });
    expect(await (await redeem(code)).json()).toMatchObject({ role: "viewer" });
  });

  it("the number of codes that wait is bounded, and so are wrong ones", async () => {
    for (let made = 0; made < 20; made += 1) await app.client.notifications.pair();
    await expect(app.client.notifications.pair()).rejects.toMatchObject({ code: "limit_reached" });
    const statuses: number[] = [];
    for (let tries = 0; tries < 62; tries += 1) statuses.push((await redeem(`wrong-${tries}`)).status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });
});
