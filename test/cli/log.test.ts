import { afterEach, describe, expect, test, vi } from "vitest";
import { openLog } from "../../src/cli/log.ts";
import { makeRedactor } from "../../src/protocol/index.ts";

afterEach(() => void vi.restoreAllMocks());

describe("the server's log", () => {
  test("writes each line at once, as JSON, without secrets", () => {
    const lines: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
    const log = openLog("info", makeRedactor(["a-very-secret-key"]));
    log.info({ key: "a-very-secret-key" }, "GET /ws?token=sp_abc");
    // Nothing waits in a buffer for a later turn of the event loop.
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      key: "[redacted]",
      msg: "GET /ws?token=[redacted]",
    });
    log.error({ err: new Error("broken") }, "it failed");
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ err: { message: "broken", stack: expect.any(String) } });
  });
});
