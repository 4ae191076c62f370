import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { script } from "../../support/app.ts";
import { describeInBrowser } from "../../support/browser.ts";
import { inspectPart } from "./inspection.ts";
import { consoleWorld } from "./world.ts";

const FEATURES = [
  { description: "A list can be made", steps: ["Make one"], passes: true },
  { description: "A list can be shared", steps: ["Share it"], passes: false },
];

describeInBrowser("What runs by itself", () => {
  const world = consoleWorld(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        const mcp_servers = { docs: { type: "http", url: "https://mcp.example.com/mcp", oauth: true } };
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify({ mcp_servers }));
        return () => Promise.resolve();
      },
    },
  );

  test("has a page each for long runs, schedules, webhooks and logins at MCP servers", async () => {
    await world.write("feature_list.json", JSON.stringify(FEATURES));
    await world.client.saveTemplate("triage", {
      name: "Triage",
      session: { prompt: { text: script({ say: "Sorted." }) } },
    });
    const visitor = await world.visit("/schedules");
    const { page } = visitor;
    const button = (name: string) => page.getByRole("button", { name, exact: true });

    await page.getByText("No schedules", { exact: true }).waitFor();
    await button("New schedule").click();
    await page.getByLabel("Name").fill("Morning");
    await page.getByLabel("Template").selectOption("triage");
    await button("Schedule it").click();
    const schedule = page.getByRole("article", { name: "Schedule Morning" });
    await schedule.getByText("active", { exact: true }).waitFor();
    await button("Run now: Morning").click();
    await schedule.getByText("1 session", { exact: true }).waitFor();
    await button("Pause Morning").click();
    await schedule.getByText("paused", { exact: true }).waitFor();
    await schedule.getByRole("button", { name: "History" }).click();
    await schedule.getByRole("listitem").getByRole("link").waitFor();
    expect(await inspectPart(page, "main")).toEqual([]);

    await page.goto(`${world.app.serving.url}/webhooks`);
    await page.getByText("No webhooks", { exact: true }).waitFor();
    await button("New webhook").click();
    await page.getByLabel("Name").fill("Issues");
    await page.getByLabel("Template").selectOption("triage");
    await button("Make the webhook").click();
    expect(await page.getByLabel("Secret", { exact: true }).inputValue()).toMatch(/^whsec_/);
    await button("I have kept it").click();
    const webhook = page.getByRole("article", { name: "Webhook Issues" });
    await webhook.getByText("open", { exact: true }).waitFor();
    await webhook.getByRole("button", { name: "Last deliveries" }).click();
    await webhook.getByText("Nothing so far.").waitFor();
    expect(await page.content()).not.toContain("whsec_");
    expect(await inspectPart(page, "main")).toEqual([]);

    await page.goto(`${world.app.serving.url}/long-runs`);
    await page.getByText("No long runs", { exact: true }).waitFor();
    await button("New long run").click();
    await page.getByLabel("Name").fill("Lists");
    await page.getByLabel("What to build").fill(script({ say: "Planned." }));
    await page.getByLabel("Folder").fill(world.app.place.workspace);
    await button("Start it").click();
    const run = page.getByRole("article", { name: "Long run Lists" });
    await run.getByText("1 of 2", { exact: true }).waitFor();
    await button("Pause Lists").click();
    await button("Continue Lists").waitFor();
    await run.getByRole("button", { name: "Features and sessions" }).click();
    await run.getByText("A list can be shared").waitFor();
    expect(await inspectPart(page, "main")).toEqual([]);
    await page.setViewportSize({ width: 375, height: 812 });
    await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
    await button("Stop Lists").click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop it" }).click();
    await run.getByText("stopped", { exact: true }).waitFor();

    await page.goto(`${world.app.serving.url}/mcp-logins`);
    const server = page.getByRole("article", { name: "Server docs" });
    await server.getByText("not logged in", { exact: true }).waitFor();
    expect(await inspectPart(page, "main")).toEqual([]);
    // A login that nobody here began is not finished, and its code leaves the address.
    await page.goto(`${world.app.serving.url}/mcp-logins?code=123&state=456`);
    await page.getByText("The login was not finished").waitFor();
    expect(new URL(page.url()).search).toBe("");
    expect(visitor.troubles.filter((trouble) => !trouble.includes("404"))).toEqual([]);
  });
});
