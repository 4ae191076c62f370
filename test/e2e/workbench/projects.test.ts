import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { consoleWorld } from "../console/world.ts";
import { openSample, viewer } from "./world.ts";

const choose = (page: Page, name: string): Promise<void> => page.getByRole("menuitem", { name, exact: true }).click();

async function openProjects(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Layouts" }).click();
  await choose(page, "Projects on the server…");
  const dialog = page.getByRole("dialog", { name: "Projects on the server" });
  await dialog
    .getByText(/No project is saved yet|saved by/)
    .first()
    .waitFor();
  return dialog;
}

describeInBrowser("projects of the workbench", () => {
  const world = consoleWorld();

  test("one person saves tables, layouts and queries; another one opens them by a link", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await page.getByRole("button", { name: "Add viewer" }).click();
    await choose(page, "Histogram");
    await viewer(page, "Histogram of AGE").getByRole("figure").waitFor();
    const csv = { name: "cities.csv", mimeType: "text/csv", buffer: Buffer.from("City,People\nBern,134000\n") };
    await page.getByLabel("Files to open").setInputFiles(csv);
    await page.getByRole("button", { name: "Add viewer" }).click();
    await choose(page, "Pie chart");
    await viewer(page, "Pie chart of City").getByRole("figure").waitFor();
    await page.getByRole("button", { name: "SQL", exact: true }).click();
    const editor = page.getByRole("textbox", { name: "SQL" });
    await editor.click();
    await page.keyboard.insertText("SELECT 41 + 1 AS answer");
    const dialog = await openProjects(page);
    await dialog.getByLabel("Save what is open as a new project").fill("Study");
    await dialog.getByRole("button", { name: "Save project" }).click();
    await page.getByText("Saved the project Study on the server.", { exact: true }).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await (await openProjects(page)).getByRole("button", { name: "Copy a link to Study" }).click();
    await page.getByText("Copied a link to the project Study.", { exact: true }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/\/workbench#project=[0-9a-f-]{36}$/);

    const other = await world.app.as("viewer", "Eve");
    const guest = await world.visit("/workbench", { token: other.token });
    const opened = await guest.newPage();
    await opened.goto(link);
    await viewer(opened, "Histogram of AGE").getByRole("figure").waitFor();
    await opened
      .getByText("cities is not on the server. Open its file here, and its viewers come back.", { exact: true })
      .waitFor();
    expect(new URL(opened.url()).hash).toBe("");
    await opened.getByLabel("Files to open").setInputFiles(csv);
    await viewer(opened, "Pie chart of City").getByRole("figure").waitFor();
    await opened.getByRole("button", { name: "SQL", exact: true }).click();
    await opened.getByText("SELECT 41 + 1 AS answer").waitFor();
    const seen = await openProjects(opened);
    expect(await seen.getByRole("button", { name: /Delete|Rename|Save/ }).count()).toBe(0);
    expect([...visitor.troubles, ...guest.troubles]).toEqual([]);
  });

  test("a project is changed, renamed and deleted, and nobody writes over what another one saved", async () => {
    const { page } = await world.visit("/workbench");
    await openSample(page, "Sales");
    let dialog = await openProjects(page);
    await dialog.getByLabel("Save what is open as a new project").fill("Orders");
    await page.keyboard.press("Enter");
    await page.getByText("Saved the project Orders on the server.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Add viewer" }).click();
    await choose(page, "Histogram");
    dialog = await openProjects(page);
    await dialog.getByRole("button", { name: "Save changes to Orders" }).click();
    await expect
      .poll(() => page.getByText("Saved the project Orders on the server.", { exact: true }).count())
      .toBeGreaterThan(0);
    await dialog.waitFor({ state: "detached" });
    const { projects } = world.app.client;
    const known = (await projects.list()).projects.find(({ name }) => name === "Orders");
    const saved = await projects.get(known?.id ?? "");
    expect(saved.revision).toBe(2);
    expect(JSON.parse(saved.content.tables[0]?.layout ?? "{}")).toMatchObject({ viewers: [{ type: "Histogram" }] });
    // Somebody else was here.
    await projects.save(saved.id, { name: "Orders of all", revision: 2, content: { ...saved.content, queries: [] } });
    await projects.save(saved.id, { name: "Orders of all", revision: 3, content: saved.content });
    dialog = await openProjects(page);
    await dialog.getByRole("button", { name: "Save changes to Orders of all" }).click();
    await dialog.getByText(/has changed the project since you opened it/).waitFor();
    await dialog.getByRole("button", { name: "Rename Orders of all" }).click();
    await dialog.getByLabel("New name").fill("Orders");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Open Orders" }).click();
    await dialog.waitFor({ state: "detached" });
    // The table was open already: it is not opened twice.
    expect(await page.getByRole("button", { name: /^Close sales/i }).count()).toBe(1);
    dialog = await openProjects(page);
    await dialog.getByRole("button", { name: "Delete Orders" }).click();
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByRole("button", { name: "Open Orders" }).waitFor({ state: "detached" });
    await expect(projects.get(saved.id)).rejects.toMatchObject({ code: "not_found" });
  });
});
