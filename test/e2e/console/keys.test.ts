import { expect, test } from "vitest";
import { describeInBrowser, PHONE } from "../../support/browser.ts";
import { script } from "../../support/app.ts";
import { consoleWorld } from "./world.ts";

describeInBrowser("API keys in the console", () => {
  const world = consoleWorld();

  test("a key is made, shown once, used, seen in usage, and removed, all from the keyboard", async () => {
    const visitor = await world.visit("/tokens");
    const { page } = visitor;
    await page.getByText("No API keys").waitFor();
    await page.getByRole("button", { name: "New API key" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Notebook");
    await dialog.getByLabel("Models").fill("sim other-*");
    await dialog.getByLabel("Money in all, in dollars").fill("much");
    await dialog.getByText("Write an amount in dollars, such as 2.50.").waitFor();
    expect(await dialog.getByRole("button", { name: "Make the key" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Money in all, in dollars").fill("2.50");
    await dialog.getByLabel("Money in all, in dollars").press("Enter");
    await dialog.getByText("This is shown once and stored nowhere.").waitFor();
    const key = await dialog.getByLabel("Key", { exact: true }).inputValue();
    const address = await dialog.getByRole("textbox", { name: "Address for OpenAI’s clients" }).inputValue();
    await dialog.getByRole("button", { name: "I have copied it" }).press("Enter");
    const [made] = (await world.client.keys()).keys;
    expect(made).toMatchObject({
      name: "Notebook",
      bounds: { provider: "sim", models: ["sim", "other-*"], max_cost_microusd: 2_500_000 },
    });
    const answer = await fetch(`${address}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sim", messages: [{ role: "user", content: script({ say: "hello" }) }] }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
    await page.goto(`${world.app.serving.url}/usage`);
    await page.getByLabel("Split by").selectOption("key");
    await page.getByRole("table", { name: "Usage by API key" }).getByRole("cell", { name: "Notebook" }).waitFor();
    await page.goto(`${world.app.serving.url}/tokens`);
    const table = page.getByRole("table", { name: "API keys" });
    await table.getByText("$2.50 in all").waitFor();
    expect(await page.content()).not.toContain(key);
    await table.getByRole("button", { name: "Remove the key Notebook" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Remove the key" }).press("Enter");
    await page.getByText("No API keys").waitFor();
    expect((await world.client.keys()).keys).toEqual([]);
    expect(visitor.troubles).toEqual([]);
  });

  test("a refusal is shown, and nothing is lost of the form; a phone has it as cards", async () => {
    await world.client.createKey({ name: "A key with a rather long name for a narrow screen", models: ["claude-*"] });
    const { token } = await world.client.createToken({ role: "operator", name: "poor", max_cost_microusd: 1_000 });
    const visitor = await world.visit("/tokens", { ...PHONE, token });
    const { page } = visitor;
    // An operator sees its own keys alone.
    await page.getByText("No API keys").waitFor();
    await page.getByRole("button", { name: "New API key" }).tap();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Too much");
    await dialog.getByLabel("Money in all, in dollars").fill("1");
    await dialog.getByRole("button", { name: "Make the key" }).tap();
    await dialog.getByText(/would be more than the token has/).waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Too much");
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wider).toBeLessThanOrEqual(0);
  });
});
