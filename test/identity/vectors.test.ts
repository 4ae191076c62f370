import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decodeBech32, encodeBech32 } from "../../src/identity/bech32.ts";
import { conversationKey, decryptText, encryptText, messageKeys, paddedLength } from "../../src/identity/nip44.ts";
import {
  hexOf,
  npubOf,
  parsePublicKey,
  parseSecretKey,
  parseSignature,
  publicKeyOf,
  signSchnorr,
  verifySchnorr,
} from "../../src/identity/index.ts";

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"));
const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

describe("BIP-340's published vectors", () => {
  const rows = read("bip-0340.csv")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",", 7));
  expect(rows).toHaveLength(19);

  test.each(rows)(
    "vector %s",
    async (_index, secret = "", pubkey = "", auxiliary = "", message = "", signature = "", result) => {
      const verdict = await verifySchnorr(bytes(message), { signature: bytes(signature), pubkey: bytes(pubkey) });
      expect(verdict).toBe(result === "TRUE");
      if (secret === "") return;
      expect(hexOf((await publicKeyOf(bytes(secret))) ?? bytes("")).toUpperCase()).toBe(pubkey);
      const made = await signSchnorr(bytes(message), { secretKey: bytes(secret), auxiliary: bytes(auxiliary) });
      expect(hexOf(made).toUpperCase()).toBe(signature);
    },
  );

  test("a signature of another length, or by a key of another length, is none", async () => {
    const [, , pubkey = "", , message = "", signature = ""] = rows[0] ?? [];
    const whole = { signature: bytes(signature), pubkey: bytes(pubkey) };
    expect(await verifySchnorr(bytes(message), { ...whole, signature: whole.signature.slice(1) })).toBe(false);
    expect(await verifySchnorr(bytes(message), { ...whole, pubkey: whole.pubkey.slice(1) })).toBe(false);
  });
});

interface Nip44Vectors {
  readonly valid: {
    readonly get_conversation_key: readonly Readonly<Record<"sec1" | "pub2" | "conversation_key", string>>[];
    readonly get_message_keys: {
      readonly conversation_key: string;
      readonly keys: readonly Readonly<Record<"nonce" | "chacha_key" | "chacha_nonce" | "hmac_key", string>>[];
    };
    readonly calc_padded_len: readonly (readonly [number, number])[];
    readonly encrypt_decrypt: readonly Readonly<
      Record<"sec1" | "sec2" | "conversation_key" | "nonce" | "plaintext" | "payload", string>
    >[];
    readonly encrypt_decrypt_long_msg: readonly (Readonly<
      Record<"conversation_key" | "nonce" | "pattern" | "plaintext_sha256" | "payload_sha256", string>
    > & { readonly repeat: number })[];
  };
  readonly invalid: {
    readonly encrypt_msg_lengths: readonly number[];
    readonly get_conversation_key: readonly Readonly<Record<"sec1" | "pub2" | "note", string>>[];
    readonly decrypt: readonly Readonly<Record<"conversation_key" | "payload" | "note", string>>[];
  };
}

describe("NIP-44's published vectors", () => {
  const { valid, invalid } = (JSON.parse(read("nip44.vectors.json")) as { readonly v2: Nip44Vectors }).v2;

  test("conversation keys", async () => {
    for (const { sec1, pub2, conversation_key } of valid.get_conversation_key)
      expect(hexOf(await conversationKey({ secretKey: bytes(sec1), pubkey: bytes(pub2) }))).toBe(conversation_key);
    for (const { sec1, pub2, note } of invalid.get_conversation_key)
      await expect(conversationKey({ secretKey: bytes(sec1), pubkey: bytes(pub2) }), note).rejects.toMatchObject({
        code: "invalid_request",
      });
  });

  test("message keys and padding", () => {
    const { conversation_key, keys } = valid.get_message_keys;
    for (const { nonce, ...expected } of keys) {
      const { cipher, start, mac } = messageKeys(bytes(conversation_key), bytes(nonce));
      const made = { chacha_key: hexOf(cipher), chacha_nonce: hexOf(start.subarray(4)), hmac_key: hexOf(mac) };
      expect(made).toEqual(expected);
    }
    for (const [length, padded] of valid.calc_padded_len) expect(paddedLength(length)).toBe(padded);
  });

  test("texts, encrypted and decrypted", async () => {
    for (const { sec1, sec2, conversation_key, nonce, plaintext, payload } of valid.encrypt_decrypt) {
      const pubkey = (await publicKeyOf(bytes(sec2))) ?? bytes("");
      const key = await conversationKey({ secretKey: bytes(sec1), pubkey });
      expect(hexOf(key)).toBe(conversation_key);
      expect(encryptText(plaintext, { key, nonce: bytes(nonce) })).toBe(payload);
      expect(decryptText(payload, key)).toBe(plaintext);
    }
    const { createHash } = await import("node:crypto");
    const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
    for (const { conversation_key, nonce, pattern, repeat, ...sums } of valid.encrypt_decrypt_long_msg) {
      const text = pattern.repeat(repeat);
      const payload = encryptText(text, { key: bytes(conversation_key), nonce: bytes(nonce) });
      expect({ plaintext_sha256: sha256(text), payload_sha256: sha256(payload) }).toEqual(sums);
      expect(decryptText(payload, bytes(conversation_key))).toBe(text);
    }
  });

  test("anything that is not text, or not a payload, is refused", () => {
    const key = bytes("11".repeat(32));
    for (const length of invalid.encrypt_msg_lengths)
      expect(() => encryptText("x".repeat(length), { key })).toThrow("a text to encrypt has 1 to 65535 bytes");
    for (const { conversation_key, payload, note } of invalid.decrypt)
      expect(() => decryptText(payload, bytes(conversation_key)), note).toThrow("this cannot be decrypted");
  });
});

describe("keys as text", () => {
  // NIP-19's examples, and the public key of NIP-06's first mnemonic.
  const NPUB = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg";
  const HEX = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e";
  const NSEC = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";
  const SECRET = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa";

  test("NIP-19's npub and nsec", async () => {
    expect(hexOf((await parsePublicKey(NPUB)) ?? bytes(""))).toBe(HEX);
    expect(npubOf(bytes(HEX))).toBe(NPUB);
    expect(hexOf((await parseSecretKey(NSEC)) ?? bytes(""))).toBe(SECRET);
    expect(hexOf((await parsePublicKey(HEX.toUpperCase())) ?? bytes(""))).toBe(HEX);
    expect(hexOf((await parsePublicKey(NPUB.toUpperCase())) ?? bytes(""))).toBe(HEX);
    const nip06 = "npub1zutzeysacnf9rru6zqwmxd54mud0k44tst6l70ja5mhv8jjumytsd2x7nu";
    expect(hexOf((await parsePublicKey(nip06)) ?? bytes(""))).toBe(
      "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917",
    );
  });

  test("one wrong letter, mixed capitals, another prefix or length is no key", async () => {
    for (let at = 0; at < NPUB.length; at += 1) {
      const other = NPUB[at] === "q" ? "p" : "q";
      expect(decodeBech32("npub", `${NPUB.slice(0, at)}${other}${NPUB.slice(at + 1)}`)).toBeUndefined();
    }
    for (const text of [
      "",
      "npub1",
      NPUB.slice(0, -1),
      NSEC,
      `N${NPUB.slice(1)}`,
      HEX.slice(1),
      `${HEX}00`,
      `0x${HEX}`,
    ])
      expect(await parsePublicKey(text), text).toBeUndefined();
    expect(await parsePublicKey(encodeBech32("npub", bytes("01".repeat(31))))).toBeUndefined();
    // Not a point of the curve (BIP-340's vector 5), and not a number of it.
    expect(await parsePublicKey("EEFDEA4CDB677750A420FEE807EACF21EB9898AE79B9768766E4FAA04A2D4A34")).toBeUndefined();
    expect(await parseSecretKey("00".repeat(32))).toBeUndefined();
    expect(await parseSecretKey("ff".repeat(32))).toBeUndefined();
    expect(await parseSecretKey(NPUB)).toBeUndefined();
  });

  test("signatures are hex or base64, 64 bytes", () => {
    const signature = bytes("ab".repeat(64));
    expect(parseSignature("ab".repeat(64))).toEqual(signature);
    expect(parseSignature(Buffer.from(signature).toString("base64"))).toEqual(signature);
    for (const text of ["", "ab".repeat(63), "zz".repeat(64), Buffer.from("short").toString("base64")])
      expect(parseSignature(text)).toBeUndefined();
  });
});
