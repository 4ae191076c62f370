import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { makeNewId } from "../../src/protocol/index.ts";
import { listProcesses } from "../../src/sandbox/processes.ts";
import { openLocalSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import {
  createToolbox,
  openToolSession,
  type ExtensibleToolbox,
  type RunToolOptions,
  type Toolbox,
  type ToolboxOptions,
  type ToolSession,
} from "../../src/tools/index.ts";

type Input = Readonly<Record<string, unknown>>;

export interface Bench {
  /** Real. */
  readonly workspace: string;
  /** Real; outside the workspace. */
  readonly outside: string;
  readonly session: ToolSession;
  readonly toolbox: ExtensibleToolbox;
  /** Everything that came while tools ran. */
  readonly streamed: string[];
  path(name: string): string;
  put(name: string, content: string | Buffer, mode?: number): Promise<string>;
  get(name: string): Promise<string>;
  run(tool: string, input: Input, options?: Partial<RunToolOptions>): ReturnType<Toolbox["run"]>;
  /** The text of a result that must not be an error. */
  text(tool: string, input: Input, options?: Partial<RunToolOptions>): Promise<string>;
  /** The text of a result that must be an error. */
  error(tool: string, input: Input, options?: Partial<RunToolOptions>): Promise<string>;
  /** Pids of processes that this bench started and that still live. */
  left(): Promise<readonly number[]>;
}

export interface BenchOptions extends ToolboxOptions {
  readonly webHosts?: readonly string[];
  readonly extraRead?: (folder: string) => readonly string[];
  readonly hidden?: (folder: string) => readonly string[];
}

const ID_DIGITS = 13;

/** Ids that count: 1, 2, 3 … */
function counter(): (bytes: Uint8Array<ArrayBuffer>) => Uint8Array {
  let count = 0;
  return (bytes) => {
    for (let index = 0; index < bytes.length; index += 1) {
      if (index % ID_DIGITS === 0) count += 1;
      bytes[index] = index % ID_DIGITS === ID_DIGITS - 1 ? count : count >> 5;
    }
    return bytes;
  };
}

/** A workspace in a temporary folder with all tools; gone after the test, and so must be every process. */
export async function bench(options: BenchOptions = {}): Promise<Bench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-tools-")));
  const workspace = join(folder, "work");
  const outside = join(folder, "outside");
  await mkdir(workspace);
  await mkdir(outside);
  const marker = `tools-${folder}`;
  const environment = { PATH: process.env["PATH"], LANG: "C.UTF-8" };
  const local = openLocalSandbox({ sessionId: "ses_test", home: folder, marker, environment });
  let spawned = 0;
  const sandbox: Sandbox = {
    ...local,
    spawn(request) {
      spawned += 1;
      return local.spawn(request);
    },
  };
  const session = openToolSession({
    workspace,
    sandbox,
    outputFolder: join(folder, "output"),
    extraRead: options.extraRead?.(folder) ?? [],
    hidden: options.hidden?.(folder) ?? [],
    webHosts: options.webHosts ?? [],
    newId: makeNewId(() => 1_700_000_000_000, counter()),
    now: () => 1_700_000_000_000,
  });
  const toolbox = createToolbox(session, options);
  const streamed: string[] = [];
  const run: Bench["run"] = (tool, input, more) =>
    toolbox.run(tool, input, {
      signal: new AbortController().signal,
      onOutput: (text) => void streamed.push(text),
      ...more,
    });
  const left = async (): Promise<readonly number[]> =>
    (await listProcesses())
      .filter((entry) => entry.startedWith("SALLYPORT_INSTANCE", marker))
      .map((entry) => entry.pid);
  onTestFinished(async () => {
    await toolbox.close();
    await sandbox.close();
    if (spawned > 0) expect(await left()).toEqual([]);
    await rm(folder, { recursive: true });
  });
  return {
    workspace,
    outside,
    session,
    toolbox,
    streamed,
    run,
    left,
    path: (name) => join(workspace, name),
    async put(name, content, mode) {
      const path = join(workspace, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      if (mode !== undefined) await chmod(path, mode);
      return path;
    },
    get: (name) => readFile(join(workspace, name), "utf8"),
    async text(tool, input, more) {
      const result = await run(tool, input, more);
      expect({ is_error: result.is_error, text: onlyText(result) }).toMatchObject({ is_error: false });
      return onlyText(result);
    },
    async error(tool, input, more) {
      const result = await run(tool, input, more);
      expect({ is_error: result.is_error, text: onlyText(result) }).toMatchObject({ is_error: true });
      return onlyText(result);
    },
  };
}

export function onlyText(result: Awaited<ReturnType<Toolbox["run"]>>): string {
  expect(result.content).toHaveLength(1);
  const [block] = result.content;
  return block?.type === "text" ? block.text : `(${block?.type ?? "nothing"})`;
}
