// Puts the built product beside the container's Dockerfile, so that the platform can build the image from that folder alone.
import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../..");
const target = resolve(import.meta.dirname, "../dockerfiles/claude-runtime");
const { dependencies, devDependencies, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const claude = { ...dependencies, ...devDependencies }["@anthropic-ai/claude-agent-sdk"];

const [packed] = JSON.parse(
  execFileSync("npm", ["pack", "--json", "--pack-destination", target], { cwd: root, encoding: "utf8" }),
);
renameSync(join(target, packed.filename), join(target, "sallyport.tgz"));
writeFileSync(join(target, "sallyport.json"), `${JSON.stringify({ version, claude }, undefined, 2)}\n`);
process.stdout.write(`sallyport ${version} with Claude's program ${claude} is in ${target}\n`);
