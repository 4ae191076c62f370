import type { SallyportClient } from "../../client/index.ts";
import type { Chat } from "./chat.ts";
import type { KeptMessage } from "./history.ts";
import { answerText } from "./transcript.ts";
import { codeOf, troubleOf } from "./words.ts";
import { t } from "./language.ts";

export interface PastChat {
  /** The last event of the chat. */
  readonly seq: number;
  /** Why it cannot be continued; absent: it can. */
  readonly why?: string;
  /** It might be there later. */
  readonly mayCome?: boolean;
}

/** How far a chat of before has come. */
export async function findChat(id: string, client: SallyportClient): Promise<PastChat> {
  try {
    return { seq: (await client.session(id)).seq };
  } catch (error) {
    const code = codeOf(error);
    if (code === "not_found") return { seq: 0, why: t("The server does not have this chat any more.") };
    if (code === "forbidden") return { seq: 0, why: t("You may not open this chat on the server.") };
    return { seq: 0, why: troubleOf(error).text, mayCome: true };
  }
}

/** What was said, as it is copied and kept. */
export function messagesOf(chat: Chat): readonly KeptMessage[] {
  return chat.transcript.turns.flatMap((turn) => {
    if (turn.state === "removed") return [];
    const text = answerText(turn);
    const prompt = { fromUser: true, text: chat.shownPrompt(turn) };
    return text === "" ? [prompt] : [prompt, { fromUser: false, text }];
  });
}
