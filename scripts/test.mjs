import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, setup } from "./setup.mjs";

/** One step of the whole test; the first that fails is the last. */
function step(name, program, words) {
  console.log(`\n── ${name}`);
  const begun = Date.now();
  const result = spawnSync(program, words, {
    cwd: root,
    stdio: "inherit",
    shell: program === "npm" && process.platform === "win32",
  });
  const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
  if (result.status === 0) {
    console.log(`── ${name}: ok (${seconds} s)`);
    return;
  }
  console.error(`── ${name}: failed after ${seconds} s`);
  process.exit(result.status ?? 1);
}

await setup();
step("format, lint, types, dead code", "npm", ["run", "--silent", "check"]);
step("tests", process.execPath, [join(root, "node_modules", "vitest", "vitest.mjs"), "run", ...process.argv.slice(2)]);
