import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type Rolldown } from "vite";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { answers, isIdle, panelWorld, script } from "./world.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const guide = await readFile(join(ROOT, "docs/user/panel.md"), "utf8");
const html = /```html\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
const inReact = /```tsx\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
const inHtml = /<script type="module">\n([\s\S]*?)<\/script>/.exec(html)?.[1] ?? "";
const element = html.replace(/<script[\s\S]*/, "").trim();

/** What a reader has around the lines: the address of the server, and their cart. */
const OWN = `const SERVER = location.origin; const cart = ["milk", "bread"];\n`;
const MOUNT = `
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
createRoot(document.querySelector("main")).render(<StrictMode><Chat /></StrictMode>);
`;

/** The reader's bundler, with the packages as they are installed. */
async function bundle(name: string, code: string): Promise<string> {
  const path = join(ROOT, name);
  const built = (file: string): string => join(ROOT, "dist", file);
  const made = await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: "silent",
    // React then mounts everything twice, as it does for its developers.
    mode: "development",
    define: { "process.env.NODE_ENV": '"development"' },
    resolve: {
      alias: {
        "sallyport/client": built("client/index.js"),
        "sallyport/panel/react": built("panel/react.js"),
        "sallyport/panel": built("panel/index.js"),
      },
    },
    plugins: [
      {
        name: "the-lines",
        resolveId: (id) => (id === path ? id : undefined),
        load: (id) => (id === path ? code : undefined),
      },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: path } },
  });
  const [output] = (made as Rolldown.RolldownOutput).output;
  return output.code;
}

const page = (body: string, file: string): { readonly type: string; readonly text: string } => ({
  type: "text/html",
  text: `<!doctype html><html lang="en"><title>Guide</title><body><main></main>${body}<script type="module" src="${file}"></script></body></html>`,
});

describeInBrowser("the examples of docs/user/panel.md", async () => {
  const world = panelWorld({
    "/my/token": { type: "application/json", text: JSON.stringify({ token: TEST_TOKEN }) },
    "/html": page(element, "/html.js"),
    "/html.js": { type: "text/javascript", text: await bundle("html.js", OWN + inHtml) },
    "/react": page("", "/react.js"),
    "/react.js": {
      type: "text/javascript",
      text: await bundle("react.tsx", `${inReact.replace("\nconst server", `\n${OWN}const server`)}${MOUNT}`),
    },
  });

  test.each([
    ["HTML", "/html", inHtml],
    ["React", "/react", inReact],
  ])("%s: ten lines, and the agent sees the cart", async (_, path, lines) => {
    expect(
      lines
        .trim()
        .split("\n")
        .filter((line) => line.trim() !== "").length,
    ).toBeLessThanOrEqual(11);
    const visitor = await world.visit();
    const tab = await visitor.newPage();
    await tab.goto(world.address({}, path));
    const text = tab.getByRole("textbox", { name: "Ask Claude about this page…" });
    await text.fill(script({ tool: "mcp__shop__cart", input: {} }, { say: "That is all." }));
    await text.press("Enter");
    await answers(tab).getByText("That is all.", { exact: true }).waitFor();
    await isIdle(tab);
    // What a step holds is written once it is unfolded.
    await answers(tab).locator("details.steps > summary").click();
    await answers(tab).locator(".step > summary").click();
    await expect.poll(() => answers(tab).getByRole("group", { name: "Result" }).innerText()).toBe('["milk","bread"]');
    // The chat is there after a reload, also where React mounts everything twice.
    await tab.reload();
    await answers(tab).getByText("That is all.", { exact: true }).waitFor();
    expect(visitor.troubles).toEqual([]);
  });
});
