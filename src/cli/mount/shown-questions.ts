import { LIMITS, shownInList, shownInStatus, type ShownQuestions } from "../../protocol/index.ts";

const QUESTION_FILE = /^\/sessions\/([^/]+)\/(status|tools\/pending)$/;
const ANSWER_FILE = /^\/sessions\/([^/]+)\/tools\/approve$/;
/** An answer that names its question, or may. */
const NAMES = /apr_|input_hash/;

/** The questions that each local user has read completely: the server knows only their shared token. */
export class UserQuestions {
  readonly #shown = new Map<string, ShownQuestions>();

  /** A user has read all of a file. */
  read(uid: number, path: string, bytes: Uint8Array): void {
    const [, session, file] = QUESTION_FILE.exec(path) ?? [];
    if (session === undefined) return;
    const key = `${uid}:${session}`;
    const ids = idsIn(bytes);
    this.#put(key, file === "status" ? shownInStatus(this.#shown.get(key), ids[0]) : shownInList(ids));
  }

  /** The questions that this user's answer can mean; `undefined`: the path takes no answers. */
  of(uid: number, path: string): readonly string[] | undefined {
    const [, session] = ANSWER_FILE.exec(path) ?? [];
    return session === undefined ? undefined : (this.#shown.get(`${uid}:${session}`)?.ids ?? []);
  }

  /** An answer was accepted. If it is unclear for which question, the user must read again before the next one. */
  answered(uid: number, path: string, message: Uint8Array): void {
    const [, session] = ANSWER_FILE.exec(path) ?? [];
    const key = `${uid}:${session ?? ""}`;
    const known = this.#shown.get(key);
    if (known === undefined) return;
    const isNamed = NAMES.test(Buffer.from(message).toString("utf8"));
    this.#put(key, { ...known, ids: isNamed ? [] : known.ids.slice(1) });
  }

  #put(key: string, shown: ShownQuestions): void {
    this.#shown.delete(key);
    this.#shown.set(key, shown);
    const [oldest] = this.#shown.keys();
    if (oldest !== undefined && this.#shown.size > LIMITS.mountErrors) this.#shown.delete(oldest);
  }
}

export function isAnswerFile(path: string): boolean {
  return ANSWER_FILE.test(path);
}

function idsIn(bytes: Uint8Array): readonly string[] {
  const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
  const questions = Array.isArray(value) ? (value as unknown[]) : [value];
  return questions
    .flatMap((question) => (question as { request_id?: string }).request_id ?? [])
    .slice(0, LIMITS.mountShownQuestions);
}
