import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { browserPath } from "../support/programs.ts";
import { openSite, type Site } from "./site.ts";
import { openBrowserWorld, type BrowserWorld } from "./world.ts";

/** Enough for a busy machine. */
const TOOL_MS = 20_000;
/** For what can only end by it. */
const SHORT_MS = 1_000;
const ADVICE =
  "This could be due to:\n- Network connectivity issues\n- Site blocking automated access\n- Page requiring authentication\n- Navigation timeout\n\nTry using a different URL or checking network connectivity.";
const CAUSES =
  "Possible causes:\n- Syntax error in script\n- Execution timeout\n- Browser security restrictions\n- Serialization issues with complex objects";

/** One browser for all of them: its start is most of what they take. */
describe.skipIf(browserPath === undefined)("browser tools in Chromium", () => {
  let site: Site;
  let inner: Site;
  let world: BrowserWorld;

  beforeAll(async () => {
    inner = await openSite();
    site = await openSite(() => `${inner.url}/form`);
    world = await openBrowserWorld([`localhost:${site.port}`], { toolMs: TOOL_MS });
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    for (const { server } of [site, inner]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const go = async (path: string): Promise<void> => {
    const url = `${site.url}${path}`;
    expect(await world.say("navigate", { url })).toEqual([false, `Successfully navigated to ${url} (Status: 200)`]);
  };
  const result = async (script: string): Promise<unknown> => {
    const [, text = ""] = await world.say("evaluate", { script });
    return JSON.parse(/^Execution result:\n([\s\S]*)\n\nConsole output:\n/.exec(text)?.[1] ?? "null");
  };

  it("a form: fill, select, click, hover, in the package's words", async () => {
    await go("/form");
    expect(await world.say("fill", { selector: "#name", value: "Ada" })).toEqual([false, "Filled #name with: Ada"]);
    expect(await world.say("select", { selector: "#color", value: "blue" })).toEqual([
      false,
      "Selected #color with: blue",
    ]);
    expect(await world.say("hover", { selector: "#over" })).toEqual([false, "Hovered #over"]);
    expect(await world.say("click", { selector: "#send" })).toEqual([false, "Clicked: #send"]);
    expect(await result("return [document.title, over.textContent]")).toEqual(["sent Ada blue", "hovered"]);
  });

  it("what is not there", async () => {
    await go("/form");
    expect(await world.say("click", { selector: "#nope" })).toEqual([
      true,
      "Failed to click #nope: No element found for selector: #nope",
    ]);
    expect(await world.say("screenshot", { name: "a", selector: "#nope" })).toEqual([true, "Element not found: #nope"]);
    expect(await world.say("click", { selector: "p[" })).toEqual([
      true,
      expect.stringMatching(/^Failed to click p\[: /),
    ]);
    expect(await world.say("select", { selector: "#color", value: "green" })).toEqual([
      false,
      "Selected #color with: green\nNo option has this value: nothing is selected now.",
    ]);
  });

  it("screenshots of the page, of an element, of all of it, and none that is too large", async () => {
    await go("/form");
    const png = { type: "image", media_type: "image/png", data: expect.stringMatching(/^iVBORw0KGgo/) };
    const { content } = await world.run("screenshot", { name: "start", width: 320, height: 200 });
    expect(content).toEqual([{ type: "text", text: "Screenshot 'start' taken at 320x200" }, png]);
    const [, page] = content;
    expect(page?.type === "image" ? sizeOf(page.data) : undefined).toEqual([320, 200]);
    const element = await world.run("screenshot", { name: "b", selector: "#send" });
    expect(element.content).toEqual([{ type: "text", text: "Screenshot 'b' taken at 800x600" }, png]);
    await go("/huge");
    expect(await world.say("screenshot", { name: "c", fullPage: true })).toEqual([
      true,
      expect.stringMatching(
        `^Screenshot failed: it would have \\d+ pixels, at most ${LIMITS.browserPicturePixels} are taken; choose an element$`,
      ),
    ]);
    expect((await world.run("screenshot", { name: "d" })).is_error).toBe(false);
  });

  it("scripts: results, console, errors", async () => {
    await go("/loop");
    expect(await world.say("evaluate", { script: "console.log('a'); return { b: 1 }" })).toEqual([
      false,
      'Execution result:\n{\n  "b": 1\n}\n\nConsole output:\nlog: a',
    ]);
    expect(await world.say("evaluate", { script: "1 + 1" })).toEqual([
      false,
      "Execution result:\nundefined\n\nConsole output:\n",
    ]);
    expect(await world.say("evaluate", { script: "throw new Error('no')" })).toEqual([
      false,
      'Execution result:\n{\n  "error": "no"\n}\n\nConsole output:\nerror: Script execution error: no',
    ]);
    const [isError, text] = await world.say("evaluate", { script: "return (" });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^Script execution failed: .*Unexpected token/)]);
    expect(text).toContain(`\n\n${CAUSES}`);
    const [, long = ""] = await world.say("evaluate", { script: "return 'x'.repeat(100_000_000)" });
    expect(long.length).toBeLessThan(LIMITS.toolOutputChars + 1_000);
    const [, lines = ""] = await world.say("evaluate", {
      script: "for (let i = 0; i < 5000; i += 1) console.log('line ' + i); return 1",
    });
    expect(lines).toContain("more lines were left out.)");
  });

  it("frames", async () => {
    await go("/frames");
    expect(await world.say("hover", { selector: "iframe" })).toEqual([false, "Hovered iframe"]);
    await expect.poll(() => world.say("click", { selector: "#inside" })).toEqual([false, "Clicked: #inside"]);
    expect(await result("return document.title")).toBe("pressed inside");
  });

  it("dialogs are answered and told", async () => {
    await go("/dialogs");
    expect(await world.say("click", { selector: "#ask" })).toEqual([
      false,
      "Clicked: #ask",
      [
        'The page showed a dialog (alert): "hello". It was accepted.',
        'The page showed a dialog (confirm): "sure?". It was dismissed.',
        'The page showed a dialog (prompt): "name?". It was dismissed.',
      ].join("\n"),
    ]);
    expect(await result("return document.title")).toBe("false null");
    await go("/leave");
    await world.say("click", { selector: "#b" });
    expect((await world.say("navigate", { url: `${site.url}/form` })).slice(0, 2)).toEqual([
      false,
      `Successfully navigated to ${site.url}/form (Status: 200)`,
    ]);
  });

  it("downloads go into the folder downloads of the workspace, whatever their names", async () => {
    await go("/download");
    const told = [...(await world.say("click", { selector: "#get" }))];
    // It may begin a moment after the click, and is told with the next call then.
    await expect
      .poll(async () => told.push(...(await world.say("evaluate", { script: "" }))) && told)
      .toContainEqual(expect.stringMatching(/^Downloaded "downloads\/[^/]+" \(7 bytes\)\.$/));
    const [name = "", ...others] = await readdir(join(world.workspace, "downloads"));
    expect(others).toEqual([]);
    expect(name).not.toMatch(/^\.|\//);
    expect(await readFile(join(world.workspace, "downloads", name), "utf8")).toBe("payload");
    expect(await readdir(world.workspace)).toEqual(["downloads"]);
  });

  it("addresses that are refused before anything is asked for", async () => {
    const refused = (reason: string) => [true, `Navigation failed: ${reason}\n${ADVICE}`];
    expect(await world.say("navigate", { url: "nowhere" })).toEqual(refused("nowhere is not an address"));
    for (const url of ["javascript:alert(1)", "data:text/html,x", "chrome://version", "view-source:http://a.b/"])
      expect(await world.say("navigate", { url })).toEqual(
        refused(`only http and https addresses can be opened, not ${url.slice(0, url.indexOf(":") + 1)}`),
      );
    expect(await world.say("navigate", { url: "http://me:secret@a.example/" })).toEqual(
      refused("the address holds a user name or password; leave them out"),
    );
    expect(await world.say("navigate", { url: "file:///etc/passwd" })).toEqual(
      refused("files cannot be opened as pages: an admin can allow it with workspace_files in browser of the profile"),
    );
    world.abilities = ["workspace_files"];
    expect(await world.say("navigate", { url: "file:///etc/passwd" })).toEqual(
      refused("files can be opened as pages only in a sandbox"),
    );
    world.abilities = ["downloads"];
  });

  it("pages that fail, and that lead to other hosts", async () => {
    expect(await world.say("navigate", { url: `${site.url}/none` })).toEqual([
      true,
      `Navigation failed: HTTP error: 404 Not Found\n${ADVICE}`,
    ]);
    const [isError, text, told] = await world.say("navigate", { url: `${site.url}/redirect` });
    expect([isError, text]).toEqual([true, `Navigation failed: HTTP error: 403 Forbidden\n${ADVICE}`]);
    expect(told).toContain(`This session may not connect to localhost:${inner.port}.`);
    expect(inner.asked).toEqual([]);
    // Neither may what a script asks for.
    await go("/form");
    expect(
      await result(`return fetch('${inner.url}/form', { mode: 'no-cors' }).then(() => 'sent', () => 'failed')`),
    ).toBe("sent");
    expect(inner.asked).toEqual([]);
  });

  it("pages that open others: they are closed and told, and a flood ends the browser", async () => {
    await go("/popups");
    expect(await world.say("click", { selector: "#open" })).toEqual([
      false,
      "Clicked: #open",
      `The page opened another one, which was closed: "${site.url}/form". Navigate there if you want it.`,
    ]);
    await go("/flood");
    await world.say("click", { selector: "#open" });
    // Whatever it did, the next call works.
    await expect
      .poll(() => world.say("navigate", { url: `${site.url}/form` }))
      .toEqual([false, `Successfully navigated to ${site.url}/form (Status: 200)`]);
  });

  it("an interrupted call ends at once, and the browser ends with its session", async () => {
    const stop = new AbortController();
    const slow = world.run("navigate", { url: `${site.url}/slow` }, { signal: stop.signal });
    await expect.poll(() => site.asked.at(-1)).toBe("/slow");
    stop.abort();
    expect(await slow).toMatchObject({ is_error: true });
    expect(await world.left()).toBeGreaterThan(0);
    await world.browser.close();
    await expect.poll(() => world.left()).toBe(0);
  });
});

describe.skipIf(browserPath === undefined)("what never comes", () => {
  it("ends a wait, a page that never ends, and a script that never ends; the page is usable again", async () => {
    const site = await openSite();
    await using world = await openBrowserWorld([`localhost:${site.port}`], { toolMs: SHORT_MS });
    expect(await world.say("fill", { selector: "#nope", value: "x" })).toEqual([
      true,
      expect.stringMatching(/^Failed to fill #nope: Waiting for selector `#nope` failed/),
    ]);
    expect(await world.say("navigate", { url: `${site.url}/slow` })).toEqual([
      true,
      `Navigation failed: Navigation timeout of ${SHORT_MS} ms exceeded\n${ADVICE}`,
    ]);
    expect(await world.say("evaluate", { script: "for (;;) {}" })).toEqual([
      true,
      expect.stringMatching(/^Script execution failed: /),
    ]);
    await expect
      .poll(() => world.say("evaluate", { script: "return 1" }))
      .toEqual([false, "Execution result:\n1\n\nConsole output:\n"]);
    site.server.closeAllConnections();
    site.server.close();
  });

  it("says what is missing, and the command that brings it", async () => {
    await using world = await openBrowserWorld([], { executable: "/nowhere/chromium" });
    expect(await world.say("navigate", { url: "http://localhost/" })).toEqual([
      true,
      expect.stringMatching(
        /^The browser tools cannot be used: there is no program at \/nowhere\/chromium, which the settings name\. Somebody who runs this server can bring it with: \S+ install /,
      ),
    ]);
  });
});

/** Of a PNG. */
function sizeOf(base64: string): readonly number[] {
  const bytes = Buffer.from(base64, "base64");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
