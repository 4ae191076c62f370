import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { budgetTable, usageTable } from "../../src/cli/show/usage.ts";
import { NO_TOKENS, type BudgetLine, type UsageLine, type UsageReport } from "../../src/protocol/index.ts";
import { Place, script } from "./place.ts";

const place = new Place();
afterAll(() => place[Symbol.asyncDispose]());

function line(change: Partial<UsageLine>): UsageLine {
  return { requests: 0, tokens: NO_TOKENS, cost_microusd: 0, bound_microusd: 0, ...change };
}

function budget(change: Partial<BudgetLine>): BudgetLine {
  return { kind: "day", of: "", spent_microusd: 0, reserved_microusd: 0, ...change };
}

describe("the table", () => {
  const lines = [
    line({
      day: "2026-11-14",
      model: "claude",
      requests: 1_041,
      tokens: { ...NO_TOKENS, input: 18_220, output: 61_004, cache_read: 402_118, cache_write: 5, cache_write_1h: 6 },
      cost_microusd: 1_230_123,
    }),
    line({ day: "2026-11-15", model: "bad\u001b[2Jname", requests: 7, cost_microusd: 20_110 }),
  ];
  const total = line({ requests: 1_048, cost_microusd: 1_250_233 });
  const report: UsageReport = { lines, total, budgets: [] };

  test("has its figures to the right, its total last, and no control characters", () => {
    expect(usageTable(report, ["day", "model"], 200)).toEqual([
      "DAY         MODEL        REQUESTS      SPENT   INPUT  OUTPUT  CACHE READ  CACHE WRITE",
      "2026-11-14  claude          1,041    $1.2301  18,220  61,004     402,118           11",
      "2026-11-15  bad␛[2Jname         7  $0.020110       0       0           0            0",
      "total                       1,048    $1.2502       0       0           0            0",
    ]);
  });

  test("shows what is only a bound where there is any", () => {
    const untold = {
      ...report,
      lines: [],
      total: line({ requests: 1, cost_microusd: 50_000, bound_microusd: 30_000 }),
    };
    expect(usageTable(untold, ["day"], 200)).toEqual([
      "DAY    REQUESTS  SPENT  INPUT  OUTPUT  CACHE READ  CACHE WRITE  AT MOST",
      "total         1  $0.02      0       0           0            0    $0.05",
    ]);
  });

  test("is as wide as the terminal at most", () => {
    for (const row of usageTable(report, ["day", "model"], 40)) expect(row.length).toBeLessThanOrEqual(40);
  });
});

describe("budgets", () => {
  test("those with a limit, with how much of it is gone", () => {
    expect(
      budgetTable(
        [
          budget({ kind: "total" }),
          budget({
            spent_microusd: 500_000,
            reserved_microusd: 250_000,
            limit_microusd: 1_000_000,
            remaining_microusd: 250_000,
          }),
          budget({ kind: "agent_day", of: "tok_1", limit_microusd: 10_000, remaining_microusd: 10_000 }),
          budget({ kind: "session", of: "ses_1", limit_microusd: 0, remaining_microusd: 0 }),
          budget({ kind: "parent", of: "ses_0", spent_microusd: 3, limit_microusd: 3, remaining_microusd: 0 }),
        ],
        200,
      ),
    ).toEqual([
      "BUDGET                USED                        SPENT AT MOST  RESERVED      LIMIT   LEFT",
      "Everybody, today      ██████████▒▒▒▒▒░░░░░  75 %          $0.50     $0.25      $1.00  $0.25",
      "tok_1, today          ░░░░░░░░░░░░░░░░░░░░   0 %          $0.00     $0.00      $0.01  $0.01",
      "This session          ████████████████████ 100 %          $0.00     $0.00      $0.00  $0.00",
      "Parent session ses_0  ████████████████████ 100 %      $0.000003     $0.00  $0.000003  $0.00",
    ]);
  });

  test("none where there is no limit", () => {
    expect(budgetTable([budget({})], 200)).toEqual([]);
  });
});

describe("the command", () => {
  test("explains itself with an example", async () => {
    const { code, stdout, stderr } = await place.run(["usage", "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/Examples:\n {2}\$ sallyport usage\n/);
  });

  test.each([
    [["usage", "--by", "weekday"], "It must be some of: day, agent, model, provider, session, engine, turn, key."],
    [["usage", "--by", ""], "It must be some of: day, agent"],
    [["usage", "--by", "day,model,day"], "It names the same group twice."],
    [["usage", "--limit", "0"], "It must be a whole number from 1 to 10000."],
    [["usage", "--csv", "--json"], "error: option '--csv' cannot be used with option '--json'"],
    [["usage", "--from", "yesterday"], "error: from: must be a day such as 2026-11-15"],
    [["usage", "--from", "2026-02-30"], "error: from: must be a day such as 2026-11-15"],
    [["usage", "--from", "2026-11-16", "--to", "2026-11-15"], "error: from: must not be after `to`"],
    [["usage", "--session", "ses_none"], "error: there is no session ses_none"],
    [["usage", "today"], "error: too many arguments for 'usage'."],
  ])("%j is refused", async (words, message) => {
    const { code, stdout, stderr } = await place.run(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("an empty home has used nothing", async () => {
    expect(await place.run(["--home", "empty-home", "usage"])).toEqual({
      code: 0,
      stdout: "nothing was used\n",
      stderr: "",
    });
    const { stdout } = await place.run(["--home", "empty-home", "usage", "--by", "model", "--csv"]);
    expect(stdout).toMatch(/^model,requests,[\w,]+,cost_dollars\r\n$/);
  });

  test("a turn of the demo model is counted, at the price that was set for it", async () => {
    const home = ["--home", "used-home"];
    mkdirSync(join(place.folder, "used-home"));
    place.write(
      "used-home/sallyport.yaml",
      "prices:\n  sim/*: { input: 1000000, output: 2000000, cache_write: 3000000 }\n",
    );
    place.write(
      "used-home/policy.yaml",
      "default_profile: full\nprofiles: {}\nbudget: { per_day_microusd: 5000000 }\n",
    );
    const ran = await place.run([...home, "run", script([{ say: "one" }])]);
    expect(ran.code).toBe(0);
    const { stdout: json } = await place.run([...home, "usage", "--by", "provider,model", "--json"]);
    const report = JSON.parse(json) as UsageReport;
    const { input, output, cache_write } = report.total.tokens;
    expect(report.lines).toEqual([{ provider: "sim", model: "sim", ...report.total }]);
    expect(report.total).toMatchObject({
      requests: 1,
      cost_microusd: input + 2 * output + 3 * cache_write,
      bound_microusd: 0,
    });
    const { stdout, stderr } = await place.run([...home, "usage", "--by", "model"]);
    expect(stderr).toBe("");
    expect(stdout.split("\n").map((row) => row.split(/ {2,}/)[0])).toEqual([
      "MODEL",
      "sim",
      "total",
      "",
      "BUDGET",
      "Everybody, today",
      "",
    ]);
  });
});
