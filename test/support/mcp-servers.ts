import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { McpServers } from "../../src/protocol/index.ts";
import { PROGRAMS_FOLDER } from "./vendor-programs.ts";

/** Where scripts/programs.mjs puts the official servers that the tests run. */
const MCP_SERVERS_FOLDER = join(PROGRAMS_FOLDER, "mcp-servers");

/** The official server of this name, as a session request names it; undefined: it is not in the cache, and its tests are left out. */
export function officialServer(name: "everything" | "filesystem" | "memory"): string | undefined {
  const path = join(MCP_SERVERS_FOLDER, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js");
  return existsSync(path) ? path : undefined;
}

/** Document 004's server of browser tools; undefined: it is not in the cache, and its test is left out. */
export function puppeteerServer(): string | undefined {
  const path = join(MCP_SERVERS_FOLDER, "node_modules/puppeteer-mcp-server/dist/index.js");
  return existsSync(path) ? path : undefined;
}

const SCRIPTED = resolve(import.meta.dirname, "scripted-mcp-server.mjs");

/** A server that does as it is told, badly too; see scripted-mcp-server.mjs. */
export function scriptedServer(behaviour: Readonly<Record<string, unknown>> = {}): McpServers[string] {
  return { command: process.execPath, args: [SCRIPTED, JSON.stringify(behaviour)] };
}

/** The official conformance suite for MCP clients; undefined: it is not in the cache, and its tests are left out. */
export function conformanceSuite(): string | undefined {
  const path = join(MCP_SERVERS_FOLDER, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  return existsSync(path) ? path : undefined;
}
