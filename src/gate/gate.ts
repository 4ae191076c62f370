import type { Autonomy, Profile, Ruling, Tier, ToolConfigs } from "../protocol/index.ts";
import type { ProvenReading } from "./reading/prove.ts";
import type { Disk } from "./shell/paths.ts";

/** A path of the call with symlinks resolved. */
export interface ResolvedPath {
  readonly given: string;
  /** Absolute and real; of a path that does not exist yet, the real path of its nearest existing ancestor plus the rest. */
  readonly real: string;
  readonly access: "read" | "write";
}

/** Everything the pipeline looks at, gathered beforehand so that the ruling is a pure function of it. */
export interface CallInQuestion {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly known: boolean;
  readonly tier: Tier;
  readonly alwaysAsks: boolean;
  /** The name by which lists of tools know it. Absent: its own. */
  readonly listedAs?: string | undefined;
  readonly schemaError?: string | undefined;
  readonly paths: readonly ResolvedPath[];
  readonly hosts: readonly string[];
  /**
   * Of a tool of an MCP server: identifies what the server says of it. Its name and what it says of itself are not trusted. Absent: it is
   * one of ours, of a module or of a page.
   */
  readonly definition?: string | undefined;
  /** What the command's paths are on disk; absent: paths are taken as written. */
  readonly disk?: Disk | undefined;
  /** Of a tool that could do more: this call is proven to only read, inside of the workspace. Absent: it is not. */
  readonly reading?: ProvenReading | undefined;
}

export interface PolicyContext {
  readonly profile: Profile;
  readonly profileName: string;
  /** Already narrowed by the profile. */
  readonly autonomy: Autonomy;
  /** Mode `acceptEdits`: workspace writes need no question under `supervised`. */
  readonly acceptEdits: boolean;
  /** Mode `dontAsk`: what would be asked is denied. */
  readonly neverAsk: boolean;
  /** A mode that promises a review before each change: then `ask_only_listed` does not count. */
  readonly reviews?: boolean | undefined;
  /** Mode `plan`: only tools that read may run. */
  readonly plans?: boolean | undefined;
  /** The session's own tool list; absent: no narrowing. */
  readonly tools?: readonly string[] | undefined;
  /** Of these tools, only calls that one of the rules covers. Absent: no narrowing. */
  readonly toolConfig?: ToolConfigs | undefined;
  /** Rules that people granted for this session. */
  readonly grants: readonly string[];
  /** Absolute, real. */
  readonly workspace: string;
  /** Absolute, real; readable beside the workspace. */
  readonly extraRead: readonly string[];
  /** Only under document 001 with `auto_approve_safe: false`: reads are asked too. */
  readonly askReads: boolean;
  /** Commands and edits reach nothing but a copy: they are in a sandbox without network, on a snapshot. Absent: they are not. */
  readonly walled?: boolean | undefined;
  /** A person reviews all changes at the end, and until then they reach nothing but files of the session's own. Absent: no. */
  readonly reviewedAtEnd?: boolean | undefined;
}

export type Evaluate = (call: CallInQuestion, context: PolicyContext) => Ruling;
