import { defineConfig } from "vitest/config";
import everyday from "./vitest.config.ts";

/** Of these `npm test` runs a sample. */
const SAMPLED = [
  "test/bench/quick.test.ts",
  "test/e2e/console/inspect-*.test.ts",
  "test/e2e/workbench/*-inspect.test.ts",
  "test/promises/nothing-leaked/vendor-warm.test.ts",
  "test/promises/nothing-lost/{drain,engine-floods,engine-kills,hostile-programs,killed-at-work,long-waits,vendor-kills}.test.ts",
  "test/promises/nothing-overspent/{killed,torture}.test.ts",
  "test/promises/nothing-unseen/sequences.test.ts",
  "test/cli/{doctor-start,trusted-files}.test.ts",
  "test/conformance/engines.{acp-*,claude-*,codex,loop-*,opencode,walls}.test.ts",
  "test/engines/acp/workspace.test.ts",
  "test/engines/claude/{resume,resume-kills,stops}.test.ts",
  "test/gate/{evaluate,guarded}-properties.test.ts",
  "test/identity/forged.test.ts",
  "test/ledger/model.test.ts",
  "test/sandbox/conformance.test.ts",
  "test/store/crash.test.ts",
  "test/surfaces/{answers,bridge-agents}.test.ts",
  "test/surfaces/mcp/{authority,conversation,described}.test.ts",
  "test/surfaces/mcp-client/{conformance,login,official}.test.ts",
  "test/tools/{paths,reading-properties}.test.ts",
  "test/tunnels/chaos.test.ts",
  "test/walls/red-team/*.test.ts",
  "test/workspaces/hostile-repositories.test.ts",
];

/** The big counts, run by `npm run soak`: one after the other, however long they take. */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    include: ["test/soak/**/*.soak.ts", ...SAMPLED],
    env: { SALLYPORT_TESTS: "full" },
    maxWorkers: 1,
  },
});
