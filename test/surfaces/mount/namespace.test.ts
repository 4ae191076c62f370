import { describe, expect, it } from "vitest";
import { caller } from "../../support/caller.ts";
import type { AccessLevel } from "../../../src/protocol/index.ts";
import type { FileService } from "../../../src/surfaces/mount/file-service.ts";
import { Namespace } from "../../../src/surfaces/mount/namespace.ts";

const CALLER = caller("tok_1", "admin");
const encoder = new TextEncoder();

/** Answers with its own name and the path that it was asked for. */
function echo(name: string): FileService {
  const answer = async (path: string): Promise<Uint8Array> => encoder.encode(`${name}:${path}`);
  return {
    stat: async () => ({ is_dir: false, size: 0, readable: true, writable: true, watchable: false }),
    list: async () => [],
    read: (_caller, path) => answer(path),
    write: async () => undefined,
    call: (_caller, path) => answer(path),
    follow: async () => (async function* () {})(),
    watch: async () => (async function* () {})(),
  };
}

async function outcome(act: Promise<unknown>): Promise<string> {
  return act.then(
    (value) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : "done"),
    (error: { code: string }) => error.code,
  );
}

describe("a namespace of mounts", () => {
  it("gives a path to the longest mount that it lies in, by whole segments", async () => {
    const space = new Namespace();
    for (const path of ["/claude", "/claude/sessions/shared", "/claude-review"])
      space.mount({ path, files: echo(path), access: "read_write" });
    const cases = {
      "/claude": "/claude:",
      "/claude/": "/claude:",
      "/claude/sessions": "/claude:sessions",
      "/claude/sessions/sharedness": "/claude:sessions/sharedness",
      "/claude/sessions/shared": "/claude/sessions/shared:",
      "/claude/sessions/shared/x/y": "/claude/sessions/shared:x/y",
      "/claude-review/policy": "/claude-review:policy",
      "/claude-reviews/policy": "not_found",
      "/claud": "not_found",
      "/": "not_found",
      claude: "invalid_request",
      "/claude/../policy": "invalid_request",
      "/claude/./policy": "invalid_request",
      "/claude//policy": "invalid_request",
      "/claude/a\\b": "invalid_request",
      "/claude/a\u0007": "invalid_request",
    };
    const told = Object.fromEntries(
      await Promise.all(Object.keys(cases).map(async (path) => [path, await outcome(space.read(CALLER, path))])),
    );
    expect(told).toEqual(cases);
    expect(() => space.mount({ path: "/claude", files: echo("again"), access: "budgeted" })).toThrow("already");
  });

  it.each([
    ["read_only", "done", "forbidden", "done", "forbidden"],
    ["read_write", "done", "done", "done", "done"],
    ["budgeted", "done", "done", "done", "done"],
    ["sign_only", "forbidden", "forbidden", "done", "done"],
    ["disabled", "forbidden", "forbidden", "forbidden", "forbidden"],
  ] as const satisfies readonly (readonly [AccessLevel, string, string, string, string])[])(
    "%s: stat %s, write %s; of a signing file %s and %s",
    async (access, ...expected) => {
      const space = new Namespace();
      space.mount({ path: "/identity", files: echo("identity"), access });
      const bytes = encoder.encode("x");
      expect([
        await outcome(space.stat(CALLER, "/identity/secret", { sized: true })),
        await outcome(space.write(CALLER, "/identity/secret", bytes)),
        await outcome(space.stat(CALLER, "/identity/sign", { sized: true })),
        await outcome(space.write(CALLER, "/identity/sign", bytes)),
      ]).toEqual(expected);
    },
  );
});
