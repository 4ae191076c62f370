// The big counts that the issues name: 200 random kills, 100,000 broken messages, 100 kills
// of the vendor's program, the server or both under each engine, a crash at every named point under every engine, 10,000 sequences of
// file changes, restarts and approvals. SOAK_KILLS, SOAK_CRASHES_ABREAST,
// SOAK_MESSAGES, SOAK_ENGINE_KILLS, SOAK_SEQUENCES and SOAK_SEED change them. The figures that it prints belong into bench/RESULTS.md.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setup } from "./setup.mjs";

await setup();
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--config", "vitest.soak.config.ts", ...process.argv.slice(2)],
  {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
  },
);
process.exit(status ?? 1);
