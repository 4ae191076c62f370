import type { SandboxKind } from "../protocol/index.ts";
import type { Sandbox } from "./sandbox.ts";

/** A port on the loopback inside a sandbox that leads to a unix socket of this machine. */
export interface Forward {
  readonly port: number;
  /** Inside the sandbox's own folder. */
  readonly socket: string;
}

/** What a session needs of its sandbox. All paths are absolute and real, and the same inside. */
export interface SandboxRequest {
  readonly sessionId: string;
  readonly workspace: string;
  /** Beside the system's own programs: files and folders that can be read. */
  readonly readable: readonly string[];
  /** Vendors' programs among them. Absent: none. */
  readonly programs?: readonly string[] | undefined;
  /** Beside the workspace: folders that can be written. */
  readonly writable: readonly string[];
  /** Folders that are empty inside, wherever they are, except for what is readable or writable below them. */
  readonly hidden: readonly string[];
  /** A folder of this sandbox alone, with a short path: for its sockets. Its owner makes and deletes it. */
  readonly folder: string;
  readonly forwards: readonly Forward[];
  /** Beside PATH and HOME. */
  readonly environment: Readonly<Record<string, string>>;
  /** Of everything inside together. Absent: LIMITS.sandboxMemoryBytes. */
  readonly memoryBytes?: number | undefined;
  /** Processes and threads of everything inside together. Absent: LIMITS.sandboxProcesses. */
  readonly processes?: number | undefined;
  /** Processors' worth of time of everything inside together, in parts of one. Absent: not bounded. */
  readonly cpus?: number | undefined;
}

/** What keeps a driver from working on this machine. */
export interface MissingSandbox {
  readonly reason: string;
  /** What to do about it: the one command, where there is one. */
  readonly remedy: string;
}

/** What holds inside. The conformance suite checks that it is as declared. */
export interface SandboxCapabilities {
  /** Has a network of its own, with nothing but its forwards. */
  readonly ownNetwork: boolean;
  /** Sees no process of this machine. */
  readonly ownProcesses: boolean;
  /** Sees no files of this machine but the system's and those it was given. */
  readonly ownFiles: boolean;
  /** Has system calls of its own, or a filter for the dangerous ones. */
  readonly systemCalls: "all" | "filtered" | "own kernel";
  readonly limitsMemory: boolean;
  readonly limitsProcesses: boolean;
  /** Holds a request's `cpus`; one that does not refuses it. */
  readonly limitsProcessorTime: boolean;
}

/** One way to run a session's programs. */
export interface SandboxDriver {
  readonly kind: SandboxKind;
  readonly capabilities: SandboxCapabilities;
  /** Undefined: it works here. It is tried, not guessed. */
  missing(): Promise<MissingSandbox | undefined>;
  open(request: SandboxRequest): Promise<Sandbox>;
  /** At start: ends and deletes what a server left behind that died. Answers how many. */
  sweep(): Promise<number>;
}
