import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { conformanceSuite } from "../../support/mcp-servers.ts";
import { sample } from "../../support/sample.ts";

const SUPPORT = resolve(import.meta.dirname, "../../support");
const suite = conformanceSuite();

/**
 * All scenarios for clients, except the extensions that need no person (client credentials, cross-app access), and
 * `auth/2025-03-26-oauth-metadata-backcompat`: the suite's server there names another issuer than the one that was asked (RFC 8414, 3.3),
 * which we refuse.
 */
const SCENARIOS = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
];

it.skipIf(suite === undefined).each(sample(SCENARIOS, 6))(
  "the official suite for MCP clients: %s",
  async (scenario) => {
    const folder = await mkdtemp(join(tmpdir(), "sallyport-suite-"));
    const client = `${process.execPath} ${join(SUPPORT, "conformance-client.mjs")}`;
    const loader = join(SUPPORT, "conformance-loader.mjs");
    try {
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        ["--import", loader, suite ?? "", "client", "--command", client, "--scenario", scenario, "--timeout", "60000"],
        { cwd: folder },
      );
      expect(stdout + stderr).toContain("OVERALL: PASSED");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
