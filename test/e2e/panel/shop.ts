import type { Page } from "playwright-core";
import type { Scene } from "../console/scenes.ts";

const ARTICLES = [
  ["Oat milk", "1 l, from the region", "2.40"],
  ["Sourdough bread", "750 g, baked today", "4.80"],
  ["Free-range eggs", "six, from the farm next door", "3.60"],
  ["Apples", "1 kg, Topaz", "3.20"],
  ["Mountain cheese", "250 g, ten months old", "6.90"],
  ["Ground coffee", "500 g, dark roast", "8.50"],
] as const;

const article = ([name, about, price]: (typeof ARTICLES)[number]): string =>
  `<li><strong>${name}</strong><span>${about}</span><b>€ ${price}</b></li>`;

const PAGE =
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
  `<title>The corner shop</title><link rel="stylesheet" href="/shop.css"><link rel="icon" href="/icon.svg"></head><body>` +
  `<main><header><h1>The corner shop</h1><p>Fresh every morning, brought to your door by noon.</p></header>` +
  `<ol>${ARTICLES.map(article).join("")}</ol><section><h2>Your cart</h2><ul aria-label="Cart"></ul></section></main>` +
  `<sallyport-panel dock="right"></sallyport-panel><script type="module" src="/host.js"></script></body></html>`;

const STYLE = `
  html, body { margin: 0; min-height: 100%; font: 15px/1.5 system-ui, sans-serif; background: #f4f6f1; color: #20281c; }
  main { box-sizing: border-box; max-width: 52rem; padding: 40px; margin-right: 420px; }
  h1 { margin: 0; font-size: 30px; letter-spacing: -0.02em; } header p { margin: 4px 0 28px; color: #56614f; }
  ol { display: grid; grid-template-columns: repeat(2, 1fr); gap: 14px; margin: 0; padding: 0; list-style: none; }
  ol li { display: grid; padding: 18px 20px; border-radius: 14px; background: #fff; box-shadow: 0 1px 3px #20281c1f; }
  ol span { color: #56614f; } ol b { margin-top: 8px; color: #2f6b2a; }
  section { margin-top: 24px; padding: 18px 20px; border-radius: 14px; background: #e3ecdb; } h2 { margin: 0 0 6px; font-size: 17px; }
  ul { margin: 0; padding-left: 20px; } ul:empty::after { content: "Nothing yet."; color: #4b5743; margin-left: -20px; }
  @media (max-width: 900px) { main { margin: 0; padding: 20px; } ol { grid-template-columns: 1fr; } }
`;

/** A page of somebody else, as one might look; its script is that of the tests' own site. */
export const SHOP_FILES = {
  "/shop": { type: "text/html", text: PAGE },
  "/shop.css": { type: "text/css", text: STYLE },
} as const;

const input = (page: Page) => page.getByRole("textbox", { name: "Ask Claude about the shop…" });
const idle = (page: Page) => page.getByRole("button", { name: "Run AI Prompt" });

const ON_THE_LIST = ["Sourdough bread", "Free-range eggs", "Apples"] as const;
const ANSWER =
  "All three are in your cart:\n\n| | € |\n|---|--:|\n| Sourdough bread | 4.80 |\n| Free-range eggs | 3.60 |\n| Apples | 3.20 |\n| **Together** | **11.60** |\n\nThe mountain cheese goes well with the bread, if you like.";
const BUYING = [
  ...ON_THE_LIST.map((name) => ({ tool: "mcp__shop__add_to_cart", input: { article: name } })),
  { say: ANSWER },
];

/** What comes with the prompt is a script for the demo model: a person reads only the question and the answer. */
async function send(page: Page, prompt: string, file: string, steps: readonly object[]): Promise<void> {
  await page
    .locator("sallyport-panel input[type=file]")
    .setInputFiles({ name: file, mimeType: "text/plain", buffer: Buffer.from(`sim: ${JSON.stringify(steps)}`) });
  await page.locator("sallyport-panel .chip").first().waitFor();
  await input(page).fill(prompt);
  await input(page).press("Enter");
}

async function shop(page: Page): Promise<void> {
  await send(page, "Put what is on my list into the cart, please. What does it cost?", "shopping-list.txt", BUYING);
  await page.getByRole("article", { name: "Answer" }).getByText("The mountain cheese goes well").waitFor();
  await idle(page).waitFor();
}

const asking =
  (...steps: readonly object[]) =>
  (page: Page): Promise<void> =>
    send(page, "Look after the shop, please.", "notes.txt", steps);

/** The panel in every state that a person meets. */
export const SHOP_SCENES: readonly Scene[] = [
  { name: "panel", path: "/shop", arrange: shop, seen: idle },
  { name: "panel-empty", path: "/shop", seen: input },
  {
    name: "panel-closed",
    path: "/shop",
    arrange: (page) => page.getByRole("button", { name: "Close the panel" }).click(),
    seen: (page) => page.locator("sallyport-panel .launcher"),
  },
  {
    name: "panel-steps",
    path: "/shop",
    arrange: async (page) => {
      await shop(page);
      for (const summary of await page.locator("details.steps summary").all()) await summary.click();
    },
    seen: (page) => page.locator("details.step[open]").first(),
  },
  {
    name: "panel-approval",
    path: "/shop",
    arrange: asking({ tool: "Write", input: { file_path: "offer.md", content: "# Apples\n\n10 % off today\n" } }),
    seen: (page) => page.getByRole("button", { name: /^No/ }),
  },
  {
    name: "panel-question",
    path: "/shop",
    arrange: asking({
      tool: "AskUserQuestion",
      input: {
        questions: [
          {
            question: "Which bread shall it be?",
            header: "Bread",
            multiSelect: false,
            options: [
              { label: "Sourdough", description: "750 g, baked today" },
              { label: "Rye", description: "1 kg, keeps for a week" },
            ],
          },
        ],
      },
    }),
    seen: (page) => page.getByRole("button", { name: "Send the answer" }),
  },
  {
    name: "panel-history",
    path: "/shop",
    arrange: async (page) => {
      await shop(page);
      await page.getByRole("button", { name: "History" }).click();
    },
    seen: (page) => page.getByRole("dialog", { name: "History" }),
  },
  {
    name: "panel-reconnecting",
    path: "/shop",
    arrange: async (page) => {
      await shop(page);
      await page.context().setOffline(true);
    },
    seen: (page) => page.locator("sallyport-panel .banner").first(),
  },
];
