import { describe, expect, test } from "vitest";
import { CreateLongRun, CreateSchedule } from "../../src/protocol/index.ts";
import { longRunOf } from "../../src/web/console/pages/long-runs/fields.ts";
import { percent, runWords } from "../../src/web/console/pages/long-runs/words.ts";
import { loginAnswer } from "../../src/web/console/pages/mcp/answer.ts";
import { scheduleOf, type ScheduleFields } from "../../src/web/console/pages/triggers/fields.ts";
import { hostWords, offerWords, tunnelAddress } from "../../src/web/console/pages/tunnels/words.ts";
import type { TunnelOfferView } from "../../src/protocol/index.ts";

describe("a schedule's form", () => {
  const fields: ScheduleFields = {
    name: " Morning ",
    template: "triage",
    maxCost: "2.50",
    repeats: true,
    cron: "0 7 * * mon-fri",
    at: "",
    timeZone: "Europe/Madrid",
    missed: "skip",
  };

  test("is a request that the server takes", () => {
    const request = scheduleOf(fields);
    expect(CreateSchedule.parse(request)).toEqual({
      name: "Morning",
      template: "triage",
      cron: "0 7 * * mon-fri",
      time_zone: "Europe/Madrid",
      missed: "skip",
      max_cost_microusd: 2_500_000,
    });
    const once = scheduleOf({ ...fields, repeats: false, at: "2027-01-04T09:00", maxCost: "" });
    expect(CreateSchedule.parse(once)).toEqual({
      name: "Morning",
      template: "triage",
      at: new Date("2027-01-04T09:00").toISOString(),
      missed: "skip",
    });
  });

  test.each<[string, Partial<ScheduleFields>]>([
    ["a name", { name: " " }],
    ["a template", { template: "" }],
    ["times", { cron: "" }],
    ["a time", { repeats: false }],
    ["an amount", { maxCost: "much" }],
  ])("without %s is none", (_, change) => expect(scheduleOf({ ...fields, ...change })).toBeUndefined());
});

test("a long run's form is a request that the server takes, or none", () => {
  const fields = { name: "Lists", task: " Build it ", maxCost: "20", workspace: "/w", isAutonomous: true };
  expect(CreateLongRun.parse(longRunOf(fields))).toEqual({
    name: "Lists",
    task: "Build it",
    max_cost_microusd: 20_000_000,
    session: { workspace: "/w", autonomy: "full" },
  });
  expect(longRunOf({ ...fields, workspace: "", isAutonomous: false })?.session).toEqual({});
  for (const change of [{ name: "" }, { task: " " }, { maxCost: "" }, { maxCost: "x" }])
    expect(longRunOf({ ...fields, ...change })).toBeUndefined();
});

test("parts of a whole are between 0 and 100, and every end has its words", () => {
  expect([percent(1, 3), percent(0, 0), percent(5, 4), percent(-1, 4)]).toEqual([33, 0, 100, 0]);
  expect(runWords({ status: "ended", end: "budget" })).toEqual({ label: "budget is used up", tone: "warn" });
  expect(runWords({ status: "working" }).tone).toBe("info");
});

test.each([
  ["?code=123&state=456", { request: { code: "123", state: "456" } }],
  ["?code=c&state=s&iss=https%3A%2F%2Fas", { request: { code: "c", state: "s", iss: "https://as" } }],
  ["?error=access_denied&error_description=No&state=s", { refusal: "No" }],
  ["?error=access_denied", { refusal: "access_denied" }],
  ["?code=c", undefined],
  ["", undefined],
])("a login that comes back with %j", (search, answer) => expect(loginAnswer(search)).toEqual(answer));

test("an offer's state says first what its owner did", () => {
  const offer = { state: "waiting", paused: false } as TunnelOfferView;
  expect(offerWords({ ...offer, paused: true, pairing_until: "x" }).label).toBe("paused");
  expect(offerWords({ ...offer, pairing_until: "x" }).label).toBe("waiting for the code");
  expect(offerWords({ ...offer, state: "connected", pairing_until: "x" }).label).toBe("connected");
  expect(hostWords("wss://abc.example.org/secret-path")).toBe("wss://abc.example.org");
  expect(tunnelAddress("https://gateway.example.org")).toBe("wss://gateway.example.org/tunnel");
});
