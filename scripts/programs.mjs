// Brings the vendors' programs that the tests run into a cache of this clone. `npm test` calls it; alone: node scripts/programs.mjs [name …]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { root, setup } from "./setup.mjs";

/** One folder for each program, as `sallyport engine install` makes them. */
export const programsFolder = join(root, "node_modules", ".cache", "sallyport-programs");

/** Those that `npm test` runs; a soak run brings the others when they are named. */
const EVERYDAY = ["codex", "opencode", "gemini", "qwen", "claude-agent-acp"];

/** The official MCP servers, document 004's, and the conformance suite for clients, in one folder: they share their packages. Only tests run them. */
const MCP_SERVERS = [
  ...["everything", "filesystem", "memory"].map((name) => `@modelcontextprotocol/server-${name}@2026.8.31`),
  "@modelcontextprotocol/conformance@0.1.16",
  // Without its scripts it downloads no browser.
  "puppeteer-mcp-server@0.7.2",
];

/** Installs what is missing, as `sallyport engine install` does. A program that cannot be had is said, and its tests are left out. */
export async function bringPrograms(names = EVERYDAY) {
  const built = (path) => import(pathToFileURL(join(root, "dist", path)).href);
  const { VENDOR_PROGRAMS } = await built("engines/vendor/programs.js");
  const { installProgram } = await built("cli/programs/install.js");
  const install = (name) => installProgram({ name, folder: programsFolder, environment: process.env, now: Date.now });
  for (const name of names) {
    const wanted = `${VENDOR_PROGRAMS[name].package}@${VENDOR_PROGRAMS[name].version}`;
    await bring({ name, wanted }, () => install(name));
  }
  await bring({ name: "mcp-servers", wanted: MCP_SERVERS.join(" ") }, installMcpServers);
}

async function bring({ name, wanted }, install) {
  const stamp = join(programsFolder, name, ".installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log(`Installing ${wanted} for the tests …`);
  try {
    await install();
  } catch (error) {
    console.error(`${wanted} could not be installed, so its tests are left out: ${error.message}`);
  }
}

function installMcpServers() {
  const folder = join(programsFolder, "mcp-servers");
  const making = `${folder}.making-${process.pid}`;
  for (const path of [folder, making]) rmSync(path, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  // A package of theirs that asks for a newer Node than it needs must not leave all of them out.
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--engine-strict=false"];
  const { status } = spawnSync("npm", ["install", "--prefix", making, ...flags, ...MCP_SERVERS], {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status === 0) {
    writeFileSync(join(making, ".installed"), MCP_SERVERS.join(" "));
    renameSync(making, folder);
    return;
  }
  rmSync(making, { recursive: true, force: true });
  throw new Error(`npm ended with ${status}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setup();
  await bringPrograms(process.argv.length > 2 ? process.argv.slice(2) : undefined);
}
