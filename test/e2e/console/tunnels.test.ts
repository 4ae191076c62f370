import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { openPricedApp, type PricedApp } from "../../support/priced-app.ts";
import { inspectPart } from "./inspection.ts";
import { consoleWorld } from "./world.ts";

describeInBrowser("Tunnels", () => {
  const world = consoleWorld();
  let home: PricedApp;
  beforeAll(async () => {
    home = await openPricedApp();
  });
  afterAll(() => home[Symbol.asyncDispose]());

  test("are paired by a link, tested and removed; what is offered is paired, paused and revoked", async () => {
    await home.client.tunnels.offer({ id: "attic", auth: "psk" });
    const { code } = await home.client.tunnels.offerCode("attic");
    const address = `${home.serving.url.replace(/^http/, "ws")}/tunnel`;
    const visitor = await world.visit("/tunnels");
    const { page } = visitor;
    await page.getByText("No tunnels", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Add a tunnel" }).click();
    await page.getByLabel("Address or pairing link").fill(`${address}?tunnel=attic#${code}`);
    expect(await page.getByLabel("Name").inputValue()).toBe("attic");
    await page.getByRole("button", { name: "Pair", exact: true }).click();
    const tunnel = page.getByRole("article", { name: "Tunnel attic" });
    await tunnel.getByText("connected", { exact: true }).waitFor();
    await tunnel.getByRole("button", { name: "Test attic" }).click();
    await tunnel.getByText("works", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Offer models" }).click();
    await page.getByLabel("Name").fill("work");
    await page.getByLabel("Dollars a day").fill("5");
    expect(await page.getByLabel("Engine of sessions that name none").count()).toBe(0);
    await page.getByLabel("Whole sessions may run here").check();
    const engine = page.getByLabel("Engine of sessions that name none");
    await engine.getByRole("option", { name: "command" }).waitFor({ state: "attached" });
    expect(await engine.getByRole("option", { name: "tunnel" }).count()).toBe(0);
    await page.getByText("Sallyport’s own agent loop, for every provider and model").waitFor();
    await engine.selectOption("command");
    await page.getByText("No agent: each prompt is a command for the shell").waitFor();
    expect(await inspectPart(page, "[role=dialog]")).toEqual([]);
    await page.getByRole("button", { name: "Offer and show a code" }).click();
    const shown = page.getByLabel("Pairing code", { exact: true });
    await shown.waitFor();
    expect(await shown.textContent()).toMatch(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/);
    await page.getByRole("img", { name: "The pairing link as a QR code" }).waitFor();
    expect(await inspectPart(page, "[role=dialog]")).toEqual([]);
    await page.getByRole("button", { name: "Done" }).click();

    const offer = page.getByRole("article", { name: "Offer work" });
    await offer.getByText("waiting for the code").waitFor();
    await offer.getByText("$5 a day", { exact: false }).waitFor();
    await offer.getByText("sessions allowed").waitFor();
    await offer.locator("dt:text-is('Engine') + dd", { hasText: "command" }).waitFor();
    await offer.getByRole("button", { name: "Pause work" }).click();
    await offer.getByText("paused", { exact: true }).waitFor();
    expect(await inspectPart(page, "main")).toEqual([]);

    await page.setViewportSize({ width: 375, height: 812 });
    await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
    await offer.getByRole("button", { name: "Revoke work" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke it" }).click();
    await page.getByText("Nothing is offered").waitFor();
    await tunnel.getByRole("button", { name: "Remove attic" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove the tunnel" }).click();
    await page.getByText("No tunnels", { exact: true }).waitFor();
    expect((await world.client.tunnels.list()).tunnels).toEqual([]);
    expect(visitor.troubles).toEqual([]);
  });
});
