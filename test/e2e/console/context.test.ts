import { expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { describeInBrowser } from "../../support/browser.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { begin, consoleWorld } from "./world.ts";

const request = (input: number, cached: number, output: number): object => ({
  usage: {
    input_tokens: input,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  },
});

/** What stands behind the word Context beside the conversation. */
const context = (page: Page): Locator =>
  page
    .getByRole("term")
    .filter({ hasText: /^Context$/ })
    .locator("xpath=following-sibling::dd[1]");

describeInBrowser("how much of the context window is filled", () => {
  const world = consoleWorld();

  test("is what the newest request read and wrote, of what the model holds or the session allows", async () => {
    const id = await begin(world, [request(8_000, 20_000, 500), { say: "First." }], { max_context_tokens: 100_000 });
    const { page } = await world.visit(`/sessions/${id}`);
    await expect.poll(() => context(page).innerText()).toContain("28.5K of 100K, 71 % left");
    expect(await context(page).locator(".bg-accent").count()).toBe(1);
    // Not the sum of all requests: what is said is sent again each time.
    const { seq } = await world.client.session(id);
    await world.client.prompt(id, { text: script(request(1_000, 84_000, 250), { say: "Second." }) });
    await untilTurnEnds(world.client, id, { after: seq });
    await expect.poll(() => context(page).innerText()).toContain("85.3K of 100K, 14 % left");
    // Nearly full: another colour.
    expect(await context(page).locator(".bg-warn").count()).toBe(1);
  });

  test("is a number of tokens where nobody knows what the model holds, and nothing where no request was made", async () => {
    const id = await begin(world, [request(1_200, 0, 34), { say: "Said." }]);
    const { page } = await world.visit(`/sessions/${id}`);
    await expect.poll(() => context(page).innerText()).toBe("1,234 tokens");
    const { id: unused } = await world.client.createSession({});
    await page.goto(new URL(`/sessions/${unused}`, page.url()).href);
    await page
      .getByRole("term")
      .filter({ hasText: /^Requests$/ })
      .waitFor();
    expect(await context(page).count()).toBe(0);
  });
});
