import { CommanderError } from "commander";
import { Failure, type ErrorCode } from "../protocol/index.ts";
import { Unreachable } from "./connect.ts";
import { EXIT, type ExitCode } from "./exit.ts";

/** What a person reads when a command failed. */
export interface Complaint {
  readonly message: string;
  /** What to do next, if known. */
  readonly advice?: string | undefined;
  readonly code: ExitCode;
}

/** Every error of a command, in words. Undefined: it was already printed (help, a wrong flag). */
export function complaintOf(error: unknown): Complaint | ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.refused;
  if (error instanceof Failure) {
    return { message: error.message, advice: adviceFor(error), code: codeFor(error.code) };
  }
  if (error instanceof Unreachable) {
    const advice = "start one with `sallyport serve`, or leave out --server and SALLYPORT_URL to work without one";
    return { message: error.message, advice, code: EXIT.failed };
  }
  return (
    systemComplaint(error) ?? { message: error instanceof Error ? error.message : String(error), code: EXIT.failed }
  );
}

function adviceFor(failure: Failure): string | undefined {
  switch (failure.code) {
    case "unauthenticated":
      return "pass --token or set SALLYPORT_TOKEN; the first token of a home is in <home>/token";
    case "forbidden":
      // With details it is a refused statement, which no other token would change.
      if (failure.details !== undefined) return undefined;
      return "use a token whose role may do this; an admin makes one with `sallyport token create --role operator --name you`";
    case "conflict":
      return failure.message.includes("home open")
        ? "commands find a running server by themselves; for a second one use --home"
        : undefined;
    case "not_found":
      return listOf(failure.message);
    case "session_closed":
      return "`sallyport sessions fork <id>` makes a session that continues from it";
    case "model_unauthenticated":
      return "`sallyport provider list` shows what is there; or try the demo model with --provider sim";
    case "rate_limited":
      return "wait a moment, or set requests_per_minute in sallyport.yaml";
    case "shutting_down":
      return "the server is stopping; try again when it is back";
    case "internal":
      return "look at the server's log; without a server, run it again with SALLYPORT_DEBUG=1";
    default:
      return undefined;
  }
}

const LISTS: Readonly<Record<string, string>> = {
  session: "`sallyport sessions` lists them",
  approval: "`sallyport approve` lists what waits for an answer",
  token: "`sallyport token list` lists them",
  key: "`sallyport key list` lists them",
  connection: "`sallyport connection list` lists them",
  "long run": "`sallyport long-run list` lists them",
  schedule: "`sallyport schedule list` lists them",
  webhook: "`sallyport webhook list` lists them",
  "notification target": "`sallyport notify list` lists them",
  offer: "`sallyport tunnel list` lists them",
};

/** Where those are listed that there are. */
function listOf(message: string): string | undefined {
  const [, what = ""] = /^there is no ([a-z ]+?) \S+(?: in this session)?$/.exec(message) ?? [];
  return LISTS[what];
}

function codeFor(code: ErrorCode): ExitCode {
  switch (code) {
    case "internal":
    case "store_failed":
    case "store_full":
    case "shutting_down":
    case "engine_failed":
    case "model_error":
    case "model_unavailable":
    case "connection_failed":
      return EXIT.failed;
    default:
      return EXIT.refused;
  }
}

const CHOOSE = "choose another file or folder; --home says where Sallyport keeps its data";

const WHY_NOT: Readonly<Record<string, string>> = {
  ENOTDIR: "a part of it is a file and no folder",
  EISDIR: "it is a folder and no file",
  EEXIST: "something else is there",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
};

function pathComplaint(path: string, code: string): Complaint | undefined {
  const why = WHY_NOT[code];
  if (why === undefined || path === "") return undefined;
  return { message: `${visiblePath(path)} cannot be used: ${why}`, advice: CHOOSE, code: EXIT.refused };
}

/** The beginning of a path says which one it is. */
function visiblePath(path: string): string {
  return path.length <= SHOWN_PATH_CHARS ? path : `${path.slice(0, SHOWN_PATH_CHARS)}…`;
}

const SHOWN_PATH_CHARS = 300;

function systemComplaint(error: unknown): Complaint | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
  const path = (error as NodeJS.ErrnoException).path ?? "";
  switch (code) {
    case "EADDRINUSE":
      return {
        message: `port ${(error as { port?: number }).port ?? ""} is in use`,
        advice: "stop what uses it, or choose another with --port (0 takes any free one)",
        code: EXIT.failed,
      };
    case "EACCES":
    case "EPERM":
      return {
        message: `no permission for ${path === "" ? error.message : path}`,
        advice: "choose a folder of your own with --home",
        code: EXIT.failed,
      };
    case "EROFS":
      return {
        message: `${path === "" ? "the disk" : path} is read-only`,
        advice: "make the disk writable again, or choose a folder elsewhere with --home",
        code: EXIT.failed,
      };
    case "ENOSPC":
    case "EDQUOT":
      return {
        message: `no space is left for ${path === "" ? "what Sallyport writes" : path}`,
        advice: "free some space on that disk, then start again",
        code: EXIT.failed,
      };
    case "ENOENT":
      return { message: path === "" ? error.message : `${path} does not exist`, code: EXIT.refused };
    case "EADDRNOTAVAIL":
      return {
        message: error.message,
        advice: "--host must be an address of this machine; 127.0.0.1 always is",
        code: EXIT.failed,
      };
    case "ECONNREFUSED":
    case "ECONNRESET":
    case "UND_ERR_SOCKET":
      return {
        message: "the server does not answer any more",
        advice: "start it again; sessions and approvals are kept",
        code: EXIT.failed,
      };
    default:
      return error.message === "fetch failed"
        ? { message: `the server cannot be reached (${code ?? "no answer"})`, code: EXIT.failed }
        : pathComplaint(path, code ?? "");
  }
}
