import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  LIMITS,
  type IdentitySignature,
  type IdentityView,
  type TunnelAuthChallenge,
} from "../../../src/protocol/index.ts";
import { digestOf, npubOf, verifySchnorr } from "../../../src/identity/index.ts";
import { openTestApp } from "../../support/app.ts";
import { MovableClock } from "../../support/clock.ts";
import { worldOf, type Files, type MountWorld } from "./world.ts";

const SETTINGS = `
mounts:
  /claude:
    type: claude
    access: budgeted
    policy:
      allowed_tunnels: [local-proxy, shared, here, listed]
    tunnels:
      - id: local-proxy
        url: wss://my-tunnel.ngrok.io/claude
        auth: nostr
      - id: shared
        url: wss://shared.example.org/tunnel
        auth: { type: psk, secret_path: tunnels/shared }
      - id: here
        url: ws://127.0.0.1:9/tunnel
        auth: none
      - id: listed
        url: wss://listed.example.org/tunnel
        auth: nostr
        allowed_agents: [${npubOf(Buffer.alloc(32, 1))}]
      - id: elsewhere
        url: wss://elsewhere.example.org/tunnel
        auth: nostr
  /identity:
    type: identity
    access: sign_only
    policy:
      event_kinds: [22242]
`;
const KEY = "a pre-shared key for the tests";

let world: MountWorld;
let clock: MovableClock;
let agent: Files;
let other: Files;

beforeAll(async () => {
  clock = new MovableClock({ stands: true });
  const app = await openTestApp({}, { clock });
  await writeFile(join(app.place.home, "sallyport.yaml"), SETTINGS);
  await app.restart();
  world = worldOf(app);
  agent = await world.as("agent", "worker");
  other = await world.as("agent", "another");
});
afterAll(() => world[Symbol.asyncDispose]());

const refusal = (act: Promise<unknown>): Promise<string> =>
  act.then(
    () => "done",
    ({ errno, message }: { errno: string; message: string }) => `${errno} ${message}`,
  );
const challengeOf = async (files: Files, tunnel: string): Promise<TunnelAuthChallenge> => {
  const all = await files.json<readonly TunnelAuthChallenge[]>("/claude/auth/challenge");
  const found = all.find(({ tunnel_id }) => tunnel_id === tunnel);
  if (found === undefined) throw new Error(`no challenge of ${tunnel}`);
  return found;
};
const signed = async (files: Files, tunnel: string) => {
  const { challenge, tunnel_id } = await challengeOf(files, tunnel);
  const { signature, pubkey } = await files.call<IdentitySignature>("/identity/sign", challenge);
  return { challenge, signature, pubkey, tunnel_id };
};

describe("/identity", () => {
  it("holds five files, and a key for each principal that nothing shows", async () => {
    expect((await agent.mount.list("/identity")).map(({ name }) => name).toSorted()).toEqual([
      "decrypt",
      "encrypt",
      "pubkey",
      "sign",
      "verify",
    ]);
    const mine = await agent.json<IdentityView>("/identity/pubkey");
    expect(mine).toEqual({ pubkey: expect.stringMatching(/^[0-9a-f]{64}$/), npub: expect.stringMatching(/^npub1/) });
    expect(await agent.json("/identity/pubkey")).toEqual(mine);
    expect(await other.json("/identity/pubkey")).not.toEqual(mine);
    const folder = join(world.app.place.home, "identities");
    const secrets = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8").trim());
    expect(secrets.length).toBeGreaterThanOrEqual(2);
    for (const path of ["/identity/sign", "/identity/verify", "/identity/encrypt", "/identity/decrypt"])
      expect(await refusal(agent.text(path))).toMatch(/^EINVAL write to/);
    for (const path of ["/identity/secret", "/identity/key", "/identity/identities"])
      expect(await refusal(agent.text(path))).toMatch(/^EACCES of a sign_only mount/);
  });

  it("signs an agent's own open challenges, allowed events, and nothing else", async () => {
    const { challenge } = await challengeOf(agent, "local-proxy");
    const made = await agent.call<IdentitySignature>("/identity/sign", `${challenge}\n`);
    const pubkey = Buffer.from(made.pubkey, "hex");
    expect(await verifySchnorr(digestOf(challenge), { signature: Buffer.from(made.signature, "hex"), pubkey })).toBe(
      true,
    );
    const check = (data: string, by = made.npub) =>
      agent.call<{ valid: boolean }>("/identity/verify", { data, signature: made.signature, pubkey: by });
    expect(await check(challenge)).toEqual({ valid: true });
    expect(await check(challenge, made.pubkey)).toEqual({ valid: true });
    expect(await check(`${challenge}.`)).toEqual({ valid: false });
    expect(await check(challenge, (await other.json<IdentityView>("/identity/pubkey")).npub)).toEqual({ valid: false });

    for (const text of ["pay 100 to mallory", "0".repeat(64), JSON.stringify({ data: "hello" })])
      expect(await refusal(agent.call("/identity/sign", text))).toMatch(
        /^EACCES the policy does not let agents sign this/,
      );
    // Of somebody else.
    expect(await refusal(other.call("/identity/sign", challenge))).toMatch(/^EACCES/);

    const event = { kind: 22_242, created_at: 1_700_000_000, tags: [["relay", "wss://r.example.org"]], content: "" };
    const proof = await agent.call<IdentitySignature>("/identity/sign", { event });
    expect(proof.id).toMatch(/^[0-9a-f]{64}$/);
    const id = Buffer.from(proof.id ?? "", "hex");
    expect(await verifySchnorr(id, { signature: Buffer.from(proof.signature, "hex"), pubkey })).toBe(true);
    expect(await refusal(agent.call("/identity/sign", { event: { ...event, kind: 1 } }))).toMatch(
      /^EACCES the policy does not let agents sign events of kind 1/,
    );
    expect((await world.admin.call<IdentitySignature>("/identity/sign", { data: "hello" })).signature).toHaveLength(
      128,
    );
  });

  it("refuses what is no request, in words", async () => {
    const cases: readonly (readonly [string, unknown, string])[] = [
      ["sign", "", "EINVAL"],
      ["sign", "{", "EINVAL"],
      ["sign", { event: {} }, "EINVAL"],
      ["sign", { data: "x", event: {} }, "EINVAL"],
      ["verify", "hello", "EINVAL"],
      ["verify", { data: "x", signature: "00", pubkey: "00" }, "EINVAL"],
      ["verify", { data: "x", signature: "00".repeat(64), pubkey: "ff".repeat(32) }, "EINVAL"],
      ["encrypt", { pubkey: "nobody", plaintext: "x" }, "EINVAL"],
      ["encrypt", { pubkey: "npub1", plaintext: "" }, "EINVAL"],
      ["decrypt", { pubkey: (await other.json<IdentityView>("/identity/pubkey")).npub, ciphertext: "AAAA" }, "EINVAL"],
    ];
    for (const [file, text, errno] of cases)
      expect(await refusal(agent.call(`/identity/${file}`, text)), `${file} ${JSON.stringify(text)}`).toMatch(errno);
  });

  it("encrypts for a key, hex or npub, and only its owner decrypts", async () => {
    const [mine, theirs] = [
      await agent.json<IdentityView>("/identity/pubkey"),
      await other.json<IdentityView>("/identity/pubkey"),
    ];
    for (const pubkey of [theirs.npub, theirs.pubkey]) {
      const { ciphertext } = await agent.call("/identity/encrypt", { pubkey, plaintext: "meet at noon" });
      expect(ciphertext).not.toContain("noon");
      expect(await other.call("/identity/decrypt", { pubkey: mine.npub, ciphertext })).toEqual({
        plaintext: "meet at noon",
      });
      const eve = world.admin.call("/identity/decrypt", { pubkey: mine.npub, ciphertext });
      expect(await refusal(eve)).toMatch(/^EINVAL this cannot be decrypted/);
    }
  });

  it.each(["viewer", "visitor", "issuer"] as const)("is closed to the role %s", async (role) => {
    const files = await world.as(role, role);
    expect(await refusal(files.text("/identity/pubkey"))).toMatch(/^EACCES/);
    expect(await refusal(files.call("/identity/sign", "x"))).toMatch(/^EACCES/);
    expect(await refusal(files.text("/claude/auth/challenge"))).toMatch(/^EACCES/);
  });
});

describe("/claude/auth", () => {
  it("lists tunnels: a summary to agents, with all that is set to admins, never a secret", async () => {
    const listed = await agent.json<readonly object[]>("/claude/auth/tunnels");
    expect(listed).toContainEqual({ id: "shared", url: "wss://shared.example.org/tunnel", auth_type: "psk" });
    for (const tunnel of listed) expect(Object.keys(tunnel).toSorted()).toEqual(["auth_type", "id", "url"]);
    expect(await world.admin.json("/claude/auth/tunnels")).toContainEqual({
      id: "shared",
      url: "wss://shared.example.org/tunnel",
      auth_type: "psk",
      auth: { type: "psk", secret_path: "tunnels/shared" },
    });
  });

  it("an admin writes tunnels, which are stored; what is wrong changes nothing", async () => {
    const { admin } = world;
    const before = await admin.json<readonly object[]>("/claude/auth/tunnels");
    const added = { id: "added", url: "wss://added.example.org/tunnel", auth: "nostr" };
    const write = (files: Files, tunnels: unknown) => refusal(files.write("/claude/auth/tunnels", tunnels));
    for (const [tunnels, words] of [
      [[{ ...added, auth: "none" }], "EINVAL invalid request: the tunnel added has no authentication"],
      [
        [{ ...added, url: "wss://me:secret@added.example.org" }],
        "EINVAL invalid request: the tunnel added has a password",
      ],
      [[{ ...added, url: "https://added.example.org" }], "EINVAL"],
      [
        [{ ...added, auth: { type: "psk", secret_path: "../token" } }],
        "EINVAL invalid request: the tunnel added has a sec",
      ],
      [[{ ...added, auth: "magic" }], "EINVAL"],
      [{}, "EINVAL"],
    ] as const)
      expect(await write(admin, tunnels), JSON.stringify(tunnels)).toContain(words);
    expect(await write(agent, [added])).toMatch(/^EACCES/);
    expect(await admin.json("/claude/auth/tunnels")).toEqual(before);
    // What was read can be written back.
    expect(await write(admin, [...before, added])).toBe("done");
    expect(await admin.json("/claude/auth/tunnels")).toEqual([...before, { ...added, auth_type: "nostr" }]);
    await world.app.restart();
    agent = await world.as("agent", "worker again");
    other = await world.as("agent", "another again");
    expect(await agent.json("/claude/auth/tunnels")).toContainEqual({
      id: "added",
      url: added.url,
      auth_type: "nostr",
    });
    expect(await write(world.admin, [])).toBe("done");
    expect(await world.admin.json("/claude/auth/tunnels")).toEqual(before);
  });

  it("document 003's flow: read the challenge, sign it at /identity/sign, write the response, be authorised", async () => {
    const status = async (files: Files, tunnel = "local-proxy") =>
      (await files.json<readonly { tunnel_id: string }[]>("/claude/auth/status")).find(
        ({ tunnel_id }) => tunnel_id === tunnel,
      );
    expect(await status(agent)).toEqual({ tunnel_id: "local-proxy", auth_type: "nostr", authorized: false });
    const asked = await challengeOf(agent, "local-proxy");
    expect(asked).toEqual({
      challenge: expect.stringMatching(/^[0-9a-f]{64}$/),
      expires_at: new Date(clock.now() + LIMITS.challengeMs).toISOString(),
      tunnel_id: "local-proxy",
    });
    const response = await signed(agent, "local-proxy");
    expect(response.challenge).toBe(asked.challenge);
    await agent.write("/claude/auth/challenge", response);
    expect(await status(agent)).toEqual({
      tunnel_id: "local-proxy",
      auth_type: "nostr",
      authorized: true,
      pubkey: response.pubkey,
      challenge_expires_at: asked.expires_at,
    });
    // Of each principal its own, and of each tunnel its own.
    expect(await status(other)).toMatchObject({ authorized: false });
    expect(await status(agent, "listed")).toMatchObject({ authorized: false });
    expect(await refusal(agent.write("/claude/auth/challenge", response))).toMatch(
      /^EBUSY this challenge was answered/,
    );
    expect((await challengeOf(agent, "local-proxy")).challenge).not.toBe(asked.challenge);

    clock.pass(LIMITS.challengeMs);
    expect(await status(agent)).toEqual({ tunnel_id: "local-proxy", auth_type: "nostr", authorized: false });
  });

  it("refuses responses that are late, another's, for another tunnel, by an unlisted agent, or forged", async () => {
    const write = (files: Files, response: object) => refusal(files.write("/claude/auth/challenge", response));
    const late = await signed(agent, "local-proxy");
    clock.pass(LIMITS.challengeMs);
    expect(await write(agent, late)).toMatch(/^EBUSY the challenge has expired/);
    const mine = await signed(agent, "local-proxy");
    expect(await write(other, mine)).toMatch(/^EBUSY (no challenge|challenge mismatch)/);
    expect(await write(agent, { ...mine, tunnel_id: "listed" })).toMatch(/^EBUSY challenge mismatch/);
    expect(await write(agent, { ...mine, tunnel_id: "elsewhere" })).toMatch(/^ENOENT unknown tunnel/);
    expect(await write(agent, { ...mine, tunnel_id: "x" })).toMatch(/^ENOENT unknown tunnel/);
    expect(await write(agent, { ...mine, extra: "x" })).toMatch(/^EINVAL/);
    expect(await write(agent, { ...mine, signature: "00".repeat(64) })).toMatch(/^EACCES invalid signature/);
    expect(await write(agent, mine)).toMatch(/^EBUSY this challenge was answered/);
    expect(await write(agent, await signed(agent, "listed"))).toMatch(/^EACCES agent not allowed/);
    // Not among the policy's allowed_tunnels.
    await expect(challengeOf(agent, "elsewhere")).rejects.toThrow("no challenge of elsewhere");
  });

  it("without a signature: this machine's tunnels at once, a pre-shared key once its file is there", async () => {
    const of = async (tunnel: string) =>
      (await agent.json<readonly { tunnel_id: string }[]>("/claude/auth/status")).find(
        ({ tunnel_id }) => tunnel_id === tunnel,
      );
    expect(await of("here")).toEqual({ tunnel_id: "here", auth_type: "none", authorized: true });
    expect(await of("shared")).toEqual({ tunnel_id: "shared", auth_type: "psk", authorized: false });
    const folder = join(world.app.place.home, "secrets", "tunnels");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, "shared"), `${KEY}\n`, { mode: 0o600 });
    expect(await of("shared")).toEqual({ tunnel_id: "shared", auth_type: "psk", authorized: true });
    for (const path of ["/claude/auth/status", "/claude/auth/tunnels"])
      expect(await world.admin.text(path)).not.toContain(KEY);
  });

  it("a session through a tunnel wants the proof first", async () => {
    const asked = (tunnel_endpoint: string) =>
      refusal(agent.call("/claude/new", { model: "sim", tunnel_endpoint, max_cost_usd: 1 }));
    expect(await asked("local-proxy")).toMatch(/^EACCES tunnel auth required: local-proxy; read auth\/challenge/);
    expect(await asked("elsewhere")).toMatch(/^EACCES tunnel not allowed: elsewhere/);
    // Not by another way either; a person needs no proof beyond its own login.
    const body = JSON.stringify({ provider: "tunnel:local-proxy", model: "x" });
    const create = (files: Files) =>
      files.http("POST", "/api/sessions", { body, headers: { "content-type": "application/json" } });
    expect((await create(agent)).text).toContain("tunnel auth required");
    expect((await create(world.admin)).text).not.toContain("tunnel auth required");
  });
});
