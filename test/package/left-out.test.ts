import { expect, it } from "vitest";
import { leftOut } from "../support/left-out.ts";

it("tests that were left out are told in one line, with what brings the missing programs", () => {
  const needed = [
    { what: "Chromium", command: "apt-get install chromium", isThere: () => false },
    { what: "tar", command: "apt-get install tar", isThere: () => true },
    { what: "rsync", command: "apt-get install rsync", isThere: () => false },
  ];
  expect(leftOut(7, needed)).toBe(
    "Tests left out: 7. Missing here: Chromium (apt-get install chromium), rsync (apt-get install rsync)",
  );
  // Skipped for another reason, or nothing skipped at all.
  expect(leftOut(7, needed.slice(1, 2))).toBeUndefined();
  expect(leftOut(0, needed)).toBeUndefined();
});
