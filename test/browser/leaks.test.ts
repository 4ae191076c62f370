import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { previewOnPage } from "../../src/browser/preview.ts";
import { EndSignal, UseEnd } from "../../src/browser/use-end.ts";
import { stillHeld } from "../support/garbage.ts";
import { browserPath } from "../support/programs.ts";
import { openSite } from "./site.ts";
import { openBrowserWorld, type BrowserWorld } from "./world.ts";

const CALLS = 100;
/** The last call may still be known to who waits for it. */
const LAST = 1;

describe.skipIf(browserPath === undefined)("after a hundred calls of a browser tool", () => {
  it("nothing of them is held, and no listener is left at what outlives them", async () => {
    await using world = await openBrowserWorld([]);
    await call(world, new AbortController().signal);
    const disconnected = () => world.browser.page?.browser().listenerCount("disconnected");
    const console = () => world.browser.page?.listenerCount("console");
    const before = [disconnected(), console()];
    const { signal } = new AbortController();
    const signals: WeakRef<AbortSignal>[] = [];
    for (let count = 0; count < CALLS; count += 1) {
      await call(world, signal);
      signals.push(await callWithOwnSignal(world));
    }
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect([disconnected(), console()]).toEqual(before);
    expect(await stillHeld(signals)).toBeLessThanOrEqual(LAST);
  });

  it("the page does not keep elements that it has removed", async () => {
    const site = await openSite();
    await using world = await openBrowserWorld([`localhost:${site.port}`]);
    await world.say("navigate", { url: `${site.url}/many` });
    await world.say("evaluate", {
      script: "globalThis.refs = [...document.querySelectorAll('button')].map((b) => new WeakRef(b))",
    });
    for (let index = 0; index < 20; index += 1) {
      await previewOnPage(world.browser, { call: "click", input: {}, selector: `#b${index}` });
      expect(await world.say("click", { selector: `#b${index}` })).toEqual([false, `Clicked: #b${index}`]);
      await world.say("screenshot", { name: "one", selector: `#b${index}` });
    }
    await world.say("evaluate", { script: "document.body.replaceChildren()" });
    const session = await world.browser.page?.createCDPSession();
    await session?.send("HeapProfiler.collectGarbage");
    const [, text = ""] = await world.say("evaluate", {
      script: "return refs.filter((ref) => ref.deref() !== undefined).length",
    });
    const kept = Number(/^Execution result:\n(\d+)/.exec(text)?.[1]);
    // The browser itself may still know the last one, which has the focus and the mouse.
    expect(kept).toBeLessThanOrEqual(LAST);
    site.server.closeAllConnections();
    site.server.close();
  });
});

describe("the end of a use", () => {
  const TIMES = { toolMs: 60_000, graceMs: 0 };

  it("leaves no listener behind, whatever the use waited for", async () => {
    const { signal } = new AbortController();
    const gone = new EndSignal();
    const waits: WeakRef<Promise<unknown>>[] = [];
    for (let count = 0; count < CALLS; count += 1) waits.push(await used(signal, gone));
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(await stillHeld(waits)).toBeLessThanOrEqual(LAST);
  });

  it("comes with the signal and with the browser, also when they came first, and only once", async () => {
    const never = new Promise<never>(() => undefined);
    const stop = new AbortController();
    const gone = new EndSignal();
    const end = new UseEnd({ signal: stop.signal, gone, ...TIMES });
    const waited = end.first(never);
    stop.abort();
    gone.end();
    const interrupted = { why: "the call was interrupted" };
    expect([await waited, await end.first(never)]).toEqual([interrupted, interrupted]);
    end.dispose();
    const late = new UseEnd({ signal: new AbortController().signal, gone, ...TIMES });
    expect(await late.first(never)).toEqual({ why: "the browser ended" });
    late.dispose();
  });

  it("gives each wait the whole time, one after the other", async () => {
    const gone = new EndSignal();
    const end = new UseEnd({ signal: new AbortController().signal, gone, toolMs: 5, graceMs: 0 });
    const never = new Promise<never>(() => undefined);
    const late = { why: "it took longer than 5 ms" };
    expect([await end.first(never), await end.first(never)]).toEqual([late, late]);
    expect(await end.first(Promise.resolve("done"))).toBe("done");
    end.dispose();
  });

  async function used(signal: AbortSignal, gone: EndSignal): Promise<WeakRef<Promise<unknown>>> {
    const end = new UseEnd({ signal, gone, ...TIMES });
    const work = Promise.resolve("done");
    expect(await end.first(work)).toBe("done");
    end.dispose();
    return new WeakRef(work);
  }
});

async function callWithOwnSignal(world: BrowserWorld): Promise<WeakRef<AbortSignal>> {
  const { signal } = new AbortController();
  await call(world, signal);
  return new WeakRef(signal);
}

async function call(world: BrowserWorld, signal: AbortSignal): Promise<void> {
  const result = await world.run("evaluate", { script: "return 1" }, { signal });
  expect(result.is_error).toBe(false);
}
