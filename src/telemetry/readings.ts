import { readingText } from "./tally.ts";

/** Numbers of the server, read at each scrape. Absent ones are not shown. */
export interface Readings {
  readonly sessionsInMemory: number;
  readonly openTurns: number;
  readonly pendingApprovals: number;
  /** How long the oldest question waits; 0: none does. */
  readonly oldestQuestionSeconds?: number | undefined;
  /** Engines' processes by what they do. */
  readonly engineProcesses?: Readonly<Record<"working" | "idle" | "warm", number>> | undefined;
  /** Workers by state, and sessions that wait for one. */
  readonly workers?: Readonly<Record<string, number>> | undefined;
  readonly watchers: number;
  /** Micro-USD reserved for requests under way. */
  readonly reservedMicrousd: number;
  /** Micro-USD of this UTC day, everybody's. */
  readonly spentTodayMicrousd?: number | undefined;
  readonly queuedPrompts?: number | undefined;
  readonly openSockets?: number | undefined;
  /** Requests that are in the model proxy now. */
  readonly openModelRequests?: number | undefined;
  readonly sessionKeys?: number | undefined;
  /** 1 while nothing can be written. */
  readonly storeStalled?: number | undefined;
  /** UTF-16 units that wait to be stored. */
  readonly storeWaitingChars?: number | undefined;
  readonly storeWaitingWrites?: number | undefined;
  /** Writes that were refused since this process began, because nothing could be written. */
  readonly storeRefusedWrites?: number | undefined;
  /** Sessions found on damaged pages of the database since this process began. */
  readonly storeDamagedSessions?: number | undefined;
  /** Of the disk that holds the home folder. */
  readonly storeFreeBytes?: number | undefined;
  readonly storeDatabaseBytes?: number | undefined;
  readonly storeWalBytes?: number | undefined;
  /** Of the request log, since this process began. */
  readonly requestLogDropped?: number | undefined;
}

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  /** The label that distinguishes the values of a reading with several. */
  readonly label?: string;
}

const gauge = (name: string, help: string): Metric => ({ name, help, type: "gauge" });

const SHOWN: Readonly<Record<keyof Readings, Metric>> = {
  sessionsInMemory: gauge("sallyport_sessions_in_memory", "Sessions that are held in memory."),
  oldestQuestionSeconds: gauge("sallyport_oldest_question_seconds", "How long the oldest open question waits."),
  engineProcesses: { ...gauge("sallyport_engine_processes", "Processes of engines by what they do."), label: "state" },
  workers: { ...gauge("sallyport_workers", "Workers by state, and sessions that wait for one."), label: "state" },
  storeWaitingWrites: gauge("sallyport_store_waiting_writes", "Writes that wait to be stored."),
  storeRefusedWrites: {
    name: "sallyport_store_refused_writes_total",
    help: "Writes that were refused because the database could not be written.",
    type: "counter",
  },
  storeDamagedSessions: gauge("sallyport_store_damaged_sessions", "Sessions on damaged pages of the database."),
  openTurns: gauge("sallyport_open_turns", "Turns that run or wait for a person."),
  pendingApprovals: gauge("sallyport_pending_approvals", "Questions that wait for a person."),
  watchers: gauge("sallyport_watchers", "Watchers of sessions."),
  reservedMicrousd: gauge("sallyport_reserved_microusd", "Micro-USD set aside for requests on their way."),
  spentTodayMicrousd: gauge("sallyport_spent_today_microusd", "Micro-USD spent on this UTC day."),
  queuedPrompts: gauge("sallyport_queued_prompts", "Prompts that wait behind an open turn."),
  openSockets: gauge("sallyport_open_sockets", "WebSockets."),
  openModelRequests: gauge("sallyport_model_requests_open", "Requests that are in the model proxy."),
  sessionKeys: gauge("sallyport_session_keys", "Keys to the model proxy that are valid."),
  storeStalled: gauge("sallyport_store_stalled", "1 while the database cannot be written."),
  storeWaitingChars: gauge("sallyport_store_waiting_chars", "Text that waits to be stored."),
  storeFreeBytes: gauge("sallyport_disk_free_bytes", "Bytes free on the disk of the home folder."),
  storeDatabaseBytes: gauge("sallyport_database_bytes", "Size of the database file."),
  storeWalBytes: gauge("sallyport_database_wal_bytes", "Size of the database's write-ahead log."),
  requestLogDropped: {
    name: "sallyport_request_log_dropped_total",
    help: "Lines that the request log could not keep.",
    type: "counter",
  },
};

export function readingsText(readings: Readings): string {
  return Object.entries(SHOWN)
    .map(([key, shown]) => {
      const value = readings[key as keyof Readings];
      if (value === undefined) return "";
      if (typeof value === "number") return readingText(shown, [[{}, value]]);
      const { label = "state" } = shown;
      return readingText(
        shown,
        Object.entries(value).map(([name, count]: [string, number]) => [{ [label]: name }, count]),
      );
    })
    .join("");
}
