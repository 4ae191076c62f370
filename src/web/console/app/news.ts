import { isServerQuestion, type Approval, type FeedFrame, type SessionView } from "../../../protocol/index.ts";
import { cardTitle } from "../approval/reason.ts";
import { summaryOf } from "../approval/summary.ts";
import { visible } from "../../ui/visible.ts";
import { titleOf } from "../../ui/words.tsx";
import { t } from "../../ui/language/t.ts";

/** What a person should hear about, on any page. */
export interface News {
  readonly kind: "question" | "expired" | "ended";
  readonly words: string;
  readonly sessionId: string;
  /** Of a question. */
  readonly approvalId?: string;
}

const SUMMARY_CHARS = 120;
/** Sessions whose state is remembered; the oldest is forgotten first. */
const REMEMBERED = 1_000;

/** Finds what ended in the frames of the feed. Questions come from the list, which also knows those that arrived meanwhile. */
export class NewsReader {
  readonly #turns = new Map<string, string | undefined>();

  /** A session that asks has an open turn, even if the feed has not shown it: the turn began before the feed was open. */
  asked({ session_id, turn_id }: Approval): void {
    if (!this.#turns.has(session_id)) this.#remember(session_id, turn_id);
  }

  read(frame: FeedFrame): News | undefined {
    return frame.type === "approval.changed" ? this.#approval(frame.approval) : this.#session(frame.session);
  }

  #approval(approval: Approval): News | undefined {
    if (approval.status !== "timed_out") return undefined;
    const words = t("Expired, nobody answered in time: {about}", { about: aboutWords(approval) });
    return { kind: "expired", words, sessionId: approval.session_id, approvalId: approval.id };
  }

  #session(session: SessionView): News | undefined {
    const { id, turn_id } = session;
    const before = this.#turns.get(id);
    this.#remember(id, turn_id);
    if (before === undefined || before === turn_id) return undefined;
    return { kind: "ended", words: t("Turn ended: {session}", { session: visible(titleOf(session)) }), sessionId: id };
  }

  #remember(id: string, turn: string | undefined): void {
    this.#turns.delete(id);
    this.#turns.set(id, turn);
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > REMEMBERED && oldest !== undefined) this.#turns.delete(oldest);
  }
}

/** A question that was not there before. */
export function questionNews(approval: Approval): News {
  const words = `${headOf(approval)}: ${aboutWords(approval)}`;
  return { kind: "question", words, sessionId: approval.session_id, approvalId: approval.id };
}

function headOf(approval: Approval): string {
  return isAboutNoTool(approval) ? cardTitle(approval) : t("Approval needed");
}

/** What a question is about, in a few words. */
function aboutWords(approval: Approval): string {
  const summary = visible(summaryOf(approval).slice(0, SUMMARY_CHARS));
  return isAboutNoTool(approval) ? summary : `${visible(approval.tool)} ${summary}`;
}

function isAboutNoTool({ preview, tool }: Approval): boolean {
  return preview.type === "question" || isServerQuestion(tool);
}
