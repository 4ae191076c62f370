import { expect, test } from "vitest";
import { definePanel, SallyportPanel } from "../../../src/web/panel/index.ts";

test("a server that renders pages can load the panel; there it defines nothing", () => {
  expect(() => definePanel()).not.toThrow();
  expect(typeof SallyportPanel).toBe("function");
});
