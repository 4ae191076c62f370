import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserTools, findBrowser, SessionBrowser } from "../../src/browser/index.ts";
import { openEgressProxy } from "../../src/network/index.ts";
import { makeNewId, type BrowserAbility, type ContentBlock } from "../../src/protocol/index.ts";
import { listProcesses } from "../../src/sandbox/processes.ts";
import { openLocalSandbox } from "../../src/sandbox/index.ts";
import { createToolbox, openToolSession, type RunToolOptions, type ToolResult } from "../../src/tools/index.ts";
import { browserPath } from "../support/programs.ts";

const PREFIX = "mcp__puppeteer__puppeteer_";

export interface BrowserWorld extends AsyncDisposable {
  readonly workspace: string;
  readonly browser: SessionBrowser;
  abilities: readonly BrowserAbility[];
  run(tool: string, input: Readonly<Record<string, unknown>>, options?: Partial<RunToolOptions>): Promise<ToolResult>;
  /** The texts of a result, and whether it is an error. */
  say(tool: string, input: Readonly<Record<string, unknown>>): Promise<readonly [boolean, ...string[]]>;
  /** Processes that still live. */
  left(): Promise<number>;
}

/** A session's browser without walls, behind a proxy with these hosts. */
export async function openBrowserWorld(
  hosts: readonly string[],
  {
    toolMs = 4_000,
    executable = browserPath,
  }: { readonly toolMs?: number; readonly executable?: string | undefined } = {},
): Promise<BrowserWorld> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-browser-")));
  const workspace = join(folder, "work");
  await mkdir(workspace);
  const marker = `browser-${folder}`;
  const environment = { PATH: process.env["PATH"], LANG: "C.UTF-8" };
  const sandbox = openLocalSandbox({ sessionId: "ses_browser", home: folder, marker, environment });
  const refused: string[] = [];
  const proxy = await openEgressProxy({
    listen: 0,
    hosts: () => hosts,
    onRefused: ({ message }) => refused.push(message),
  });
  let abilities: readonly BrowserAbility[] = ["downloads"];
  const browser = new SessionBrowser({
    program: findBrowser({ executable, searchPath: [] }),
    sandbox,
    workspace,
    place: async () => ({
      profile: join(folder, "profile"),
      network: { proxyUrl: `http://127.0.0.1:${String(proxy.port)}`, ownLoopback: false },
      close: () => rm(join(folder, "profile"), { recursive: true, force: true }),
    }),
    abilities: () => abilities,
    refusals: () => refused.splice(0),
    after: () => () => undefined,
    toolMs,
  });
  const newId = makeNewId(
    () => 1_700_000_000_000,
    (bytes) => bytes,
  );
  const outputFolder = join(folder, "output");
  const session = openToolSession({
    workspace,
    sandbox,
    outputFolder,
    extraRead: [],
    webHosts: [],
    newId,
    now: () => 1_700_000_000_000,
  });
  const toolbox = createToolbox(session, { extra: browserTools(browser, { isOffered: true }) });
  const run: BrowserWorld["run"] = (tool, input, more) =>
    toolbox.run(PREFIX + tool, input, { signal: new AbortController().signal, onOutput: () => undefined, ...more });
  return {
    workspace,
    browser,
    get abilities() {
      return abilities;
    },
    set abilities(given) {
      abilities = given;
    },
    run,
    say: async (tool, input) => {
      const { content, is_error } = await run(tool, input);
      return [is_error, ...texts(content)];
    },
    left: async () => (await listProcesses()).filter((entry) => entry.startedWith("SALLYPORT_INSTANCE", marker)).length,
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await toolbox.close();
      await sandbox.close();
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function texts(content: readonly ContentBlock[]): readonly string[] {
  return content.map((block) => (block.type === "text" ? block.text : `(${block.media_type})`));
}
