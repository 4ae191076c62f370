import { describe, expect, it } from "vitest";
import { bestFiles } from "../../src/sessions/workspace/file-match.ts";

const FILES = [
  "README.md",
  "src/server.ts",
  "src/surfaces/server.ts",
  "src/surfaces/canonical-socket.ts",
  "src/sessions/session.ts",
  "src/sessions/session-desk.ts",
  "test/server/readme.txt",
  "Makefile",
];

describe("finding files by a few letters", () => {
  it.each([
    ["", ["Makefile", "README.md", "src/server.ts"]],
    ["readme.md", ["README.md"]],
    ["README", ["README.md", "test/server/readme.txt"]],
    ["server.ts", ["src/server.ts", "src/surfaces/server.ts"]],
    ["serv", ["src/server.ts", "src/surfaces/server.ts", "test/server/readme.txt"]],
    ["sessions/session", ["src/sessions/session.ts", "src/sessions/session-desk.ts"]],
    ["csock", ["src/surfaces/canonical-socket.ts"]],
    ["sdesk", ["src/sessions/session-desk.ts"]],
    ["srcsurser", ["src/surfaces/server.ts"]],
    ["mkf", ["Makefile"]],
    ["  makefile ", ["Makefile"]],
    ["zzz", []],
    ["*", []],
  ])("%j", (query, found) => {
    expect(bestFiles(FILES, query, 3)).toEqual(found);
  });

  it("gives as many as were asked for", () => {
    expect(bestFiles(FILES, "s", 2)).toHaveLength(2);
  });
});
