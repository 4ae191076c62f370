import type {
  Approval,
  ApprovalStatus,
  PrincipalRef,
  Role,
  Status,
  TokenBounds,
  TokenCount,
  UsageGroup,
  UsageLine,
} from "../protocol/index.ts";

/** One session's row. `state` is the session's projection as JSON, written in the same commit as the events it follows from. */
export interface SessionRow {
  readonly id: string;
  readonly status: Status;
  /** The last event's seq. */
  readonly seq: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** The principal's id that made it. */
  readonly created_by: string;
  /** A fork refers to its parent's journal up to and including `parent_seq`; its own events go on from there. */
  readonly parent_id?: string;
  readonly parent_seq?: number;
  /** Whether a restart has anything to do here: an open turn, a queue, or a pending approval. */
  readonly unsettled: boolean;
  readonly engine: string;
  /** What a search looks through, in lower case. */
  readonly search: string;
  /** The ids of the tokens on whose limits it counts beside its own, each with a space before and behind it; empty: none. */
  readonly token_parents: string;
  readonly state: string;
}

/** One event. `body` is the JSON of the EventBody alone: the envelope is put around it when it is read. */
export interface EventRow {
  readonly session_id: string;
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly body: string;
}

/** The stored answer to an idempotent command. `key` is unique within its principal. */
export interface ReceiptRow {
  readonly principal_id: string;
  readonly key: string;
  /** SHA-256 of what was asked: the same key for another question is refused. */
  readonly request_hash: string;
  readonly answer: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

/** One token. */
export interface PrincipalRow {
  readonly id: string;
  /** Who the token speaks for; several tokens may speak for one. */
  readonly principal_id: string;
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the token, hex. */
  readonly token_hash: string;
  readonly created_at: string;
  /** What it may do at most. */
  readonly bounds: TokenBounds;
  /** Milliseconds since the epoch. Absent: never. */
  readonly expires_at?: number;
  /** Milliseconds since the epoch. Absent: never used. */
  readonly last_used_at?: number;
  /** The id of the token that it was made with, and ends with. Absent: an admin made it. */
  readonly made_with?: string;
}

/** One line of the audit log: who did what to what. */
export interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly by: PrincipalRef;
  readonly action: string;
  readonly target: string;
  readonly details: unknown;
}

/** A named document with its history, such as the policy. */
export interface DocumentRow {
  readonly name: string;
  readonly at: string;
  readonly by: PrincipalRef;
  readonly body: string;
}

/** Money that is set aside for one model request until its cost is known. A row that is there at start belongs to a dead process. */
export interface ReservationRow {
  readonly id: string;
  readonly at: string;
  readonly session_id: string;
  /** Absent between turns. */
  readonly turn_id?: string;
  readonly agent: string;
  readonly engine: string;
  readonly provider: string;
  readonly model: string;
  /** The keys of the accounts that it counts on. */
  readonly accounts: readonly string[];
  /** Micro-USD. */
  readonly amount: number;
}

/** What is added to an account, micro-USD. */
export interface SpendingRow {
  readonly account: string;
  readonly amount: number;
}

/** What is added to the usage of one turn (or of a session between turns), model and day. */
export interface UsageRow {
  /** `2026-11-15`, UTC. */
  readonly day: string;
  readonly session: string;
  /** Empty between turns. */
  readonly turn: string;
  readonly agent: string;
  readonly engine: string;
  readonly provider: string;
  readonly model: string;
  readonly requests: number;
  readonly tokens: TokenCount;
  readonly cost_microusd: number;
  readonly bound_microusd: number;
}

/** Everything here becomes durable together or not at all. Rows with a key that exists replace it, events and reservations never do. */
export interface Write {
  readonly sessions?: readonly SessionRow[];
  /** Their rows and approvals go at once; their events with the next `sweep`, but for those that a fork begins with. Usage, spending and audit stay. */
  readonly deletedSessions?: readonly string[];
  readonly events?: readonly EventRow[];
  readonly approvals?: readonly Approval[];
  readonly receipts?: readonly ReceiptRow[];
  readonly principals?: readonly PrincipalRow[];
  readonly deletedPrincipals?: readonly string[];
  /** Tokens that were used, and when (milliseconds since the epoch). */
  readonly usedPrincipals?: readonly { readonly id: string; readonly at: number }[];
  readonly audit?: readonly AuditRow[];
  readonly documents?: readonly DocumentRow[];
  readonly reservations?: readonly ReservationRow[];
  /** Ids; those that are unknown are no error. */
  readonly endedReservations?: readonly string[];
  /** Added to what is there. */
  readonly spending?: readonly SpendingRow[];
  /** Added to what is there. */
  readonly usage?: readonly UsageRow[];
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Give it back as `cursor` for the next page; absent on the last one. */
  readonly next?: string;
}

interface SessionQuery {
  readonly status?: Status;
  readonly created_by?: string;
  readonly engine?: string;
  /** Words in lower case that `search` must all hold. */
  readonly words?: readonly string[];
  readonly cursor?: string;
  readonly limit: number;
}

interface ApprovalQuery {
  readonly status?: ApprovalStatus;
  readonly session_id?: string;
  /** Only approvals of sessions that this principal made. */
  readonly created_by?: string;
  readonly cursor?: string;
  readonly limit: number;
}

interface AuditQuery {
  /** What the action begins with. */
  readonly action?: string;
  /** A principal's id. */
  readonly by?: string;
  readonly cursor?: string;
  readonly limit: number;
}

interface PrincipalQuery {
  /** Absent: all but visitors, of whom there may be very many. */
  readonly role?: Role;
  /** Only tokens that this one made. */
  readonly made_with?: string;
  readonly cursor?: string;
  readonly limit: number;
}

/** A web origin that tokens name, and until when the last of them lives. */
export interface OriginRow {
  readonly origin: string;
  /** Milliseconds since the epoch. Absent: for ever. */
  readonly until?: number;
}

interface EventQuery {
  readonly session_id: string;
  /** Exclusive. */
  readonly after: number;
  /** Inclusive; absent: to the end. */
  readonly upto?: number;
  readonly limit: number;
  /** Ends the page with the event whose body passes this many characters; absent: no such bound. */
  readonly chars?: number | undefined;
}

interface RestingQuery {
  /** Last changed before this time; absent: whenever. */
  readonly before?: string | undefined;
  /** Those behind this one; absent: from the first. */
  readonly after?: { readonly updated_at: string; readonly id: string } | undefined;
  readonly limit: number;
}

interface StoredUsageQuery {
  /** At least one; the lines are ordered by these, in this order. */
  readonly by: readonly UsageGroup[];
  /** Days, inclusive; absent: from the first, to the last. */
  readonly from?: string;
  readonly to?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly limit: number;
}

/** What is read. A read sees every commit that was answered before it was asked. */
export interface StoreReader {
  session(id: string): Promise<SessionRow | undefined>;
  /** With `engine` or `words` one page looks at a bounded number of sessions: it may be short, or empty, and have a `next`. */
  sessions(query: SessionQuery): Promise<RowPage<SessionRow>>;
  /** Sessions that a restart must look at (`unsettled`). */
  unsettled(): Promise<readonly SessionRow[]>;
  /** Ordered by seq. */
  events(query: EventQuery): Promise<readonly EventRow[]>;
  /** The seq of the event that ended a turn in this session's own rows; absent while it is open or unknown. */
  turnEnd(query: { readonly session_id: string; readonly turn_id: string }): Promise<number | undefined>;
  approval(id: string): Promise<Approval | undefined>;
  approvals(query: ApprovalQuery): Promise<RowPage<Approval>>;
  /** Absent when unknown or past its time. */
  receipt(query: {
    readonly principal_id: string;
    readonly key: string;
    readonly now: number;
  }): Promise<ReceiptRow | undefined>;
  /** Newest first. */
  principals(query: PrincipalQuery): Promise<RowPage<PrincipalRow>>;
  principal(id: string): Promise<PrincipalRow | undefined>;
  /** The ids of the tokens that were made with this one, and with those, and so on. */
  principalsMadeWith(id: string): Promise<readonly string[]>;
  /** The origins that tokens name which live at `now`. */
  origins(now: number): Promise<readonly OriginRow[]>;
  principalByHash(token_hash: string): Promise<PrincipalRow | undefined>;
  audit(query: AuditQuery): Promise<RowPage<AuditRow>>;
  /** Newest first. */
  documents(query: { readonly name: string; readonly limit: number }): Promise<readonly DocumentRow[]>;
  /** All of them, oldest first. */
  reservations(): Promise<readonly ReservationRow[]>;
  /** What was spent on an account, micro-USD; 0 when it is unknown. */
  spent(account: string): Promise<number>;
  usage(query: StoredUsageQuery): Promise<readonly UsageLine[]>;
  /** Sessions that a restart has nothing to do with, the longest unchanged first. */
  resting(query: RestingQuery): Promise<readonly SessionRow[]>;
  /** How many sessions there are. */
  sessionCount(): Promise<number>;
  /** When a session last changed, or something was last audited, before this time; undefined: never. */
  lastStored(before: string): Promise<string | undefined>;
  /** Bytes that rows and indexes take; free space within the store is not counted. */
  usedBytes(): Promise<number>;
  /** Sessions of a principal that have not ended (not `complete`, not `failed`). */
  activeSessions(created_by: string): Promise<number>;
  /** The same of all tokens that were made with this one. */
  activeSessionsMadeWith(token_id: string): Promise<number>;
}

export interface CommitOptions {
  /** Nobody waits for it, so it may wait a few milliseconds for other Writes to share their commit. Order is kept. */
  readonly patient?: boolean | undefined;
  /** It has waited for company already: it goes to the writer at once, and takes along what waits. */
  readonly atOnce?: boolean | undefined;
  /** While nothing can be written it is kept, and stored when that is over. Absent: it is refused then. */
  readonly untilStored?: boolean | undefined;
  /** Writes with the same name follow from each other: after one was refused, so are all that come later. */
  readonly chain?: string | undefined;
}

/** Why nothing can be written at the moment. */
export interface Stall {
  /** `replaced`: the database's files are not on the disk any more, or other files are. It lasts until the server is started again. */
  readonly cause: "locked" | "full" | "read_only" | "io" | "replaced";
  /** For the operator. */
  readonly why: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The disk that holds the store, and what the store takes of it. */
export interface StoreDisk {
  readonly freeBytes: number;
  /** How many more files can be made (inodes). */
  readonly freeFiles: number;
  readonly databaseBytes: number;
  /** Written and not yet folded into the database. */
  readonly walBytes: number;
}

export interface StoreHealth {
  /** Sessions of which a page of the database was found damaged; absent: none were looked for. */
  readonly damaged?: ReadonlySet<string> | undefined;
  /** Absent: writing works. It goes on by itself when the disk is back. */
  readonly stall?: Stall | undefined;
  /** Text that waits to be stored, in UTF-16 units. */
  readonly waitingChars: number;
  /** Writes that are not on the disk yet. */
  readonly waitingWrites: number;
  /** Writes that were refused since the start because nothing could be written. */
  readonly refusedWrites: number;
  /** Absent where it is not known. */
  readonly disk?: StoreDisk | undefined;
  /** Fewer bytes or files are free than there must be for new work; absent: there are enough. */
  readonly lowSpace?: (Pick<StoreDisk, "freeBytes" | "freeFiles"> & { readonly minFreeBytes: number }) | undefined;
}

export interface Store {
  readonly read: StoreReader;
  /** Resolves when everything in `write` is on the disk. Writes asked for in one event-loop turn share one commit; order is kept. */
  commit(write: Write, options?: CommitOptions): Promise<void>;
  /** Deletes what is past its time: receipts, tokens that expired a while ago, events of deleted sessions. Answers how many rows went. */
  sweep(now: number): Promise<number>;
  health(): StoreHealth;
  /** Waits for what was asked, but not for a disk that stays away, then closes. */
  close(): Promise<void>;
}
