import { describe, expect, test } from "vitest";
import { LIMITS, makeRedactor, PieceRedactor } from "../../src/protocol/index.ts";

describe("a redactor that learns", () => {
  test("knows a secret from then on, plain and as it stands in JSON", () => {
    const redact = makeRedactor(["the first secret"]);
    const secret = 'a "quoted" \\ key';
    const text = `${JSON.stringify({ secret })} ${secret} the first secret`;
    expect(redact(text)).toContain("key");
    redact.learn(secret);
    expect(redact(text)).toBe('{"secret":"[redacted]"} [redacted] [redacted]');
  });

  test("what is shorter than eight characters is not a secret", () => {
    const redact = makeRedactor([]);
    redact.learn("ordinary".slice(0, 7));
    expect(redact("ordinary words")).toBe("ordinary words");
  });

  test("a secret inside another one leaves nothing of it standing", () => {
    const redact = makeRedactor([]);
    redact.learn("middle-part");
    redact.learn("first-middle-part-last");
    expect(redact("first-middle-part-last, middle-part")).toBe("[redacted], [redacted]");
  });

  test("the oldest is forgotten, one that is learnt again is young, and those that were given stay", () => {
    const given = "given-from-the-start";
    const redact = makeRedactor([given]);
    const secret = (index: number): string => `learnt-secret-number-${String(index).padStart(4, "0")}`;
    for (let index = 0; index < LIMITS.redactedSecrets; index += 1) redact.learn(secret(index));
    redact.learn(secret(0));
    redact.learn(secret(LIMITS.redactedSecrets));
    const shown = [given, secret(0), secret(1), secret(2), secret(LIMITS.redactedSecrets)].map((text) => redact(text));
    expect(shown).toEqual(["[redacted]", "[redacted]", secret(1), "[redacted]", "[redacted]"]);
  });

  test("what looks like a key is hidden, but not a text that is longer than any key, and nothing where a person decides", () => {
    const redact = makeRedactor(["a known secret"]);
    const key = `sk-ant-${"a1".repeat(50)}`;
    const text = `${key} sk-ant-${"a1".repeat(200)} a known secret`;
    expect(redact(text)).toBe(`[redacted] sk-ant-${"a1".repeat(200)} [redacted]`);
    expect(redact.exact(text)).toBe(`${key} sk-ant-${"a1".repeat(200)} [redacted]`);
  });

  test("holds back the beginning of what it has learnt meanwhile", () => {
    const redact = makeRedactor([]);
    const pieces = new PieceRedactor(redact);
    redact.learn("0123456789");
    expect([pieces.next("a", "see 01234"), pieces.next("a", "56789 there"), pieces.end("a")]).toEqual([
      "see ",
      "[redacted] there",
      "",
    ]);
  });
});
