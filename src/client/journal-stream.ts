import type { SessionView, StreamFrame } from "../protocol/index.ts";
import { isOver } from "./answers.ts";
import { refusalOf } from "./calls/api-call.ts";
import { readSse } from "./sse.ts";
import { withToken, type CurrentToken } from "./token.ts";
import { checkVersion, OWN_VERSION } from "./version-check.ts";

/** Where a session's journal is read. */
export interface WatchedJournal {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly token: CurrentToken;
  readonly session: () => Promise<Pick<SessionView, "status" | "seq">>;
}

/** The journal after a seq, then live, over one connection. Throws when that is lost. */
export async function* readJournal(
  { url, fetch, token, session }: WatchedJournal,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamFrame> {
  const response = await withToken(token, (authorization) =>
    fetch(`${url}?after=${after}`, {
      headers: { accept: "text/event-stream", ...OWN_VERSION, ...authorization },
      signal,
    }),
  );
  checkVersion(response);
  if (!response.ok || response.body === null) throw await refusalOf(response);
  let ended = false;
  let last = after;
  for await (const { data } of readSse(response.body)) {
    const frame = JSON.parse(data) as StreamFrame;
    yield frame;
    if ("seq" in frame) last = frame.seq;
    ended = frame.type === "session.updated" && isOver(frame.status);
  }
  // The server ends a stream only when the session has ended: anything else is a lost connection.
  if (!ended) {
    const { status, seq } = await session();
    if (!isOver(status) || seq > last) throw new Error("the stream was cut");
  }
}
