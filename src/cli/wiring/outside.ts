import type { EgressSetup } from "../../network/index.ts";
import type { McpServerBook } from "../../sessions/index.ts";
import { SYSTEM_CLOCK } from "../../surfaces/index.ts";
import type { Telemetry } from "../../telemetry/index.ts";
import type { AnyTool } from "../../tools/index.ts";
import type { AppOptions } from "../app.ts";
import { openEgressCredentials } from "./egress-credentials.ts";
import { openMcpServers } from "./mcp-servers.ts";
import { openWebSearch } from "./web-search.ts";

/** What sessions reach outside, and with which secrets. */
export interface OutsideWorld {
  readonly egress: EgressSetup;
  readonly mcpServers: McpServerBook;
  /** Tools that ask others with a secret of the settings; empty: none. */
  readonly outsideTools: readonly AnyTool[];
}

export function openOutside(
  options: AppOptions,
  telemetry: Pick<Telemetry, "egressRefusal">,
  opened: (() => Promise<unknown>)[],
): OutsideWorld {
  const { settings, environment, redact, log, addressOf, clock = SYSTEM_CLOCK } = options;
  const stopped = new AbortController();
  opened.push(() => Promise.resolve(stopped.abort()));
  const context = { environment, redact, now: () => clock.now(), log, signal: stopped.signal };
  return {
    egress: {
      credentials: openEgressCredentials(settings, context),
      addressOf,
      onRefused: (reason) => telemetry.egressRefusal(reason),
    },
    mcpServers: openMcpServers(settings, { ...context, home: settings.home.value, addressOf }),
    outsideTools: openWebSearch(settings, context),
  };
}
