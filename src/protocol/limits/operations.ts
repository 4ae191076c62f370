/** Bounds of how the server is run: stopping, the access log, open files. Times are milliseconds unless the name says otherwise. */
export const OPERATION_LIMITS = {
  // the public port
  /** The head of a request. */
  httpHeaderBytes: 32_768,
  /** How long a request may take to arrive, and its head. */
  httpRequestMs: 60_000,
  httpHeadersMs: 20_000,
  /** How long a connection stays open between two requests. */
  httpKeepAliveMs: 65_000,
  /** How often what has expired is taken out of the store. */
  sweepMs: 600_000,
  /** Older policies that are listed. */
  policyVersions: 100,
  /** Versions of templates, connections, tunnels and other lists that stay in the store; of what nobody looks back at one stays. */
  documentVersions: 100,
  // stopping
  /** How long commands that run have to end when the server is told to stop, unless the settings say otherwise. With the grace time for those that do not end it fits into the 10 s of `docker stop`. */
  drainSeconds: 7,
  /** The most that the settings may set. */
  drainMaxSeconds: 3_600,
  /** How often this is checked. */
  drainLookMs: 25,
  /** A turn without running calls or activity for this long is not waited for. */
  drainSilenceMs: 2_000,
  /** `Retry-After` of refusals while the server stops. */
  restartRetryAfterS: 5,
  /** A wall clock that moved further than this between two checks has jumped. */
  clockJumpMs: 259_200_000,
  /** How long nothing is deleted by age then; the second one: after a start long after anything was stored. */
  clockJumpHoldMs: 86_400_000,
  clockStartHoldMs: 3_600_000,
  /** How often the time of now is kept in the home folder, and how far a clock may be behind it at a start without a word. */
  clockKeepMs: 60_000,
  clockBackMs: 300_000,
  /** Links that are followed on the way to a file that is trusted. */
  linksFollowed: 40,
  /** Mistakes of one settings file or request that are reported at once. */
  mistakes: 100,
  /** How often a settings file is checked again without the mistakes that were found. */
  mistakeRounds: 4,
  /** Letters of an unknown name that are compared with the known ones. */
  nearNameChars: 100,
  // the access log
  /** Of a caller's `x-request-id`; a longer one is replaced. */
  requestIdChars: 128,
  /** Of a path in a line of the log. */
  accessLogPathChars: 512,
  /** Log lines about wrong tokens that all callers together cause in a minute. */
  failedLoginLinesPerMinute: 600,
  // open files, connections and pipes of the server's process
  /** With a lower limit (`ulimit -n`) nothing starts; below the other one the server warns. */
  openFilesLeast: 256,
  openFilesAdvised: 1_024,
  /** With fewer left, new sessions and prompts are refused. */
  openFilesReserve: 48,
  /** The share of the limit, without the reserve, that callers' connections may use. */
  openFilesForConnections: 0.75,
  openFilesCheckMs: 2_000,
  /** `Retry-After` of refusals meanwhile. */
  openFilesRetryAfterS: 5,
  /** Connections above the limit that still get an error; further ones are closed. */
  surplusConnections: 16,
} as const;
