import { createECDH, createPublicKey, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  arePushKeys,
  encryptPush,
  newVapidSecret,
  vapidHeader,
  vapidKeys,
} from "../../../src/sessions/notifications/web-push.ts";
import { decryptPush, makeBrowserKeys } from "../../support/push-service.ts";

/** RFC 8291, section 5 and appendix A. */
const RFC = {
  plain: "When I grow up, I want to be a watermelon",
  key: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
  body:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_" +
    "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
} as const;

describe("web push", () => {
  it("encrypts as the example of RFC 8291 does", () => {
    const fixed = { salt: Buffer.from(RFC.salt, "base64url"), key: Buffer.from(RFC.key, "base64url") };
    expect(encryptPush(Buffer.from(RFC.plain), RFC.keys, fixed).toString("base64url")).toBe(RFC.body);
  });

  it("a browser reads what was encrypted for it; another one does not; no two messages are the same", () => {
    const [mine, other] = [makeBrowserKeys(), makeBrowserKeys()];
    const bodies = [1, 2].map(() => encryptPush(Buffer.from("who waits?"), mine.keys));
    expect(bodies.map((body) => decryptPush(body, mine))).toEqual(["who waits?", "who waits?"]);
    expect(bodies[0]?.equals(bodies[1] ?? Buffer.alloc(0))).toBe(false);
    expect(() => decryptPush(bodies[0] ?? Buffer.alloc(0), other)).toThrow();
  });

  it("signs for one push service and for hours, with the key that browsers know", () => {
    const keys = vapidKeys(newVapidSecret());
    const now = Date.UTC(2026, 10, 17);
    const header = vapidHeader(keys, {
      endpoint: new URL("https://push.example.net/send/abc?x=1"),
      contact: "mailto:a@example.org",
      now,
    });
    const [, head = "", claims = "", signature = "", known] =
      /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(.+)$/.exec(header) ?? [];
    expect(known).toBe(keys.publicKey);
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ typ: "JWT", alg: "ES256" });
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({
      aud: "https://push.example.net",
      exp: now / 1_000 + 43_200,
      sub: "mailto:a@example.org",
    });
    const point = Buffer.from(keys.publicKey, "base64url");
    const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
    const key = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    const text = Buffer.from(`${head}.${claims}`);
    expect(verify("sha256", text, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"))).toBe(true);
  });

  it("takes only keys that a browser can have", () => {
    const { keys } = makeBrowserKeys();
    const off = Buffer.from(keys.p256dh, "base64url");
    off[40] = (off[40] ?? 0) ^ 1;
    expect(arePushKeys(keys)).toBe(true);
    expect(arePushKeys(RFC.keys)).toBe(true);
    expect(arePushKeys({ ...keys, auth: "AAAA" })).toBe(false);
    expect(arePushKeys({ ...keys, p256dh: off.toString("base64url") })).toBe(false);
    const compressed = createECDH("prime256v1").generateKeys("base64url", "compressed");
    expect(arePushKeys({ ...keys, p256dh: compressed })).toBe(false);
  });
});
