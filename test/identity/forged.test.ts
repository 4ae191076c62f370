import fc from "fast-check";
import { expect, test } from "vitest";
import { AuthRefusalReason, LIMITS, type TunnelAuthResponse } from "../../src/protocol/index.ts";
import { answerChallenge, type TunnelCredential } from "../../src/identity/index.ts";
import { isFullRun } from "../support/sample.ts";
import { makeSigner, openAuthenticator, SHARED_KEY } from "./world.ts";

const ATTEMPTS = isFullRun ? 10_000 : 400;
const KINDS = ["forged", "replayed", "expired", "cross-tunnel", "another's", "malformed"] as const;
type AttackKind = (typeof KINDS)[number];

const hex = (digits: number): fc.Arbitrary<string> =>
  fc.string({ minLength: digits, maxLength: digits, unit: fc.constantFrom(..."0123456789abcdef".split("")) });

const attacks = fc.record({
  kind: fc.constantFrom(...KINDS),
  tunnel: fc.constantFrom("home", "shared"),
  /** Where a digit of the answer is changed, and how. */
  at: fc.nat(127),
  by: fc.integer({ min: 1, max: 15 }),
  whole: fc.boolean(),
  late: fc.integer({ min: 0, max: 86_400_000 }),
  clock: fc.constantFrom("both", "wall", "monotonic"),
  garbage: fc.oneof(
    fc.json().map((text): unknown => JSON.parse(text)),
    fc.anything(),
  ),
  field: fc.constantFrom("challenge", "signature", "pubkey", "tunnel_id", "nonce", "mac"),
  random: hex(128),
});

/** One digit of a text becomes another one. */
function changed(text: string, at: number, by: number): string {
  const place = at % text.length;
  const digit = (Number.parseInt(text[place] ?? "0", 16) + by) % 16;
  return `${text.slice(0, place)}${digit.toString(16)}${text.slice(place + 1)}`;
}

test("forged, replayed, expired, cross-tunnel and malformed authentications are refused", async () => {
  const signer = await makeSigner();
  const stranger = await makeSigner();
  const { authenticator, clocks } = openAuthenticator();
  const tried = new Map<AttackKind, number>();
  const reasons = new Set<string>();

  const answerOf = async (tunnel_id: string, caller = "alice"): Promise<TunnelAuthResponse> => {
    const challenge = authenticator.issue({ tunnel_id, caller });
    const credential: TunnelCredential =
      tunnel_id === "home" ? { kind: "nostr", signer } : { kind: "psk", key: SHARED_KEY };
    if (!challenge.ok) throw new Error(challenge.reason);
    const answer = await answerChallenge(challenge.value, { tunnel_id, credential, clocks });
    if (!answer.ok) throw new Error(answer.reason);
    return answer.value;
  };

  await fc.assert(
    fc.asyncProperty(attacks, async (attack) => {
      const { kind, tunnel, at, by, whole, late, clock, garbage, field, random } = attack;
      tried.set(kind, (tried.get(kind) ?? 0) + 1);
      const good = await answerOf(tunnel);
      const verify = async (response: unknown, caller = "alice"): Promise<void> => {
        const answer = await authenticator.verify({ caller, response });
        expect(answer.ok).toBe(false);
        if (!answer.ok) reasons.add(AuthRefusalReason.parse(answer.reason));
      };
      switch (kind) {
        case "forged":
          if ("signature" in good) {
            const signature = whole ? random : changed(good.signature, at, by);
            await verify(at % 3 === 0 ? { ...good, pubkey: stranger.pubkey } : { ...good, signature });
          } else await verify({ ...good, mac: whole ? random.slice(0, 64) : changed(good.mac, at, by) });
          return;
        case "replayed":
          expect((await authenticator.verify({ caller: "alice", response: good })).ok).toBe(true);
          if (whole) await answerOf(tunnel);
          await verify(good);
          return;
        case "expired":
          if (clock !== "monotonic") clocks.wall += LIMITS.challengeMs + late;
          if (clock !== "wall") clocks.monotonic += LIMITS.challengeMs + late;
          await verify(good);
          return;
        case "cross-tunnel": {
          const other = tunnel === "home" ? "office" : "other-shared";
          const { challenge } = await answerOf(tunnel === "home" ? "home" : "shared");
          authenticator.issue({ tunnel_id: other, caller: "alice" });
          await verify({ ...good, tunnel_id: other, challenge });
          return;
        }
        case "another's":
          if (whole) authenticator.issue({ tunnel_id: tunnel, caller: "mallory" });
          await verify(good, "mallory");
          return;
        case "malformed": {
          const broken = whole ? garbage : { ...good, [field]: garbage };
          await verify(JSON.stringify(broken) === JSON.stringify(good) ? undefined : broken);
          return;
        }
      }
    }),
    { numRuns: ATTEMPTS, seed: 17 },
  );
  expect([...tried.keys()].toSorted()).toEqual([...KINDS].toSorted());
  expect([...reasons]).toEqual(
    expect.arrayContaining(["invalid_signature", "challenge_used", "challenge_expired", "no_challenge", "malformed"]),
  );
});
