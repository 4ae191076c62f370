import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createSimModel } from "../../../src/sim/index.ts";
import { describeInBrowser, PHONE } from "../../support/browser.ts";
import { inspectPart } from "./inspection.ts";
import { consoleWorld, conversation } from "./world.ts";

const MANY = Array.from({ length: 100 }, (_one, index) => ({
  id: `maker/model-${String(index).padStart(3, "0")}`,
  context_length: 32_768,
  top_provider: { max_completion_tokens: 4_096 },
}));
const MODELS = [
  { id: "maker/coder-large", name: "Maker: Coder Large", context_length: 200_000 },
  { id: "maker/coder-small", name: "Maker: Coder Small", context_length: 131_072 },
  { id: "other/free-lunch", pricing: { prompt: "0.000001", completion: "0.000002" } },
  ...MANY,
];

/** A shop of models: the scripted one answers for all of them. */
class Shop {
  /** The status of its list. */
  status = 200;
  readonly #server: Server;

  constructor() {
    const sim = createSimModel();
    this.#server = createServer((request, response) => {
      if (request.url !== "/v1/models") return void sim.handle(request, response);
      response.writeHead(this.status, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ data: MODELS }));
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const shop = new Shop();

const field = (page: Page): Locator => page.getByRole("combobox", { name: "Model", exact: true });
const options = (page: Page): Locator => page.getByRole("listbox", { name: "Models" }).getByRole("option");

async function shopChosen(page: Page): Promise<void> {
  await page.getByText("Advanced", { exact: true }).click();
  await page.getByLabel("Provider").selectOption("shop");
}

describeInBrowser("the model of a new session", () => {
  const world = consoleWorld(
    { SALLYPORT_PROVIDER: "sim" },
    {
      prepare: async ({ home }) => {
        const url = await shop.open();
        await mkdir(home, { recursive: true, mode: 0o700 });
        const settings = {
          providers: {
            shop: {
              base_url: url,
              wire: "openai",
              auth: "none",
              openai_api: "chat",
              default_model: "maker/coder-small",
            },
          },
          prices: { "shop/maker/*": { input: 1_000_000, output: 3_000_000, output_tokens: 8_000 } },
        };
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify(settings), { mode: 0o600 });
        return () => shop.close();
      },
    },
  );

  test("is found by a part of its name, chosen with the keyboard alone, and asked", async () => {
    const visitor = await world.visit("/new");
    const { page } = visitor;
    await page.getByLabel("What should the agent do?").fill('sim: [{"say":"From the shop."}]');
    await shopChosen(page);
    await field(page).focus();
    await page.keyboard.press("ArrowDown");
    // The default first; more than a screen can hold is said, not shown.
    await expect.poll(() => options(page).first().textContent()).toContain("maker/coder-small (default)");
    await page.getByText("43 more. Type a part of the name to find them.").waitFor();
    await page.keyboard.type("coder");
    await expect.poll(() => options(page).count()).toBe(2);
    await page.getByText("2 models", { exact: true }).waitFor({ state: "attached" });
    expect(await options(page).nth(1).textContent()).toBe(
      "maker/coder-largeMaker: Coder Large200K tokens · $1.00 in, $3.00 out per million tokens",
    );
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const active = await field(page).getAttribute("aria-activedescendant");
    expect(active).toBe(await options(page).nth(1).getAttribute("id"));
    await page.keyboard.press("Enter");
    expect(await field(page).inputValue()).toBe("maker/coder-large");
    await expect.poll(() => options(page).count()).toBe(0);
    await page.getByText("200K tokens · $1.00 in, $3.00 out per million tokens").waitFor();
    await page.keyboard.press("Control+Enter");
    await conversation(page).getByText("From the shop.", { exact: true }).waitFor();
    const [session] = (await world.client.sessions({ limit: 1 })).sessions;
    expect(session?.settings).toMatchObject({ provider: "shop", model: "maker/coder-large" });
    expect(visitor.troubles).toEqual([]);
  });

  test("cannot be one without a price, and says why; Escape leaves what was there; any name can be typed", async () => {
    const visitor = await world.visit("/new");
    const { page } = visitor;
    await shopChosen(page);
    await field(page).fill("lunch");
    await expect.poll(() => options(page).count()).toBe(1);
    expect(await options(page).getAttribute("aria-disabled")).toBe("true");
    expect(await options(page).textContent()).toContain(
      "its provider says $1.00 in, $2.00 out per million tokensNot available: it has no price",
    );
    await options(page).click({ force: true });
    expect(await field(page).inputValue()).toBe("lunch");
    await field(page).fill("nobody-has-this");
    await page.getByText("No model matches “nobody-has-this”. It is used as it is typed.").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => field(page).getAttribute("aria-expanded")).toBe("false");
    expect(await field(page).inputValue()).toBe("nobody-has-this");
    expect(visitor.troubles).toEqual([]);
  });

  test("on a phone it is tapped, and nothing is wider than the screen; what axe finds, light and dark", async () => {
    const visitor = await world.visit("/new", PHONE);
    const { page } = visitor;
    await shopChosen(page);
    await field(page).tap();
    await options(page).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    expect(await inspectPart(page, "form")).toEqual([]);
    await options(page).getByText("maker/coder-large", { exact: true }).tap();
    expect(await field(page).inputValue()).toBe("maker/coder-large");
    expect(visitor.troubles).toEqual([]);
  });

  test("where the list cannot be read the prices are shown, with the reason", async () => {
    shop.status = 503;
    await world.client.testProvider("shop");
    const visitor = await world.visit("/new");
    const { page } = visitor;
    await shopChosen(page);
    await field(page).click();
    await page.getByText("it answered 503 when asked for its models").waitFor();
    shop.status = 200;
  });
});
