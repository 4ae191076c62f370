import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { AuthRefusalReason, errnoOf, LIMITS, type TunnelAuthChallenge } from "../../src/protocol/index.ts";
import {
  answerChallenge,
  authKindOf,
  failureOf,
  isLoopback,
  isTunnelProof,
  npubOf,
  type TunnelAuthenticator,
  type TunnelCredential,
  type VerifiedParty,
} from "../../src/identity/index.ts";
import { makeSigner, openAuthenticator, RULES, SHARED_KEY } from "./world.ts";

function issued(authenticator: TunnelAuthenticator, tunnel_id: string, caller = "alice"): TunnelAuthChallenge {
  const answer = authenticator.issue({ tunnel_id, caller });
  if (!answer.ok) throw new Error(answer.reason);
  return answer.value;
}

const PSK: TunnelCredential = { kind: "psk", key: SHARED_KEY };

async function answered(challenge: TunnelAuthChallenge, credential: TunnelCredential, clocks: { now(): number }) {
  const answer = await answerChallenge(challenge, { tunnel_id: challenge.tunnel_id, credential, clocks });
  if (!answer.ok) throw new Error(answer.reason);
  return answer.value;
}

describe("a challenge", () => {
  test("is random, names its tunnel and its end, and stays the caller's until it is answered", () => {
    const { authenticator, clocks } = openAuthenticator();
    const first = issued(authenticator, "home");
    expect(first).toEqual({
      challenge: expect.stringMatching(/^[0-9a-f]{64}$/),
      expires_at: new Date(clocks.wall + LIMITS.challengeMs).toISOString(),
      tunnel_id: "home",
    });
    expect(issued(authenticator, "home")).toEqual(first);
    expect(issued(authenticator, "home", "bob").challenge).not.toBe(first.challenge);
    expect(issued(authenticator, "office").challenge).not.toBe(first.challenge);
  });

  test("of no tunnel, or of a tunnel without authentication, is refused", () => {
    const { authenticator } = openAuthenticator();
    expect(authenticator.issue({ tunnel_id: "nowhere", caller: "a" })).toMatchObject({ reason: "unknown_tunnel" });
    expect(authenticator.issue({ tunnel_id: "here", caller: "a" })).toMatchObject({ reason: "wrong_kind" });
  });

  test("is not issued beyond the bound; used and expired ones make room", async () => {
    const { authenticator, clocks } = openAuthenticator(RULES, 2);
    const signer = await makeSigner();
    const first = issued(authenticator, "home", "one");
    issued(authenticator, "home", "two");
    expect(authenticator.issue({ tunnel_id: "home", caller: "three" })).toMatchObject({
      reason: "too_many_challenges",
    });
    await authenticator.verify({ caller: "one", response: await answered(first, { kind: "nostr", signer }, clocks) });
    issued(authenticator, "home", "three");
    clocks.move(LIMITS.challengeMs);
    issued(authenticator, "home", "four");
    issued(authenticator, "home", "five");
    authenticator.forget("five");
    issued(authenticator, "home", "six");
  });
});

describe("a signed response", () => {
  test("of anybody is taken where no agents are named, as hex, npub and base64", async () => {
    const { authenticator, clocks } = openAuthenticator();
    const signer = await makeSigner();
    const npub = npubOf(Buffer.from(signer.pubkey, "hex"));
    for (const change of [{}, { pubkey: npub }, { pubkey: signer.pubkey.toUpperCase() }, { base64: true }] as const) {
      const challenge = issued(authenticator, "home");
      const made = await answered(challenge, { kind: "nostr", signer }, clocks);
      const signature = "signature" in made ? made.signature : "";
      const { base64, ...fields } = { base64: false, ...change };
      const response = {
        ...made,
        ...fields,
        signature: base64 ? Buffer.from(signature, "hex").toString("base64") : signature,
      };
      expect(await authenticator.verify({ caller: "alice", response })).toEqual({
        ok: true,
        value: { kind: "nostr", pubkey: signer.pubkey, npub, expires_at: challenge.expires_at },
      });
    }
  });

  test("is taken once, from its caller, for its tunnel, by its own key, in time by both clocks", async () => {
    const { authenticator, clocks } = openAuthenticator();
    const signer = await makeSigner();
    const credential = { kind: "nostr", signer } as const;
    const made = await answered(issued(authenticator, "home"), credential, clocks);
    const verify = (response: unknown, caller = "alice") => authenticator.verify({ caller, response });
    expect(await verify(made, "bob")).toMatchObject({ reason: "no_challenge" });
    expect(await verify({ ...made, tunnel_id: "office" })).toMatchObject({ reason: "no_challenge" });
    expect(await verify({ ...made, tunnel_id: "nowhere" })).toMatchObject({ reason: "unknown_tunnel" });
    expect(await verify({ ...made, tunnel_id: "here" })).toMatchObject({ reason: "wrong_kind" });
    expect(await verify({ ...made, challenge: "0".repeat(64) })).toMatchObject({ reason: "challenge_mismatch" });
    expect(await verify(made)).toMatchObject({ ok: true });
    expect(await verify(made)).toMatchObject({ reason: "challenge_used" });

    const other = await makeSigner();
    const stolen = await answered(issued(authenticator, "home"), credential, clocks);
    expect(await verify({ ...stolen, pubkey: other.pubkey })).toMatchObject({ reason: "invalid_signature" });
    // A response that names a challenge uses it up, even a wrong one.
    expect(await verify(stolen)).toMatchObject({ reason: "challenge_used" });

    for (const move of [{ wall: LIMITS.challengeMs }, { monotonic: LIMITS.challengeMs }]) {
      const late = await answered(issued(authenticator, "home"), credential, clocks);
      clocks.wall += move.wall ?? 0;
      clocks.monotonic += move.monotonic ?? 0;
      expect(await verify(late)).toMatchObject({ reason: "challenge_expired" });
    }
    // A clock that was set back gives no time.
    const long = await answered(issued(authenticator, "home"), credential, clocks);
    clocks.wall -= 10 * LIMITS.challengeMs;
    clocks.monotonic += LIMITS.challengeMs;
    expect(await verify(long)).toMatchObject({ reason: "challenge_expired" });
    const just = await answered(issued(authenticator, "home"), credential, clocks);
    clocks.move(LIMITS.challengeMs - 1);
    expect(await verify(just)).toMatchObject({ ok: true });
  });

  test("of an agent that is not listed is refused; hex and npub are the same agent", async () => {
    const [signer, stranger] = [await makeSigner(), await makeSigner()];
    const npub = npubOf(Buffer.from(signer.pubkey, "hex"));
    for (const listed of [npub, signer.pubkey, signer.pubkey.toUpperCase()]) {
      const { authenticator, clocks } = openAuthenticator([{ id: "home", auth: "nostr", allowed_agents: [listed] }]);
      const try_ = async (credential: TunnelCredential) =>
        authenticator.verify({
          caller: "alice",
          response: await answered(issued(authenticator, "home"), credential, clocks),
        });
      expect(await try_({ kind: "nostr", signer: stranger })).toMatchObject({ reason: "agent_not_allowed" });
      expect(await try_({ kind: "nostr", signer })).toMatchObject({ ok: true });
    }
  });
});

describe("a pre-shared key", () => {
  test("is proved by both sides and never sent", async () => {
    const { authenticator, clocks } = openAuthenticator();
    const challenge = issued(authenticator, "shared");
    const response = await answered(challenge, PSK, clocks);
    const verified = await authenticator.verify({ caller: "alice", response });
    expect(verified).toMatchObject({ ok: true, value: { kind: "psk", expires_at: challenge.expires_at } });
    const party: VerifiedParty = verified.ok ? verified.value : { kind: "none" };
    const proof = party.kind === "psk" ? party.proof : "";
    expect(isTunnelProof(proof, { key: SHARED_KEY, response })).toBe(true);
    // The caller's own MAC is no proof: neither side's answer can be sent back to it.
    expect(isTunnelProof("mac" in response ? response.mac : "", { key: SHARED_KEY, response })).toBe(false);
    expect(isTunnelProof(proof, { key: `${SHARED_KEY}.`, response })).toBe(false);
    expect(isTunnelProof("", { key: SHARED_KEY, response })).toBe(false);
    expect(JSON.stringify([challenge, response, verified])).not.toContain(SHARED_KEY);
  });

  test("another key, another tunnel with the same key, another nonce or a replay is refused", async () => {
    const { authenticator, clocks } = openAuthenticator();
    const verify = (response: unknown) => authenticator.verify({ caller: "alice", response });
    const wrong = await answered(
      issued(authenticator, "shared"),
      { kind: "psk", key: "another pre-shared key" },
      clocks,
    );
    expect(await verify(wrong)).toMatchObject({ reason: "invalid_signature" });
    const good = await answered(issued(authenticator, "shared"), PSK, clocks);
    const elsewhere = issued(authenticator, "other-shared");
    expect(await verify({ ...good, tunnel_id: "other-shared", challenge: elsewhere.challenge })).toMatchObject({
      reason: "invalid_signature",
    });
    expect(await verify({ ...good, nonce: "0".repeat(64) })).toMatchObject({ reason: "invalid_signature" });
    expect(await verify(good)).toMatchObject({ reason: "challenge_used" });
    const signer = await makeSigner();
    const signed = await answered(issued(authenticator, "shared"), { kind: "nostr", signer }, clocks);
    expect(await verify(signed)).toMatchObject({ reason: "malformed" });
    const keyless = await answered(issued(authenticator, "keyless"), PSK, clocks);
    expect(await verify(keyless)).toMatchObject({ reason: "secret_unusable" });
  });
});

test("without authentication only this machine is let in", () => {
  const { authenticator } = openAuthenticator();
  const from = (address: string | undefined, tunnel_id = "here") => authenticator.admitLocal({ tunnel_id, address });
  for (const address of ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1", undefined])
    expect(from(address)).toEqual({ ok: true, value: { kind: "none" } });
  for (const address of [
    "10.0.0.1",
    "0.0.0.0",
    "::",
    "fe80::1",
    "::ffff:10.0.0.1",
    "127.0.0.1.example.org",
    "localhost",
    "",
  ])
    expect(from(address), address).toMatchObject({ reason: "not_loopback" });
  expect(from("127.0.0.1", "home")).toMatchObject({ reason: "wrong_kind" });
  expect(from("127.0.0.1", "nowhere")).toMatchObject({ reason: "unknown_tunnel" });
  expect(isLoopback("128.0.0.1")).toBe(false);
});

describe("who answers", () => {
  test("signs nothing but a challenge of the tunnel that was dialled, in its time", async () => {
    const { clocks, authenticator } = openAuthenticator();
    const signer = await makeSigner();
    const credential = { kind: "nostr", signer } as const;
    const challenge = issued(authenticator, "home");
    const at = (ms: number): string => new Date(clocks.wall + ms).toISOString();
    const ask = (asked: unknown, tunnel_id = "home") => answerChallenge(asked, { tunnel_id, credential, clocks });
    expect(await ask(challenge)).toMatchObject({ ok: true });
    expect(await ask(challenge, "office")).toMatchObject({ reason: "wrong_tunnel" });
    for (const text of ["", "pay 100 to mallory", "0".repeat(63), JSON.stringify({ kind: 1, content: "hello" })])
      expect(await ask({ ...challenge, challenge: text })).toMatchObject({ reason: "malformed" });
    for (const asked of [undefined, null, 7, "x", [], {}, { ...challenge, expires_at: "soon" }])
      expect(await ask(asked)).toMatchObject({ reason: "malformed" });
    for (const skew of [
      LIMITS.challengeMostS * 1_000 + LIMITS.challengeSkewMs + 1,
      -LIMITS.challengeSkewMs,
      86_400_000,
    ])
      expect(await ask({ ...challenge, expires_at: at(skew) })).toMatchObject({ reason: "clock_skew" });
  });
});

test("secrets and challenges are compared in constant time", () => {
  // Statistics of timings would say more about the machine than about the code: this checks what compares.
  for (const file of ["same-text", "shared-key", "nip44"]) {
    const source = readFileSync(new URL(`../../src/identity/${file}.ts`, import.meta.url), "utf8");
    expect(source).toContain("timingSafeEqual(");
  }
  const book = readFileSync(new URL("../../src/identity/challenges.ts", import.meta.url), "utf8");
  expect(book).toContain("isSameText(known.challenge, place.challenge)");
  expect(book).not.toMatch(/challenge (===|!==) |(===|!==) (known|place)\.challenge/);
});

test("each kind of tunnel has its word, and each refusal its error and errno", () => {
  expect(RULES.map(authKindOf)).toEqual(["nostr", "nostr", "psk", "psk", "psk", "none"]);
  const errors = AuthRefusalReason.options.map((reason) => {
    const failure = failureOf({ ok: false, reason, message: "no" });
    expect(failure.details).toEqual({ reason });
    return `${reason} ${failure.code} ${errnoOf(failure)}`;
  });
  expect(errors).toEqual([
    "malformed invalid_request EINVAL",
    "unknown_tunnel not_found ENOENT",
    "no_challenge conflict EBUSY",
    "challenge_mismatch conflict EBUSY",
    "challenge_used conflict EBUSY",
    "challenge_expired conflict EBUSY",
    "too_many_challenges rate_limited EAGAIN",
    "clock_skew forbidden EACCES",
    "wrong_tunnel forbidden EACCES",
    "wrong_kind forbidden EACCES",
    "agent_not_allowed forbidden EACCES",
    "invalid_signature forbidden EACCES",
    "not_loopback forbidden EACCES",
    "secret_unusable forbidden EACCES",
  ]);
});
