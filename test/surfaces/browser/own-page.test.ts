import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runScript, script } from "../../support/app.ts";
import { browserPath } from "../../support/programs.ts";
import { describeWithWalls } from "../../support/walls.ts";
import { openWith } from "../mcp-client/world.ts";

const PREFIX = "mcp__puppeteer__puppeteer_";
const BANK = "bank.example.org";

describeWithWalls("a page of the session's own with a frame of another host", () => {
  it.skipIf(browserPath === undefined)("is not its own: clicks and texts are asked about", async () => {
    const paid: string[] = [];
    const server = createServer((request, response) => {
      if (request.method === "POST") paid.push(request.url ?? "");
      response.setHeader("content-type", "text/html");
      response.end(`<form action="/pay" method="post"><input id="to" name="to"><button id="pay">Pay</button></form>`);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const policy = { default_profile: "own", profiles: { own: { egress_hosts: [`${BANK}:${port}`] } } };
    await using app = await openWith(
      { policy },
      { SALLYPORT_BROWSER: browserPath ?? "off" },
      { addressOf: async () => ({ address: "127.0.0.1", family: 4 }) },
    );
    const around = `<title>Own</title><iframe src="http://${BANK}:${port}/" width="400" height="200"></iframe>`;
    await writeFile(
      join(app.place.workspace, "serve.cjs"),
      `require('http').createServer((_, r) => { r.setHeader('content-type', 'text/html'); r.end(${JSON.stringify(around)}); }).listen(8124);`,
    );
    const asked: string[] = [];
    await runScript(
      app.client,
      {
        sandbox: "bubblewrap",
        prompt: {
          text: script(
            { tool: "Bash", input: { command: `${process.execPath} serve.cjs`, run_in_background: true } },
            {
              tool: "Bash",
              input: { command: "until (exec 3<>/dev/tcp/127.0.0.1/8124) 2>/dev/null; do sleep 0.1; done" },
            },
            { tool: `${PREFIX}navigate`, input: { url: "http://localhost:8124/", waitUntil: "load" } },
            { tool: `${PREFIX}fill`, input: { selector: "#to", value: "somebody" } },
            { tool: `${PREFIX}click`, input: { selector: "#pay" } },
            { tool: `${PREFIX}click`, input: { selector: "iframe" } },
            { say: "Over." },
          ),
        },
      },
      async ({ id, tool, input_hash }) => {
        asked.push(tool.replace(PREFIX, ""));
        await app.client.decide(id, { decision: tool === "Bash" ? "approve" : "reject", input_hash });
      },
    );
    expect(asked).toEqual(["Bash", "Bash", "fill", "click", "click"]);
    expect(paid).toEqual([]);
    server.closeAllConnections();
    server.close();
  });
});
