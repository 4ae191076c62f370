import type { Engine } from "../engines/index.ts";
import type { NewId, Policy, Redactor, SessionSettings } from "../protocol/index.ts";
import type { Store } from "../store/index.ts";
import type { Toolbox } from "../tools/index.ts";
import type { ReachCheckpoint } from "./checkpoints.ts";

/** Time, passed in so that tests own it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`; the answer takes it back. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** Words for the operator. Structured, redacted by whoever writes them. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where a session's model calls go. */
export interface ModelSource {
  readonly defaultProvider: string;
  /** A Failure `invalid_request` when there is no such provider, `model_unauthenticated` when it has no credential. */
  endpoint(provider: string, model: string): { readonly baseUrl: string; readonly key: string; readonly name: string };
  defaultModel(provider: string): string;
}

/** A session's tools with their shells and the folder they work in. */
export interface Workshop {
  readonly toolbox: Toolbox;
  /** Folders beyond the workspace that may be read. Absolute, real. */
  readonly extraRead: readonly string[];
  /** True for what is the server's own, wherever it lies. */
  isHidden(real: string): boolean;
  /** Follows symlinks; relative paths start at the workspace. */
  resolve(path: string): Promise<string>;
  /** True while a process of the session is alive. */
  readonly busy: boolean;
  /** Ends every process. */
  close(): Promise<void>;
  /** The session has ended for good: its kept output goes too. */
  discard(): Promise<void>;
}

export interface WorkshopRequest {
  readonly session_id: string;
  readonly settings: SessionSettings;
  readonly policy: Policy;
}

/** What every session needs from the house. */
export interface Services {
  readonly store: Store;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly models: ModelSource;
  readonly policy: () => Policy;
  readonly openWorkshop: (wanted: WorkshopRequest) => Promise<Workshop>;
  readonly clock: Clock;
  readonly newId: NewId;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Log;
  /** What every event passes before it is written or sent. */
  readonly redact: Redactor;
  readonly reach: ReachCheckpoint;
}
