import { expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../src/gate/index.ts";
import type { SessionSettings } from "../../src/protocol/index.ts";
import type { Sandbox } from "../../src/sandbox/index.ts";
import { ruleOn } from "../../src/sessions/permission/ruling.ts";
import { bench } from "../tools/fixture.ts";

const AT_END = {
  sandbox: "bubblewrap",
  network: "proxy_only",
  workspace_mode: "worktree",
  review: "at_end",
} as const;
const WALLS = { sandbox: "bubblewrap", network: "none", workspace_mode: "snapshot" } as const;

test.each<[string, Partial<SessionSettings>, Sandbox["kind"], string]>([
  ["a sandbox without network on a snapshot", WALLS, "bubblewrap", "allow"],
  ["settings that name a sandbox which is not there", WALLS, "local", "ask"],
  ["a sandbox that the settings do not name", { ...WALLS, sandbox: "local" }, "bubblewrap", "ask"],
  ["with allowed hosts", { ...WALLS, network: "proxy_only" }, "bubblewrap", "ask"],
  ["with the machine's network", { sandbox: "bubblewrap", workspace_mode: "snapshot" }, "bubblewrap", "ask"],
  ["on the folder itself", { ...WALLS, workspace_mode: "direct" }, "bubblewrap", "ask"],
  ["on a worktree", { ...WALLS, workspace_mode: "worktree" }, "bubblewrap", "ask"],
  ["a review at the end, on a worktree with allowed hosts", AT_END, "bubblewrap", "allow"],
  ["a review at the end in a sandbox that is not there", AT_END, "local", "ask"],
  ["a review at the end on the folder itself", { ...AT_END, workspace_mode: "direct" }, "bubblewrap", "ask"],
  ["a review at the end with the machine's network", { ...AT_END, network: "host" }, "bubblewrap", "ask"],
  ["a review of each change on a worktree", { ...AT_END, review: "each" }, "bubblewrap", "ask"],
])("%s", async (_name, walls, kind, effect) => {
  const { toolbox, workspace, session } = await bench();
  const settings: SessionSettings = {
    engine: "loop",
    provider: "sim",
    model: "sim",
    workspace,
    sandbox: "local",
    profile: "full",
    autonomy: "supervised",
    max_turns: 1,
    max_tokens: 1,
    unattended: "deny",
    approval_timeout_ms: 1,
    ...walls,
  };
  const environment = {
    toolbox,
    sandbox: { ...session.sandbox, kind },
    extraRead: [],
    isHidden: () => false,
    resolve: async (path: string) => path,
    look: async (path: string) => ({ real: path, exists: true }),
    busy: false,
    close: async () => undefined,
    discard: async () => undefined,
  };
  const token = { bounds: {}, parents: [] };
  const created_by = { id: "p", name: "p", role: "admin" } as const;
  const rulings = [];
  for (const [tool, input] of [
    ["Bash", { command: "npm test" }],
    ["Write", { file_path: `${workspace}/a`, content: "" }],
  ] as const)
    rulings.push(await ruleOn({ tool, input, settings, grants: [], created_by, token }, DEFAULT_POLICY, environment));
  expect(rulings.map(({ ruling }) => ruling.effect)).toEqual([effect, effect]);
});
