/**
 * Runs inside a sandbox: `attacks.mjs <targets.json> <group> …`. Each attack says in one line of JSON what it got, and nothing of a
 * canary but its kind: so no redactor on the way can hide one.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { egress } from "./egress.mjs";
import { files } from "./files.mjs";
import { keys } from "./keys.mjs";
import { model } from "./model.mjs";
import { proxy } from "./proxy.mjs";

const [targetsFile, ...groups] = process.argv.slice(2);
const targets = JSON.parse(readFileSync(targetsFile, "utf8"));
const known = { keys, egress, files, proxy, model };

for (const group of groups) {
  if (group === "calls") {
    const program = join(targets.workspace, "calls");
    // The machine that has no compiler leaves them out; the suite says so.
    if (existsSync(program))
      process.stdout.write(execFileSync(program, [targets.abstractSocket], { cwd: targets.workspace }));
    continue;
  }
  for (const [attack, body] of Object.entries(known[group])) {
    let got;
    try {
      got = (await body(targets)) || undefined;
    } catch (error) {
      got = undefined;
      process.stderr.write(`${attack}: ${String(error)}\n`);
    }
    process.stdout.write(
      `${JSON.stringify({ attack, escaped: got !== undefined, detail: got === undefined ? "" : String(got).slice(0, 200) })}\n`,
    );
  }
}
