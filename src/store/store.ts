import type {
  Approval,
  ApprovalStatus,
  KeyBounds,
  PrincipalRef,
  Role,
  Status,
  TokenBounds,
  TokenCount,
  TokenParent,
  UsageGroup,
  UsageLine,
} from "../protocol/index.ts";

/** One session's row. `state` is the session's projection as JSON, written in the same commit as its events. */
export interface SessionRow {
  readonly id: string;
  readonly status: Status;
  /** The last event's seq. */
  readonly seq: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** The id of the principal that created it. */
  readonly created_by: string;
  /** A fork refers to its parent's journal up to and including `parent_seq`; its own events continue from there. */
  readonly parent_id?: string;
  readonly parent_seq?: number;
  /** Whether a restart has work to do here: an open turn, a queue, or a pending approval. */
  readonly unsettled: boolean;
  readonly engine: string;
  /** The text that a search examines, in lower case. */
  readonly search: string;
  /** The ids of the other tokens on whose limits it counts, each with a space before and after it; empty: none. */
  readonly token_parents: string;
  readonly state: string;
}

/** One event. `body` is the JSON of the EventBody alone: the envelope is added on reading. */
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
  /** SHA-256 of the request: the same key for another request is refused. */
  readonly request_hash: string;
  readonly answer: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

/** One token. */
export interface PrincipalRow {
  readonly id: string;
  /** The principal that the token speaks for; several tokens may speak for one. */
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
  /** The id of the token that it was derived from, and ends with. Absent: an admin made it. */
  readonly made_with?: string;
}

/** One API key: a key to the models for a program that is no session. */
export interface KeyRow {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly key_hash: string;
  /** Whose requests these are. */
  readonly owner: PrincipalRef;
  /** The id of the token that it ends with. */
  readonly token_id: string;
  /** What that token may do, and those from which it was derived, the first one first. */
  readonly token: { readonly bounds: TokenBounds; readonly parents: readonly TokenParent[] };
  readonly bounds: KeyBounds;
  readonly created_at: string;
  /** Milliseconds since the epoch. Absent: never. */
  readonly expires_at?: number;
  /** Milliseconds since the epoch. Absent: never used. */
  readonly last_used_at?: number;
}

/** One row of the audit log: who did what to what. */
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

/** A new version of a document. */
export interface NewDocument extends DocumentRow {
  /** How many of its versions stay, this one included; older ones are deleted with it. Absent: all. */
  readonly keep?: number | undefined;
}

/** Money reserved for one model request until its cost is known. A row found at start belongs to a dead process. */
export interface ReservationRow {
  readonly id: string;
  readonly at: string;
  /** Empty: the request of an API key. */
  readonly session_id: string;
  /** Absent between turns. */
  readonly turn_id?: string;
  /** The API key's id. Absent: a session's request. */
  readonly key_id?: string;
  /** The principal's id. */
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
  /** The API key's id; empty: requests of sessions. */
  readonly key: string;
  readonly agent: string;
  readonly engine: string;
  readonly provider: string;
  readonly model: string;
  readonly requests: number;
  readonly tokens: TokenCount;
  readonly cost_microusd: number;
  readonly bound_microusd: number;
}

/** What sessions write. Rows with an existing key replace the old ones, except events. */
interface SessionWrites {
  readonly sessions?: readonly SessionRow[];
  /**
   * Their rows and approvals are deleted at once; their events with the next `sweep`, except those that a fork begins with. Usage, spending and audit
   * stay.
   */
  readonly deletedSessions?: readonly string[];
  readonly events?: readonly EventRow[];
  readonly approvals?: readonly Approval[];
  readonly receipts?: readonly ReceiptRow[];
}

interface TokenWrites {
  readonly principals?: readonly PrincipalRow[];
  readonly deletedPrincipals?: readonly string[];
  /** Tokens that were used, and when (milliseconds since the epoch). */
  readonly usedPrincipals?: readonly { readonly id: string; readonly at: number }[];
  readonly keys?: readonly KeyRow[];
  readonly deletedKeys?: readonly string[];
  /** API keys that were used, and when (milliseconds since the epoch). */
  readonly usedKeys?: readonly { readonly id: string; readonly at: number }[];
}

interface AuditWrites {
  readonly audit?: readonly AuditRow[];
}

interface DocumentWrites extends AuditWrites {
  readonly documents?: readonly NewDocument[];
  /** Names: all versions of them go. */
  readonly deletedDocuments?: readonly string[];
}

export interface MoneyWrites extends AuditWrites {
  /** New ones: a reservation is never changed. */
  readonly reservations?: readonly ReservationRow[];
  /** Ids; unknown ones are ignored. */
  readonly endedReservations?: readonly string[];
  /** Added to the existing amounts. */
  readonly spending?: readonly SpendingRow[];
  /** Added to the existing amounts. */
  readonly usage?: readonly UsageRow[];
}

/** Everything here becomes durable together or not at all. */
export interface Write extends SessionWrites, TokenWrites, DocumentWrites, MoneyWrites {}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Pass it as `cursor` for the next page; absent on the last one. */
  readonly next?: string;
}

interface SessionQuery {
  readonly status?: Status;
  readonly created_by?: string;
  readonly engine?: string;
  /** Lower-case words that `search` must all contain. */
  readonly words?: readonly string[];
  /** What the projection must have. Absent: anything. */
  readonly archived?: boolean;
  readonly tag?: string;
  readonly workspace?: string;
  /** Created at or after, and before; ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
  readonly limit: number;
}

interface ApprovalQuery {
  readonly status?: ApprovalStatus;
  readonly session_id?: string;
  /** Only approvals of sessions that this principal created. */
  readonly created_by?: string;
  readonly cursor?: string;
  readonly limit: number;
}

interface AuditQuery {
  /** A prefix of the action. */
  readonly action?: string;
  /** A principal's id. */
  readonly by?: string;
  readonly cursor?: string;
  readonly limit: number;
}

interface PrincipalQuery {
  /** Absent: all except visitors, of whom there may be very many. */
  readonly role?: Role;
  /** Only tokens that this one made. */
  readonly made_with?: string;
  readonly cursor?: string;
  readonly limit: number;
}

interface KeyQuery {
  /** Only keys of these tokens. Absent: of all. */
  readonly token_ids?: readonly string[];
  readonly cursor?: string;
  readonly limit: number;
}

/** A web origin that tokens name, and when the last of those tokens expires. */
export interface OriginRow {
  readonly origin: string;
  /** Milliseconds since the epoch. Absent: never. */
  readonly until?: number;
}

interface EventQuery {
  readonly session_id: string;
  /** Exclusive. */
  readonly after: number;
  /** Inclusive; absent: to the end. */
  readonly upto?: number;
  readonly limit: number;
  /** Ends the page with the event whose body exceeds this many characters; absent: no such bound. */
  readonly chars?: number | undefined;
}

interface RestingQuery {
  /** Last changed before this time; absent: any. */
  readonly before?: string | undefined;
  /** Those after this one; absent: from the first. */
  readonly after?: { readonly updated_at: string; readonly id: string } | undefined;
  readonly limit: number;
}

interface StoredUsageQuery {
  /** At least one; the rows are ordered by these, in this order. */
  readonly by: readonly UsageGroup[];
  /** Days, inclusive; absent: from the first, to the last. */
  readonly from?: string;
  readonly to?: string;
  readonly session?: string;
  readonly agent?: string;
  /** An API key's id. */
  readonly key?: string;
  readonly limit: number;
}

export interface SessionReads {
  session(id: string): Promise<SessionRow | undefined>;
  /** With `engine`, `words`, `archived`, `tag` or `workspace`, one page examines a bounded number of sessions: it may be short, or empty, and have a `next`. */
  sessions(query: SessionQuery): Promise<RowPage<SessionRow>>;
  /** Sessions that a restart must look at (`unsettled`). */
  unsettled(): Promise<readonly SessionRow[]>;
  /** Sessions that a restart need not look at, the longest unchanged first. */
  resting(query: RestingQuery): Promise<readonly SessionRow[]>;
  /** How many sessions there are. */
  sessionCount(): Promise<number>;
  /** Sessions of a principal that have not ended (not `complete`, not `failed`). */
  activeSessions(created_by: string): Promise<number>;
  /** The same for all tokens derived from this one. */
  activeSessionsMadeWith(token_id: string): Promise<number>;
}

export interface JournalReads {
  /** Ordered by seq. */
  events(query: EventQuery): Promise<readonly EventRow[]>;
  /** The seq of the event that ended a turn in this session's own rows; absent while it is open or unknown. */
  turnEnd(query: { readonly session_id: string; readonly turn_id: string }): Promise<number | undefined>;
}

interface ApprovalReads {
  approval(id: string): Promise<Approval | undefined>;
  approvals(query: ApprovalQuery): Promise<RowPage<Approval>>;
}

interface TokenReads {
  /** Newest first. */
  principals(query: PrincipalQuery): Promise<RowPage<PrincipalRow>>;
  principal(id: string): Promise<PrincipalRow | undefined>;
  /** The ids of all tokens derived from this one, directly or indirectly. */
  principalsMadeWith(id: string): Promise<readonly string[]>;
  /** The origins of tokens that are valid at `now`. */
  origins(now: number): Promise<readonly OriginRow[]>;
  principalByHash(token_hash: string): Promise<PrincipalRow | undefined>;
  /** API keys, newest first. */
  keys(query: KeyQuery): Promise<RowPage<KeyRow>>;
  key(id: string): Promise<KeyRow | undefined>;
}

/** What admins changed. */
interface DocumentReads {
  audit(query: AuditQuery): Promise<RowPage<AuditRow>>;
  /** Newest first. */
  documents(query: { readonly name: string; readonly limit: number }): Promise<readonly DocumentRow[]>;
}

interface MoneyReads {
  /** All of them, oldest first. */
  reservations(): Promise<readonly ReservationRow[]>;
  /** What was spent on an account, micro-USD; 0 when it is unknown. */
  spent(account: string): Promise<number>;
  usage(query: StoredUsageQuery): Promise<readonly UsageLine[]>;
}

/** All reads. A read sees every commit that was answered before it. */
export interface StoreReader extends SessionReads, JournalReads, ApprovalReads, TokenReads, DocumentReads, MoneyReads {
  /** Absent when unknown or expired. */
  receipt(query: {
    readonly principal_id: string;
    readonly key: string;
    readonly now: number;
  }): Promise<ReceiptRow | undefined>;
  /** The time of the last change or audit row before this time; undefined: none. */
  lastStored(before: string): Promise<string | undefined>;
  /** Bytes that rows and indexes take, without free space inside the store. */
  usedBytes(): Promise<number>;
}

export interface CommitOptions {
  /** Nobody waits for it, or something follows soon that must be on the disk too: it may wait a few milliseconds to share a commit. Order is kept. */
  readonly patient?: boolean | undefined;
  /** It has already waited to share a commit: it goes to the writer at once, with everything that waits. */
  readonly atOnce?: boolean | undefined;
  /** While nothing can be written it is kept, and stored afterwards. Absent: it is refused then. */
  readonly untilStored?: boolean | undefined;
  /** Writes with the same name depend on each other: after one was refused, so are all later ones. */
  readonly chain?: string | undefined;
}

/** Why nothing can be written at the moment. */
export interface Stall {
  /** `replaced`: the database's files were removed or replaced. This lasts until the server is restarted. */
  readonly cause: "locked" | "full" | "read_only" | "io" | "replaced";
  /** For the operator. */
  readonly why: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The disk that holds the store, and how much the store uses. */
export interface StoreDisk {
  readonly freeBytes: number;
  /** How many more files can be made (inodes). */
  readonly freeFiles: number;
  readonly databaseBytes: number;
  /** Written but not yet folded into the database. */
  readonly walBytes: number;
}

export interface StoreHealth {
  /** Sessions with damaged pages; absent: not checked. */
  readonly damaged?: ReadonlySet<string> | undefined;
  /** Absent: writing works. It resumes by itself when the disk is back. */
  readonly stall?: Stall | undefined;
  /** Text that waits to be stored, in UTF-16 units. */
  readonly waitingChars: number;
  /** Writes that are not on the disk yet. */
  readonly waitingWrites: number;
  /** Writes that were refused since the start because nothing could be written. */
  readonly refusedWrites: number;
  /** Absent if unknown. */
  readonly disk?: StoreDisk | undefined;
  /** Fewer bytes or files are free than there must be for new work; absent: there are enough. */
  readonly lowSpace?: (Pick<StoreDisk, "freeBytes" | "freeFiles"> & { readonly minFreeBytes: number }) | undefined;
}

/** The part of a store that one reader and writer needs. */
interface StorePart<Reads, Writes> {
  readonly read: Reads;
  /**
   * Resolves when everything in `write` is on the disk. Writes requested in one turn of the event loop share one commit; order is
   * kept.
   */
  commit(write: Writes, options?: CommitOptions): Promise<void>;
}

export type MoneyStore = StorePart<MoneyReads, MoneyWrites>;
export type DocumentStore = StorePart<DocumentReads, DocumentWrites>;
export type TokenStore = StorePart<TokenReads, TokenWrites>;

export interface Store extends StorePart<StoreReader, Write> {
  /** Deletes expired rows: receipts, tokens and keys that expired a while ago, events of deleted sessions. Returns how many. */
  sweep(now: number): Promise<number>;
  health(): StoreHealth;
  /** Waits for pending Writes, but not for a disk that stays unavailable, then closes. */
  close(): Promise<void>;
}
