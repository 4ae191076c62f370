// Brings the vendors' programs that the tests run into a cache of this clone. `npm test` calls it; alone: node scripts/programs.mjs [name …]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { root, setup } from "./setup.mjs";

/** One folder for each program, as `sallyport engine install` makes them. */
export const programsFolder = join(root, "node_modules", ".cache", "sallyport-programs");

/** Those that `npm test` runs; a soak run brings the others when they are named. */
const EVERYDAY = ["codex", "opencode", "gemini", "qwen"];

/** The official MCP servers, in one folder: they share their packages. Only tests run them. */
const MCP_SERVERS = ["everything", "filesystem", "memory"].map(
  (name) => `@modelcontextprotocol/server-${name}@2026.8.31`,
);

/** Installs what is missing. A program that cannot be had is said, and its tests are left out. */
export async function bringPrograms(names = EVERYDAY) {
  const { VENDOR_PROGRAMS } = await import(pathToFileURL(join(root, "dist/engines/vendor/programs.js")).href);
  for (const name of names) bring(name, [`${VENDOR_PROGRAMS[name].package}@${VENDOR_PROGRAMS[name].version}`]);
  bring("mcp-servers", MCP_SERVERS);
}

function bring(name, packages) {
  const folder = join(programsFolder, name);
  const wanted = packages.join(" ");
  const stamp = join(folder, ".installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log(`Installing ${wanted} for the tests …`);
  rmSync(folder, { recursive: true, force: true });
  const making = `${folder}.making-${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const words = [
    "install",
    "--prefix",
    making,
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--no-save",
    ...packages,
  ];
  const { status } = spawnSync("npm", words, {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status === 0) {
    writeFileSync(join(making, ".installed"), wanted);
    renameSync(making, folder);
    return;
  }
  rmSync(making, { recursive: true, force: true });
  console.error(`${wanted} could not be installed: its tests are left out.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setup();
  await bringPrograms(process.argv.length > 2 ? process.argv.slice(2) : undefined);
}
