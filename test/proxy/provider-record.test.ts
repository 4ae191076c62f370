import { expect, test } from "vitest";
import { ProviderRecord, type Exchange } from "../../src/proxy/index.ts";
import { LIMITS } from "../../src/protocol/index.ts";

type Noted = Pick<Exchange, "outcome" | "status" | "code">;

const ANSWER: Noted = { outcome: "completed", status: 200 };
const REFUSED: Noted = { outcome: "provider_error", status: 503, code: "model_unavailable" };

function open(): {
  record: ProviderRecord;
  note: (...noted: readonly Noted[]) => string;
  pass: (ms: number) => string;
} {
  let time = 1_000;
  const record = new ProviderRecord(() => time);
  return {
    record,
    note: (...noted) => {
      for (const one of noted) record.note({ provider: "a", ...one });
      return record.status("a");
    },
    pass: (ms) => {
      time += ms;
      return record.status("a");
    },
  };
}

test("degraded after one failure, unavailable after several in a row, available after one answer", () => {
  const { record, note } = open();
  expect(record.status("a")).toBe("available");
  expect(note(REFUSED)).toBe("degraded");
  expect(note(REFUSED)).toBe("degraded");
  expect(note(ANSWER)).toBe("available");
  expect(note(REFUSED, REFUSED, REFUSED)).toBe("unavailable");
  expect(record.status("b")).toBe("available");
  expect(note(ANSWER)).toBe("available");
  note(REFUSED, REFUSED, REFUSED);
  record.reset("a");
  expect(record.status("a")).toBe("available");
});

test("after a while it may be tried again, and one more failure is enough", () => {
  const { note, pass } = open();
  note(REFUSED, REFUSED, REFUSED);
  expect(pass(LIMITS.providerDownMs - 1)).toBe("unavailable");
  expect(pass(1)).toBe("degraded");
  expect(note(REFUSED)).toBe("unavailable");
  expect(pass(LIMITS.providerFailedMs)).toBe("available");
});

test.each<[Noted, string]>([
  [{ outcome: "provider_error", status: 500, code: "model_error" }, "unavailable"],
  [{ outcome: "provider_error", status: 529, code: "model_error" }, "unavailable"],
  [{ outcome: "provider_error", status: 429, code: "model_error" }, "unavailable"],
  [{ outcome: "provider_error", status: 401, code: "model_error" }, "unavailable"],
  [{ outcome: "broken", status: 200, code: "model_stream_cut" }, "unavailable"],
  [{ outcome: "broken", status: 504, code: "timed_out" }, "unavailable"],
  // What a caller did, or we, says nothing of the provider.
  [{ outcome: "provider_error", status: 400, code: "model_error" }, "available"],
  [{ outcome: "provider_error", status: 413, code: "model_error" }, "available"],
  [{ outcome: "refused", status: 402, code: "budget_exceeded" }, "available"],
  [{ outcome: "caller_gone", status: 0 }, "available"],
  [{ outcome: "broken", status: 200, code: "shutting_down" }, "available"],
])("%j three times: %s", (noted, status) => {
  expect(open().note(noted, noted, noted)).toBe(status);
});
