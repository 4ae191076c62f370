import { expect, it } from "vitest";
import { Frame } from "../../src/sessions/core/frames.ts";
import type { Session } from "../../src/sessions/core/session.ts";
import { LiveStream } from "../../src/sessions/core/stream.ts";
import { watch } from "../../src/sessions/core/watch.ts";

it("tells the last events of a session that has ended but is not on the disk yet", async () => {
  const stream = new LiveStream(0);
  const session = { stream, state: { id: "ses_1", status: "complete" }, stored: { status: "working" } };
  const frames = watch(session as unknown as Session, 0, new AbortController().signal);
  const first = frames.next();
  const body = { type: "session.updated", status: "complete" } as const;
  const envelope = { seq: 1, session_id: "ses_1", at: "2026-01-01T00:00:00.000Z" };
  const last = Frame.ofEvent({ ...envelope, ...body }, JSON.stringify(body));
  Object.assign(session.stored, { status: "complete" });
  stream.publish([last]);
  expect(await first).toEqual({ done: false, value: [last] });
  expect(await frames.next()).toEqual({ done: true, value: undefined });
});
