import { describe, expect, test } from "vitest";
import {
  isPairingMac,
  newPairingCode,
  newPairingKeys,
  pairingSecrets,
  type PairingExchange,
} from "../../src/identity/index.ts";
import { pairingLink, parsePairingCode, parsePairingLink } from "../../src/protocol/index.ts";

const [caller, tunnel] = [newPairingKeys(), newPairingKeys()];
const exchange: PairingExchange = {
  tunnel_id: "work",
  role: "gateway",
  callerKey: caller.key,
  tunnelKey: tunnel.key,
};

describe("a pairing", () => {
  test("gives both sides the same key from the same code, and each a proof for the other", async () => {
    const here = await pairingSecrets("K7Q2M-4XTPB", { keys: caller, theirKey: tunnel.key, exchange });
    const there = await pairingSecrets("K7Q2M-4XTPB", { keys: tunnel, theirKey: caller.key, exchange });
    expect(here).toEqual(there);
    expect(here?.sharedKey).toMatch(/^[\w-]{43}$/);
    expect(here?.callerMac.equals(here.tunnelMac)).toBe(false);
    expect(isPairingMac(here?.callerMac.toString("hex") ?? "", there?.callerMac ?? Buffer.alloc(0))).toBe(true);
  });

  test("proves nothing with another code, tunnel, side or key", async () => {
    const right = await pairingSecrets("K7Q2M-4XTPB", { keys: tunnel, theirKey: caller.key, exchange });
    const mallory = newPairingKeys();
    const others = await Promise.all([
      pairingSecrets("K7Q2M-4XTPC", { keys: caller, theirKey: tunnel.key, exchange }),
      pairingSecrets("K7Q2M-4XTPB", {
        keys: caller,
        theirKey: tunnel.key,
        exchange: { ...exchange, tunnel_id: "home" },
      }),
      pairingSecrets("K7Q2M-4XTPB", { keys: caller, theirKey: tunnel.key, exchange: { ...exchange, role: "home" } }),
      // Who only stands in between, with a key of its own and without the code's owner.
      pairingSecrets("K7Q2M-4XTPB", { keys: mallory, theirKey: tunnel.key, exchange }),
    ]);
    for (const other of others) {
      expect(other?.sharedKey).not.toBe(right?.sharedKey);
      expect(isPairingMac(other?.callerMac.toString("hex") ?? "", right?.callerMac ?? Buffer.alloc(0))).toBe(false);
    }
  });

  test("refuses keys with which the result would not depend on this side's", async () => {
    for (const bad of ["00".repeat(32), `01${"00".repeat(31)}`, "", "zz"])
      expect(await pairingSecrets("K7Q2M-4XTPB", { keys: caller, theirKey: bad, exchange })).toBeUndefined();
  });
});

describe("a pairing code", () => {
  test("is ten letters and digits that cannot be taken for others, different each time", () => {
    const codes = Array.from({ length: 200 }, newPairingCode);
    expect(new Set(codes).size).toBe(200);
    for (const code of codes) {
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
      expect(parsePairingCode(code)).toBe(code);
    }
  });

  test.each([
    ["k7q2m4xtpb", "K7Q2M-4XTPB"],
    [" k7q2m 4xtpb ", "K7Q2M-4XTPB"],
    ["oO0Ii-lL1ab", "00011-111AB"],
    ["K7Q2M-4XTP", undefined],
    ["K7Q2M-4XTPBB", undefined],
    ["K7Q2M-4XTPU", undefined],
    ["", undefined],
  ])("%j is read as %j", (text, code) => expect(parsePairingCode(text)).toBe(code));

  test("and address and id are one link; nothing but that is one", () => {
    const link = pairingLink({ url: "wss://abc.example.org/claude?x=1", id: "work", code: "K7Q2M-4XTPB" });
    expect(link).toBe("wss://abc.example.org/claude?x=1&tunnel=work#K7Q2M-4XTPB");
    expect(parsePairingLink(` ${link} `)).toEqual({
      url: "wss://abc.example.org/claude?x=1",
      id: "work",
      code: "K7Q2M-4XTPB",
    });
    for (const other of [
      "wss://abc.example.org/claude?tunnel=work",
      "wss://abc.example.org/claude#K7Q2M-4XTPB",
      "https://abc.example.org/claude?tunnel=work#K7Q2M-4XTPB",
      "wss://abc.example.org/?tunnel=work#%zz",
      "work",
    ])
      expect(parsePairingLink(other)).toBeUndefined();
  });
});
