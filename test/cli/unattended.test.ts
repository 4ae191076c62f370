import { expect, it } from "vitest";
import { openTestApp, script } from "../support/app.ts";
import { until } from "../support/until.ts";
import { Place } from "./place.ts";

it("schedules, webhooks and long runs from the command line", async () => {
  await using app = await openTestApp();
  await using place = new Place();
  const environment = { SALLYPORT_URL: app.serving.url, SALLYPORT_TOKEN: app.serving.token };
  const run = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await place.run(words, environment);
    expect([code, stderr.includes("error")], stderr).toEqual([0, false]);
    return stdout;
  };
  await app.client.saveTemplate("t", { name: "T", session: { prompt: { text: script({ say: "Done." }) } } });

  const made = await run(
    "schedule",
    "create",
    "--template",
    "t",
    "--cron",
    "0 7 * * mon",
    "--max-cost",
    "0.5",
    "Mondays",
  );
  const schedule = /^(sch_\w+): next at 20\d\d-/.exec(made)?.[1] ?? "";
  expect(await run("schedule", "pause", schedule)).toBe(`${schedule} is paused\n`);
  expect(await run("schedule", "list")).toMatch(/0 7 \* \* mon UTC +paused +0 +- +Mondays/);
  const started = (await run("schedule", "run", schedule)).trim();
  expect(started).toBe((await app.client.sessions()).sessions[0]?.id);
  expect(await run("schedule", "history", schedule)).toMatch(new RegExp(`^AT +RESULT *\\n20\\S+ +${started}\\s*$`));
  expect(await run("schedule", "delete", schedule)).toBe(`${schedule} is gone\n`);

  const secret = await run("webhook", "create", "--template", "t", "Issues");
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  const { webhooks } = JSON.parse(await run("webhook", "list", "--json")) as { webhooks: { id: string }[] };
  expect(await run("webhook", "history", webhooks[0]?.id ?? "")).toBe("nothing so far\n");
  expect(await run("webhook", "rotate", webhooks[0]?.id ?? "")).not.toBe(secret);

  const words = ["--initializer", "t", "--coder", "t", "--max-cost", "1", "--max-sessions", "1"];
  const id = (await run("long-run", "start", ...words, "--cwd", app.place.workspace, "a shopping list")).trim();
  await until(async () => (await app.client.longRuns.get(id)).status === "ended");
  expect(await run("long-run", "list")).toMatch(/max_sessions +- +1 of 1 +\$0\.00 of \$1\.00 +a shopping list/);
  expect(await run("long-run", "show", id)).toContain("It had its 1 sessions.");
  expect(await run("long-run", "templates")).toContain("feature_list.json");
  expect(await run("long-run", "delete", id)).toBe(`${id} is gone\n`);
});
