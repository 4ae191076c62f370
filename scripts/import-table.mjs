// Fails where a folder under src/ imports another one that it may not. Part of `npm run check`.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What each folder may import beside itself. `cli` may import everything. @type {Record<string, string>} */
const MAY_IMPORT = {
  protocol: "",
  sim: "",
  fuse: "",
  network: "protocol",
  workspaces: "protocol",
  store: "protocol",
  gate: "protocol",
  instructions: "protocol",
  imports: "protocol",
  sandbox: "protocol",
  connections: "protocol",
  identity: "protocol",
  client: "protocol",
  contexts: "protocol",
  ledger: "protocol store",
  tools: "protocol gate instructions network sandbox workspaces",
  "mcp-client": "protocol network sandbox tools",
  proxy: "protocol gate ledger",
  telemetry: "protocol proxy",
  tunnels: "protocol identity proxy",
  engines: "protocol tools sandbox",
  sessions:
    "protocol store gate instructions ledger network sandbox tools connections proxy engines workspaces mcp-client identity tunnels",
  surfaces: "protocol gate sessions",
  "web/ui": "protocol client",
  "web/panel": "protocol client contexts web/ui",
  "web/console": "protocol client contexts imports web/ui",
  "web/workbench": "protocol client contexts web/ui web/panel",
};
/** They run in browsers, and import nothing of Node. */
const IN_BROWSERS = /^(?:protocol|client|contexts|imports|web\/)/;
/** The build itself. */
const NOT_CHECKED = new Set(["src/web/vite.config.ts"]);
const IMPORT = /(?:from|import|import\() ?"([^"]+)"/g;

/** `src/web/console/app/x.tsx` is of `web/console`. @param {string} path */
function folderOf(path) {
  const [, first = "", second = ""] = path.split("/");
  return first === "web" ? `web/${second}` : first;
}

/** @param {string} from @param {string} specifier */
function problemOf(from, specifier) {
  const folder = folderOf(from);
  if (folder === "cli") return undefined;
  if (!specifier.startsWith(".")) {
    return specifier.startsWith("node:") && IN_BROWSERS.test(folder) ? `${folder} runs in browsers` : undefined;
  }
  const target = posix.normalize(posix.join(posix.dirname(from), specifier));
  const other = folderOf(target);
  if (!target.startsWith("src/") || other === folder) return undefined;
  const allowed = MAY_IMPORT[folder];
  if (allowed === undefined) return `${folder} is not in the table of scripts/import-table.mjs`;
  return allowed.split(" ").includes(other) ? undefined : `${folder} may import ${allowed || "no other folder"}`;
}

for (const entry of readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const from = relative(ROOT, path).split(sep).join("/");
  if (NOT_CHECKED.has(from)) continue;
  for (const [, specifier = ""] of readFileSync(path, "utf8").matchAll(IMPORT)) {
    const problem = problemOf(from, specifier);
    if (problem === undefined) continue;
    console.error(`${from} imports ${specifier}: ${problem}`);
    process.exitCode = 1;
  }
}
