import type { Page } from "playwright-core";
import { VIEWERS } from "../../../src/web/workbench/viewers/registry.ts";
import type { ViewerType } from "../../../src/web/workbench/viewers/viewer.ts";
import type { Scene } from "../console/scenes.ts";
import { answers, ask, chat, openChat, openSample, play, viewer } from "./world.ts";

/** Where a viewer has the most to show; absent: the people of a study. */
const SAMPLE_OF: Partial<Record<ViewerType, string>> = {
  Calendar: "Sales",
  "Line chart": "Sales",
  "Pivot table": "Sales",
  "Tree map": "Sales",
  "Network diagram": "Flights",
  "Word cloud": "Words",
};

export const sampleFor = (type: ViewerType): string => SAMPLE_OF[type] ?? "Study people";

/** So many steps narrower, the grid leaves room for charts beside the chat. */
const GRID_STEPS = 6;
/** Of a pane that is not the grid. */
export const VIEWER = "[data-viewer-id^=viewer]";
const BROKEN = { name: "broken.parquet", mimeType: "", buffer: Buffer.from("not a table") };

export async function addViewer(page: Page, type: ViewerType): Promise<void> {
  await page.getByRole("button", { name: "Add viewer" }).click();
  await page.getByRole("menuitem", { name: type, exact: true }).click();
}

/** All viewers are loaded. */
export async function drawn(page: Page): Promise<void> {
  await page.locator(VIEWER).last().waitFor();
  // The first of them is gone when all are.
  await page.locator(`${VIEWER} [role=status] .animate-spin`).first().waitFor({ state: "detached" });
}

async function giveLook(page: Page, title: RegExp, label: string, value: string): Promise<void> {
  await page.getByRole("button", { name: title }).click();
  // The chart itself has a field for it too.
  const sheet = page.getByRole("complementary", { name: title }).or(page.getByRole("dialog"));
  await sheet.getByLabel(label, { exact: true }).selectOption(value);
  await page.getByRole("button", { name: /^Close( the properties)?$/ }).click();
}

/** The picture of the papers: what a person made, and what Claude was asked for. */
async function study(page: Page): Promise<void> {
  await openSample(page);
  await addViewer(page, "Scatter plot");
  await giveLook(page, /^Properties of Scatter plot/, "Color column", "SEX");
  await addViewer(page, "Bar chart");
  const border = page.getByRole("separator", { name: "Width of what lies left and right" }).first();
  if (await border.isVisible()) for (let times = 0; times < GRID_STEPS; times += 1) await border.press("ArrowLeft");
  await openChat(page);
  await ask(page, "add a histogram for the Age column");
  await answers(page).getByText("The Histogram for Age is there now.").waitFor();
}

/** On a phone the viewer is alone; on a wide window it fills the dock. */
async function alone(page: Page, type: ViewerType): Promise<void> {
  await openSample(page, sampleFor(type));
  await addViewer(page, type);
  await drawn(page);
  const maximise = page.locator(VIEWER).getByRole("button", { name: /^Maximise / });
  if (await maximise.isVisible()) await maximise.click();
}

const viewerScenes: readonly Scene[] = VIEWERS.map(({ type }) => ({
  name: `workbench-viewer-${type.toLowerCase().replaceAll(" ", "-")}`,
  path: "/workbench",
  arrange: (page) => alone(page, type),
  seen: (page) => page.locator(VIEWER).last(),
}));

/** Many at once: each has little room. */
async function crowd(page: Page, types: readonly ViewerType[]): Promise<void> {
  await openSample(page);
  for (const type of types) await addViewer(page, type);
  await page.getByRole("button", { name: "Layouts" }).click();
  await page.getByRole("menuitem", { name: "Tile all" }).click();
  await drawn(page);
}

const crowds: readonly Scene[] = [0, 6, 12, 18].map((from) => ({
  name: `workbench-small-${String(from)}`,
  path: "/workbench",
  only: "desktop",
  arrange: (page) =>
    crowd(
      page,
      VIEWERS.slice(from, from + 6).map(({ type }) => type),
    ),
  seen: (page) => page.locator(VIEWER).last(),
}));

const pageScenes: readonly Scene[] = [
  {
    name: "workbench-sign-in",
    path: "/workbench",
    as: "nobody",
    seen: (page) => page.getByRole("button", { name: "Sign in" }),
  },
  {
    name: "workbench-start",
    path: "/workbench",
    seen: (page) => page.getByRole("heading", { name: "Workbench", level: 1 }),
  },
  {
    name: "workbench-cannot-read",
    path: "/workbench",
    arrange: (page) => page.getByLabel("Files to open").setInputFiles(BROKEN),
    seen: (page) => page.getByRole("alert").getByText("broken.parquet"),
  },
  { name: "workbench-grid", path: "/workbench", arrange: openSample, seen: (page) => page.getByRole("grid") },
  {
    name: "workbench-add-viewer",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: "Add viewer" }).click();
    },
    seen: (page) => page.getByRole("menuitem", { name: "Histogram", exact: true }),
  },
  {
    name: "workbench-unfit",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page, "Words");
      await addViewer(page, "Calendar");
    },
    seen: (page) => page.getByText("The table has no column of dates."),
  },
  {
    name: "workbench-properties",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await addViewer(page, "Histogram");
      await page.getByRole("button", { name: "Properties of Histogram of AGE" }).click();
    },
    seen: (page) => page.getByLabel("Find a property"),
  },
  {
    name: "workbench-column",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: "Add new column" }).click();
      await page.getByLabel("Name", { exact: true }).fill("BMI");
      await page.getByLabel("Formula").fill("${WEIGHT} / (${HEIGHT} / 100) ^ 2");
    },
    seen: (page) => page.getByText("first 6 of"),
  },
  {
    name: "workbench-column-mistake",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: "Add new column" }).click();
      await page.getByLabel("Formula").fill("${AGE} / ${WIEGHT}");
    },
    seen: (page) => page.getByText(/Did you mean/),
  },
  {
    name: "workbench-column-menu",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: /AGE/ }).first().click();
    },
    seen: (page) => page.getByRole("menu").or(page.getByRole("dialog")).first(),
  },
  {
    name: "workbench-actions",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      for (const type of ["Histogram", "Bar chart"] as const) await addViewer(page, type);
      await page.locator("body").press("Control+z");
      await page.getByRole("button", { name: "What was done" }).click();
    },
    seen: (page) => page.getByRole("dialog", { name: "What was done" }),
  },
  {
    name: "workbench-shortcuts",
    path: "/workbench",
    only: "desktop",
    arrange: async (page) => {
      await openSample(page);
      await page.locator("body").press("?");
    },
    seen: (page) => page.getByRole("dialog"),
  },
];

/** Words that are longer than anybody has planned for. */
const LONG = [
  "Name of the responsible department,Share of questionnaires returned before the deadline in per cent,Number of questionnaires sent,Country or territory of residence",
  ...Array.from({ length: 120 }, (_, row) =>
    [
      ["Administration of hydrological services", "Coordination and external relations office", "Legal", "Unit 4"][
        row % 4
      ],
      String((row * 37) % 101),
      String(1_000_000 + ((row * 7_919) % 5_000_000)),
      ["Saint Vincent and the Grenadines", "Bosnia and Herzegovina", "Chad", "United Republic of Tanzania", "Peru"][
        row % 5
      ],
    ].join(","),
  ),
].join("\n");

const longScene: Scene = {
  name: "workbench-long-words",
  path: "/workbench",
  arrange: async (page) => {
    const name = "quarterly-questionnaires-of-all-departments-2026-final-2.csv";
    await page.getByLabel("Files to open").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(LONG) });
    await page.getByRole("grid").first().waitFor();
    for (const type of ["Scatter plot", "Bar chart", "Box plot", "Pie chart", "Statistics"] as const)
      await addViewer(page, type);
    const layouts = page.getByRole("button", { name: "Layouts" });
    await layouts.click();
    await page.getByRole("menuitem", { name: "Tile all" }).click();
    await drawn(page);
  },
  seen: (page) => page.locator(VIEWER).last(),
};

const colourScenes: readonly Scene[] = [
  {
    name: "workbench-colours",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      for (const name of ["USUBJID", "AGE", "SEX"]) {
        await page.getByRole("columnheader", { name }).first().click({ button: "right" });
        await page.getByRole("menuitem", { name: "Colour by value" }).click();
      }
    },
    seen: (page) => page.getByRole("grid"),
  },
  {
    name: "workbench-download-menu",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: "Download" }).click();
    },
    seen: (page) => page.getByRole("menuitem", { name: "All 5,850 rows as Excel" }),
  },
  {
    name: "workbench-layouts-menu",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: "Layouts" }).click();
    },
    seen: (page) => page.getByRole("menuitem", { name: "Copy a link" }),
  },
  {
    name: "workbench-projects",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await openProjects(page);
      const dialog = page.getByRole("dialog");
      const name = dialog.getByLabel("Save what is open as a new project");
      await name.fill("People of the study, with a name that is as long as a name of a project may be");
      await name.press("Enter");
      await dialog.waitFor({ state: "detached" });
      await openProjects(page);
      await dialog
        .getByRole("button", { name: /^Delete People/ })
        .first()
        .click();
    },
    seen: (page) => page.getByText("Delete it for everybody?"),
  },
];

async function openProjects(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Layouts" }).click();
  await page.getByRole("menuitem", { name: "Projects on the server…" }).click();
}

const sqlScenes: readonly Scene[] = [
  {
    name: "workbench-sql",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: "SQL", exact: true }).click();
      await page
        .getByRole("textbox", { name: "SQL" })
        .fill("SELECT race, count(*) AS people, avg(age) AS age\nFROM demog GROUP BY race ORDER BY people DESC");
      await page.getByRole("button", { name: "Run" }).click();
    },
    seen: (page) => page.getByRole("button", { name: /Open as/ }),
  },
  {
    name: "workbench-sql-tabs",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: "SQL", exact: true }).click();
      for (const [at, text] of ["SELECT sex FROM demog", "SELECT avg(weight) FROM demog", "SELECT 3"].entries()) {
        if (at > 0) await page.getByRole("button", { name: "New query" }).click();
        await page.getByRole("tab", { name: `Query ${at + 1}`, selected: true }).waitFor();
        await page.getByRole("textbox", { name: "SQL" }).fill(text);
      }
      await page.getByRole("tab", { name: "Query 3" }).press("Delete");
    },
    seen: (page) => page.getByRole("status").filter({ hasText: "Closed Query 3." }),
  },
  {
    name: "workbench-sql-mistake",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: "SQL", exact: true }).click();
      await page.getByRole("textbox", { name: "SQL" }).fill("SELECT wieght FROM demog");
      await page.getByRole("button", { name: "Run" }).click();
    },
    seen: (page) => page.getByRole("region", { name: "SQL" }).getByRole("alert"),
  },
];

const chatScenes: readonly Scene[] = [
  {
    name: "workbench-chat-empty",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await openChat(page);
    },
    seen: (page) => chat(page).getByRole("textbox"),
  },
  {
    name: "workbench-chat-steps",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await openChat(page);
      await ask(page, "filter to AGE > 60");
      await answers(page).getByText("rows are shown").waitFor();
      await answers(page).locator("details.steps > summary").first().click();
    },
    seen: (page) => answers(page).getByText("rows are shown"),
  },
  {
    name: "workbench-chat-question",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await openChat(page);
      await ask(
        page,
        play({ tool: "mcp__workbench__run_script", input: { script: "return table.rowCount;" } }, { say: "Counted." }),
      );
    },
    seen: (page) => answers(page).getByText("Counted.", { exact: true }),
  },
  {
    name: "workbench-reconnecting",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await openChat(page);
      await ask(page, "which viewers are open?");
      await answers(page).getByText("No viewers currently added.").waitFor();
      await page.context().setOffline(true);
    },
    seen: (page) =>
      chat(page)
        .getByText(/You are offline|connection/i)
        .first(),
  },
];

/** The workbench in every state, in the order in which somebody would come by. */
export const WORKBENCH_SCENES: readonly Scene[] = [
  {
    name: "workbench",
    path: "/workbench",
    arrange: study,
    seen: (page) => answers(page).getByText("The Histogram for Age is there now."),
  },
  {
    name: "workbench-phone-chart",
    path: "/workbench",
    only: "phone",
    arrange: async (page) => {
      await study(page);
      await chat(page).getByRole("button", { name: "Close the panel" }).click();
    },
    seen: (page) => viewer(page, "Histogram of AGE"),
  },
  ...pageScenes,
  longScene,
  ...colourScenes,
  ...sqlScenes,
  ...chatScenes,
  ...viewerScenes,
  ...crowds,
];
