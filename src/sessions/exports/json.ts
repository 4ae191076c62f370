import type { JournalEvent, SessionView } from "../../protocol/index.ts";

/** Everything that is known of a session, event by event: what programs read. */
export async function* jsonOf(session: SessionView, events: AsyncIterable<JournalEvent>): AsyncGenerator<string> {
  yield `{"format":"sallyport-session","version":1,"session":${JSON.stringify(session)},"events":[`;
  let separator = "\n";
  for await (const event of events) {
    yield `${separator}${JSON.stringify(event)}`;
    separator = ",\n";
  }
  yield "\n]}\n";
}
