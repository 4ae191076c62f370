import { expect, test } from "vitest";
import type { Approval, SessionView } from "../../src/protocol/index.ts";
import { NewsReader } from "../../src/web/console/app/news.ts";

const changed = (turn_id: string | undefined) => ({
  type: "session.changed" as const,
  session: { id: "ses_1", title: "Tidy up", turn_id } as unknown as SessionView,
});
const question = { session_id: "ses_1", turn_id: "turn_1" } as unknown as Approval;
const ENDED = { kind: "ended", sessionId: "ses_1" };

test("the end of a turn is news, its other changes are not", () => {
  const reader = new NewsReader();
  expect([changed("turn_1"), changed("turn_1")].map((frame) => reader.read(frame))).toEqual([undefined, undefined]);
  expect(reader.read(changed(undefined))).toMatchObject(ENDED);
  expect(reader.read(changed(undefined))).toBeUndefined();
});

test("a session that nobody was told about is not reported when it rests", () => {
  expect(new NewsReader().read(changed(undefined))).toBeUndefined();
});

test("the end of a turn that asked before the feed was open is news", () => {
  const reader = new NewsReader();
  reader.asked(question);
  expect(reader.read(changed(undefined))).toMatchObject(ENDED);
});

test("a question that is still in the list does not bring back a turn that has ended", () => {
  const reader = new NewsReader();
  reader.read(changed("turn_1"));
  reader.read(changed(undefined));
  reader.asked(question);
  expect(reader.read(changed(undefined))).toBeUndefined();
});
