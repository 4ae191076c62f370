import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SallyportClient } from "../../../src/client/index.ts";
import type { JournalEvent, McpServerView } from "../../../src/protocol/index.ts";
import { stringify } from "yaml";
import { openTestApp, type TestApp } from "../../support/app.ts";
import { until } from "../../support/until.ts";

/** The outputs of the MCP calls of a turn, in order. */
export function outputs(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === "item.completed" && event.item.type === "mcp_tool_call"
      ? [event.item.output?.map((block) => (block.type === "text" ? block.text : block.type)).join("") ?? ""]
      : [],
  );
}

/** What people were told. */
export function notices(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "error" ? [event.message] : []));
}

/** An app whose home has these settings and this policy before it starts. */
export function openWith(
  {
    settings,
    policy,
    files = {},
  }: {
    readonly settings?: object;
    readonly policy?: object;
    /** Beside the settings, only for their owner. */
    readonly files?: Readonly<Record<string, string>>;
  },
  environment: Readonly<Record<string, string>> = {},
  options: Parameters<typeof openTestApp>[1] & object = {},
): Promise<TestApp> {
  return openTestApp(environment, {
    ...options,
    prepare: async ({ home }) => {
      await mkdir(home, { recursive: true, mode: 0o700 });
      if (settings !== undefined) await writeFile(join(home, "sallyport.yaml"), stringify(settings), { mode: 0o600 });
      if (policy !== undefined) await writeFile(join(home, "policy.yaml"), stringify(policy), { mode: 0o600 });
      for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text, { mode: 0o600 });
      return () => Promise.resolve();
    },
  });
}

/** A server of a session, once it is so. */
export async function serverWhen(
  client: SallyportClient,
  id: string,
  isSo: (server: McpServerView) => boolean,
): Promise<McpServerView> {
  let found: McpServerView | undefined;
  await until(async () => {
    const { servers } = await client.sessionMcpServers(id);
    found = servers.find(isSo);
    return found !== undefined;
  });
  if (found === undefined) throw new Error("no such server");
  return found;
}
