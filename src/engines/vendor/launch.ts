import { fileURLToPath } from "node:url";
import { LIMITS } from "../../protocol/index.ts";
import type { OpenRequest } from "../../sandbox/sandbox.ts";

const INSIDE = fileURLToPath(new URL("./inside.js", import.meta.url));

/** Leads a port to the model proxy's socket, for programs that know no sockets. Node alone can run it. */
export const FORWARD_FILE = fileURLToPath(new URL("../../sandbox/remote/forward.js", import.meta.url));

/** What the launcher and its tool servers need inside a sandbox. */
export const LAUNCHER_FILES: readonly string[] = [process.execPath, INSIDE, FORWARD_FILE];

/** What the launcher is told. It may hold the session's key, so it is never an argument. */
export interface LaunchOptions {
  /** `{base_url}` in a word or a value is the model proxy's address, as `http://127.0.0.1:…`. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Written before it starts, by their absolute paths. */
  readonly files: Readonly<Record<string, string>>;
  /** The model proxy's socket. Absent: the program reaches no model through it. */
  readonly socket?: string | undefined;
  /** Its tool servers' lines are handed on. Absent: it has none. */
  readonly tools?: ToolChannelOptions | undefined;
  readonly maxLineBytes: number;
}

interface ToolChannelOptions {
  /** Where tool servers learn where the launcher is. */
  readonly file: string;
  /** What they show to it. */
  readonly token: string;
  /** How many may be connected at once. */
  readonly channels: number;
}

/** A line of one of the program's tool servers, in either direction, between the program's own. */
export interface ToolLine {
  readonly sallyport: "tools";
  readonly channel: number;
  /** Absent: none. */
  readonly line?: string | undefined;
  readonly closed?: true | undefined;
}

/** How a vendor's program is started that needs a plain address of the model proxy, or tools of ours. */
export interface ProgramLaunch extends Pick<LaunchOptions, "argv" | "env"> {
  /** Absent: none. */
  readonly files?: LaunchOptions["files"] | undefined;
  readonly cwd: string;
  /** `host.model.baseUrl`. */
  readonly baseUrl: string;
  /** Absent: it gets no tools of ours. */
  readonly tools?: Pick<ToolChannelOptions, "file" | "token"> | undefined;
}

/**
 * The request for `host.sandbox.open`. A program in a sandbox has no network but its own loopback, and the model proxy is a socket there:
 * a small launcher beside the program forwards a port to it.
 */
export function launchRequest({ argv, env, files = {}, cwd, baseUrl, tools }: ProgramLaunch): OpenRequest {
  const socket = /^unix:(.*)$/.exec(baseUrl)?.[1];
  const fill = (text: string): string => (socket === undefined ? text.replaceAll("{base_url}", baseUrl) : text);
  const [program, ...words] = argv;
  const options: LaunchOptions = {
    argv: [fill(program), ...words.map(fill)],
    env: mapped(env, fill),
    files: mapped(files, fill),
    socket,
    ...(tools === undefined ? {} : { tools: { ...tools, channels: LIMITS.agentToolChannels } }),
    maxLineBytes: LIMITS.engineLineBytes,
  };
  return { argv: [process.execPath, INSIDE, "launch"], cwd, env: { SALLYPORT_LAUNCH: JSON.stringify(options) } };
}

function mapped(texts: Readonly<Record<string, string>>, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));
}

/** The command of a tool server that leads to us. */
export function relayCommand(file: string): readonly [string, ...string[]] {
  return [process.execPath, INSIDE, "relay", file];
}
