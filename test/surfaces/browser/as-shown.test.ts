import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { Approval } from "../../../src/protocol/index.ts";
import { runScript, script } from "../../support/app.ts";
import { browserPath } from "../../support/programs.ts";
import { openWith, outputs } from "../mcp-client/world.ts";

const CLICK = "mcp__puppeteer__puppeteer_click";
const NAVIGATE = "mcp__puppeteer__puppeteer_navigate";

const OVER = `document.body.append(Object.assign(document.createElement('iframe'), { src: '/other', style: 'position: absolute; inset: 0; width: 400px; height: 300px; opacity: 0' }));`;
const BUTTON = `<button id="b" style="position: absolute; left: 50px; top: 50px">OK</button>`;

/** Pages that do one thing, in \`turn\`, when they hear that a person looks at the question. */
const PAGES = {
  "another page laid over it": { body: BUTTON, turn: OVER },
  "another page laid over it when the mouse comes": {
    body: `${BUTTON}<script>addEventListener('mousemove', () => { ${OVER} }, { once: true })</script>`,
    turn: "",
  },
  "another value in its form": {
    body: `<form action="/done"><input type="hidden" id="amount" name="amount" value="1">${BUTTON}</form>`,
    turn: "amount.value = '99999';",
  },
  "another address, and functions that hide it": {
    body: `<a id="b" href="/fine">OK</a><script>
      const real = Element.prototype.getAttribute;
      Element.prototype.getAttribute = function (name) { return name === 'href' ? '/fine' : real.call(this, name); };</script>`,
    turn: "b.setAttribute('href', '/done');",
  },
  "another handler": { body: BUTTON, turn: `b.setAttribute('onclick', "fetch('/done')");` },
} as const;

interface Turning {
  readonly url: string;
  readonly port: number;
  /** Paths that must not be asked for. */
  readonly done: readonly string[];
  /** The page does it, and has said so. */
  turned(): Promise<void>;
  close(): void;
}

async function openTurning({ body, turn }: (typeof PAGES)[keyof typeof PAGES]): Promise<Turning> {
  const done: string[] = [];
  const waiting: ServerResponse[] = [];
  const heard: (() => void)[] = [];
  const script = `<script>fetch('/wait').then(() => { ${turn} requestAnimationFrame(() => requestAnimationFrame(() => fetch('/turned'))); })</script>`;
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    switch (request.url?.split("?")[0]) {
      case "/":
        response.end(`<title>Page</title><body style="margin: 0">${body}${script}`);
        return;
      case "/wait":
        waiting.push(response);
        return;
      case "/turned":
        response.end();
        for (const resolve of heard) resolve();
        return;
      case "/other":
        response.end(`<body onmousedown="fetch('/done')" onclick="fetch('/done')">Other`);
        return;
      case "/done":
        done.push("/done");
        response.end("done");
        return;
      default:
        response.end();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    port,
    done,
    turned: async () => {
      const turned = new Promise<void>((resolve) => heard.push(resolve));
      for (const response of waiting) response.end();
      await turned;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe.skipIf(browserPath === undefined)("what was approved is pressed, or nothing", () => {
  it.each(Object.keys(PAGES) as (keyof typeof PAGES)[])("%s", async (name) => {
    const page = await openTurning(PAGES[name]);
    const policy = { default_profile: "own", profiles: { own: { egress_hosts: [`localhost:${page.port}`] } } };
    await using app = await openWith({ policy }, { SALLYPORT_BROWSER: browserPath ?? "off" });
    const asked: Approval[] = [];
    const text = script(
      { tool: NAVIGATE, input: { url: page.url } },
      { tool: CLICK, input: { selector: "#b" } },
      { say: "Over." },
    );
    const { events } = await runScript(app.client, { prompt: { text } }, async (approval) => {
      asked.push(approval);
      if (asked.length === 1) await page.turned();
      const decision = asked.length === 1 ? "approve" : "reject";
      await app.client.decide(approval.id, { decision, input_hash: approval.input_hash });
    });
    const [, clicked] = outputs(events);
    if (name.includes("laid over"))
      expect(clicked).toMatch(/^Failed to click #b: another (?:element lies|page was laid) over it: <iframe /);
    else expect(asked).toHaveLength(2);
    expect(page.done).toEqual([]);
    page.close();
  });
});
