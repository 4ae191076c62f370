import type { Locator, Page } from "playwright-core";
import { atRest } from "../../support/chromium.ts";
import { dailyScenes } from "./daily-scenes.ts";
import type { Furniture } from "./furniture.ts";

/** One page of the console in one state. */
export interface Scene {
  readonly name: string;
  readonly path: string;
  /** Whose token; absent: an admin's. "nobody": without one. */
  readonly as?: "operator" | "viewer" | "agent" | "nobody";
  /** What a person does there first. */
  readonly arrange?: (page: Page) => Promise<void>;
  /** Is seen once the scene is complete. */
  readonly seen: (page: Page) => Locator;
  /** Only where the window is so wide. */
  readonly only?: "desktop" | "phone";
}

const heading = (name: string) => (page: Page) => page.getByRole("heading", { level: 1, name, exact: true });
const text = (words: string | RegExp) => (page: Page) => page.getByText(words).first();
const button = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first();
const dialog = (page: Page): Locator => page.getByRole("dialog");
const press = (name: string | RegExp) => (page: Page) => button(name)(page).click();
const question = (page: Page): Locator =>
  page.getByRole("article", { name: /^(Tool Approval|The agent has a question|Budget reached|Review the changes)/ });

/** Every page and state, in the order in which somebody would come by. */
export function scenesOf(furniture: Furniture): readonly Scene[] {
  return [
    ...listScenes(furniture),
    ...conversationScenes(furniture),
    ...questionScenes(furniture),
    ...desktopScenes(),
    ...guestScenes(furniture),
    ...dailyScenes(furniture),
  ];
}

/** What a server shows that nobody has used yet. */
export const FIRST_SCENES: readonly Scene[] = [
  { name: "welcome", path: "/sessions", seen: text("Start agents, watch them, decide what they may do") },
  { name: "approvals-empty", path: "/approvals", seen: text("Nothing is waiting") },
  { name: "approvals-ended-empty", path: "/approvals?show=ended", seen: heading("Approvals") },
  { name: "usage-empty", path: "/usage", seen: text("Nothing was used in these days") },
  {
    name: "policy-history-empty",
    path: "/policy",
    arrange: (page) => page.getByRole("tab", { name: "History" }).click(),
    seen: text("The policy has not been changed here"),
  },
];

const ENTRANCE: readonly Scene[] = [
  { name: "sign-in", path: "/sessions", as: "nobody", seen: button("Sign in") },
  { name: "not-found", path: "/sessions", arrange: lose, seen: text("Page not found") },
];

async function lose(page: Page): Promise<void> {
  await heading("Sessions")(page).waitFor();
  await page.evaluate(() => {
    history.pushState({}, "", "/nowhere");
    dispatchEvent(new PopStateEvent("popstate"));
  });
}

export function listScenes({ sessions, template }: Furniture): readonly Scene[] {
  const row = (page: Page): Locator => page.locator(`[data-session="${sessions.done}"]`);
  return [
    ...ENTRANCE,
    { name: "sessions", path: "/sessions", seen: row },
    {
      name: "sessions-menu",
      path: "/sessions",
      arrange: async (page) => {
        await row(page).waitFor();
        await page
          .getByRole("button", { name: /^Actions for/ })
          .first()
          .click();
      },
      seen: (page) => page.getByRole("menu"),
    },
    { name: "sessions-none-found", path: "/sessions?q=nothing+is+called+so", seen: text("No matching sessions") },
    { name: "new", path: "/new", seen: button("Start session") },
    {
      name: "new-wrong",
      path: "/new",
      arrange: press("Start session"),
      seen: (page) => page.getByRole("alert").filter({ hasText: /./ }),
    },
    {
      name: "new-advanced",
      path: "/new",
      arrange: (page) => page.getByText("Advanced", { exact: true }).click(),
      seen: text("System prompt"),
    },
    {
      name: "new-folders",
      path: "/new",
      arrange: press("Browse folders"),
      seen: (page) => dialog(page).getByRole("listitem").first(),
    },
    {
      name: "new-template",
      path: `/new?template=${template}`,
      seen: text("Review the last commit. Say what could break."),
    },
    { name: "agent", path: "/agent", seen: (page) => page.getByRole("heading", { level: 1 }) },
  ];
}

export function conversationScenes({ sessions }: Furniture): readonly Scene[] {
  const open = (id: string): string => `/sessions/${id}`;
  const ended = text("Turn ended");
  const more = (item: string) => async (page: Page) => {
    await page.locator("main").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  return [
    { name: "session-done", path: open(sessions.done), seen: ended },
    { name: "session-unfolded", path: open(sessions.done), arrange: unfold, seen: text("1 failed") },
    { name: "session-details", path: open(sessions.done), only: "phone", arrange: press("Details"), seen: dialog },
    { name: "session-streaming", path: open(sessions.streaming), seen: button("Stop") },
    {
      name: "session-question",
      path: open(sessions.edit),
      seen: (page) => question(page).getByText("retryAfter").first(),
    },
    { name: "session-form", path: open(sessions.question), seen: button("Send the answers") },
    { name: "session-money", path: open(sessions.budget), seen: question },
    { name: "session-failed-turn", path: open(sessions.failed), seen: text("Turn failed") },
    { name: "session-closed", path: open(sessions.closed), seen: button("Continue in a fork") },
    { name: "session-paused", path: open(sessions.paused), seen: (page) => page.locator("header").getByText("paused") },
    { name: "session-fork", path: open(sessions.fork), seen: ended },
    { name: "session-rejected", path: open(sessions.answered), seen: text("I will open a pull request instead.") },
    {
      name: "session-commands",
      path: open(sessions.done),
      arrange: (page) => page.getByLabel("Prompt").fill("/"),
      seen: (page) => page.getByRole("listbox"),
    },
    { name: "session-limit", path: open(sessions.done), arrange: more("Change the limit …"), seen: dialog },
    { name: "session-switch", path: open(sessions.done), arrange: more("Change model or mode …"), seen: dialog },
    { name: "session-close", path: open(sessions.done), arrange: more("Close the session …"), seen: dialog },
    { name: "session-unknown", path: open("ses_0000000000000000000000"), seen: text("Session not found") },
  ];
}

async function unfold(page: Page): Promise<void> {
  await text("Turn ended")(page).waitFor();
  await page.getByRole("log", { name: "Conversation" }).evaluate((log) => log.scrollTo(0, 0));
  await page
    .getByRole("button", { name: /^Bash|Run the tests|printf/ })
    .first()
    .click();
}

/** A session's changes, in the inbox, at the session and on their own page. */
function reviewScenes({ review }: Furniture): readonly Scene[] {
  if (review === undefined) return [];
  const session = `/sessions/${review.session}`;
  const seen = (page: Page): Locator => page.getByText("retryAfter").first();
  return [
    { name: "approval-changes", path: `/approvals?id=${review.question}`, arrange: chooseChanged, seen },
    { name: "session-changes", path: session, arrange: chooseChanged, seen },
    { name: "changes", path: `${session}/changes`, arrange: chooseChanged, seen },
  ];
}

async function chooseChanged(page: Page): Promise<void> {
  await page
    .getByRole("navigation", { name: "Changed files" })
    .getByRole("button", { name: /src\/retry\.ts/ })
    .click();
}

export function questionScenes(furniture: Furniture): readonly Scene[] {
  const { questions } = furniture;
  const open = (name: keyof typeof questions): string => `/approvals?id=${questions[name]}`;
  return [
    { name: "approvals", path: "/approvals", seen: text("Make retries respect Retry-After") },
    { name: "approval-edit", path: open("edit"), seen: (page) => question(page).getByText("retryAfter").first() },
    {
      name: "approval-write",
      path: open("write"),
      seen: (page) => question(page).getByText("seconds and dates").first(),
    },
    { name: "approval-multi", path: open("multi"), seen: (page) => question(page).getByText("STEP_MS").first() },
    { name: "approval-command", path: open("command"), seen: (page) => question(page).getByText("install.sh").first() },
    { name: "approval-notebook", path: open("notebook"), seen: (page) => question(page).getByText("groupby").first() },
    { name: "approval-question", path: open("question"), seen: button("Send the answers") },
    { name: "approval-budget", path: open("budget"), seen: button("Reject") },
    { name: "approval-generic", path: open("generic"), seen: (page) => question(page).getByText("Grep").first() },
    {
      name: "approval-editing",
      path: open("write"),
      arrange: press(/^Edit/),
      seen: (page) => page.getByRole("textbox", { name: /content/i }),
    },
    {
      name: "approval-rejecting",
      path: open("write"),
      arrange: press(/^Reject/),
      seen: (page) => page.getByLabel(/Why are you rejecting/),
    },
    {
      name: "approvals-ended",
      path: "/approvals?show=ended",
      arrange: async (page) => void (await page.getByLabel("Outcome").selectOption("rejected")),
      seen: text("git push origin main"),
    },
    {
      name: "approval-ended",
      path: `/approvals?show=ended&id=${questions.answered}`,
      seen: text("Nobody pushes to main"),
    },
    ...reviewScenes(furniture),
  ];
}

export function desktopScenes(): readonly Scene[] {
  const tab = (name: string) => (page: Page) => page.getByRole("tab", { name }).click();
  return [
    { name: "usage", path: "/usage", seen: (page) => page.locator("figure svg").first() },
    { name: "usage-own-days", path: "/usage", arrange: press("Custom"), seen: (page) => page.getByLabel("First day") },
    { name: "policy", path: "/policy", seen: (page) => page.getByRole("tab", { name: /team/ }) },
    { name: "policy-review", path: "/policy", arrange: changePolicy, seen: button("Save the policy") },
    { name: "policy-test", path: "/policy", arrange: tryPolicy, seen: text(/need approval|needs approval/) },
    { name: "policy-history", path: "/policy", arrange: tab("History"), seen: text("sets full, team") },
    { name: "providers", path: "/providers", seen: (page) => page.getByRole("heading", { name: "cloud" }) },
    { name: "providers-tested", path: "/providers", arrange: press("Test sim"), seen: text("works") },
    { name: "workers", path: "/workers", seen: (page) => page.getByRole("table", { name: "Workers" }) },
    { name: "workers-change", path: "/workers", arrange: press("Change the pool"), seen: dialog },
    { name: "tokens", path: "/tokens", seen: text("Mara Lindt") },
    { name: "token-new", path: "/tokens", arrange: press("New token"), seen: dialog },
    { name: "api-key-new", path: "/tokens", arrange: press("New API key"), seen: dialog },
    { name: "search", path: "/search?q=the", seen: (page) => page.getByRole("list", { name: "Matches" }) },
    { name: "search-empty", path: "/search", seen: text("Find what was said or done") },
    { name: "audit", path: "/audit", seen: button(/Mara Lindt/) },
    { name: "menu", path: "/sessions", arrange: openMenu, seen: (page) => page.getByRole("menu") },
    { name: "keys", path: "/sessions", only: "desktop", arrange: showKeys, seen: dialog },
    { name: "offline", path: "/sessions", arrange: cutOff, seen: text(/connection to the server was lost|offline/i) },
  ];
}

async function changePolicy(page: Page): Promise<void> {
  await page.getByRole("tab", { name: /readonly/ }).click();
  await page.getByLabel("Description").fill("Looks, and touches nothing.");
  await press("Review and save")(page);
}

async function tryPolicy(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Test a call" }).click();
  await page.getByRole("button", { name: "Test", exact: true }).click();
}

async function openMenu(page: Page): Promise<void> {
  await heading("Sessions")(page).waitFor();
  await page
    .getByRole("button", { name: /More|admin/ })
    .last()
    .click();
}

async function showKeys(page: Page): Promise<void> {
  await heading("Sessions")(page).waitFor();
  await atRest(page);
  await page.keyboard.press("?");
}

async function cutOff(page: Page): Promise<void> {
  await page.locator("[data-session]").first().waitFor();
  await page.context().setOffline(true);
}

/** What others than admins see. */
export function guestScenes({ sessions, questions }: Furniture): readonly Scene[] {
  return [
    {
      name: "viewer-question",
      path: `/approvals?id=${questions.edit}`,
      as: "viewer",
      seen: text("can view but not answer"),
    },
    {
      name: "viewer-session",
      path: `/sessions/${sessions.done}`,
      as: "viewer",
      seen: text("You can read this session"),
    },
    { name: "viewer-new", path: "/new", as: "viewer", seen: text("cannot start sessions") },
    { name: "viewer-policy", path: "/policy", as: "viewer", seen: text("Only an admin can change it") },
    { name: "viewer-tokens", path: "/tokens", as: "viewer", seen: text(/admin/) },
  ];
}
