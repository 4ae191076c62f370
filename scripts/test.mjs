import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { changedSince, testsFor } from "./changed-tests.mjs";
import { bringPrograms } from "./programs.mjs";
import { root, setup } from "./setup.mjs";

/** One step of the whole test; the first that fails is the last. */
async function step(name, program, words) {
  console.log(`\n── ${name}`);
  const begun = Date.now();
  const child = spawn(program, words, {
    cwd: root,
    stdio: "inherit",
    shell: program === "npm" && process.platform === "win32",
  });
  const [status] = await once(child, "exit");
  const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
  if (status === 0) {
    console.log(`── ${name}: ok (${seconds} s)`);
    return;
  }
  console.error(`── ${name}: failed after ${seconds} s`);
  process.exit(status ?? 1);
}

/** `--changed` and `--changed=<ref>`: only the tests that depend on what has changed. Undefined: there are none. */
function wordsFor(words) {
  const changed = words.find((word) => /^--changed(?:=|$)/.test(word));
  if (changed === undefined) return words;
  const others = words.filter((word) => word !== changed);
  const paths = changedSince(root, changed.split("=")[1]);
  const tests = testsFor(root, paths);
  console.log(
    `\n${paths.length} changed files: ${tests === undefined ? "all tests" : `${tests.length} test files`} to run`,
  );
  if (tests === undefined) return others;
  return tests.length === 0 ? undefined : [...others, ...tests];
}

const words = wordsFor(process.argv.slice(2));
await setup();
const checks = step("format, lint, types, dead code", "npm", ["run", "--silent", "check"]);
// Programs are downloaded meanwhile: the one waits for the network, the other for the processor.
await Promise.all([checks, bringPrograms()]);
if (words !== undefined)
  await step("tests", process.execPath, [join(root, "node_modules", "vitest", "vitest.mjs"), "run", ...words]);
