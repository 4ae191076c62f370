import { expect, it } from "vitest";
import { openSite } from "../../browser/site.ts";
import { approveWith, openTestApp, runScript, script } from "../../support/app.ts";
import { puppeteerServer } from "../../support/mcp-servers.ts";
import { browserPath } from "../../support/programs.ts";
import { outputs } from "../mcp-client/world.ts";

const server = puppeteerServer();
const PREFIX = "mcp__puppeteer__puppeteer_";

it.skipIf(server === undefined || browserPath === undefined)(
  "puppeteer-mcp-server itself takes the place of our tools, under the same ids, and each call is asked about",
  async () => {
    const site = await openSite();
    await using app = await openTestApp({ SALLYPORT_BROWSER: browserPath ?? "off" });
    const asked: string[] = [];
    const approve = approveWith(app.client);
    const { events } = await runScript(
      app.client,
      {
        mcp_servers: {
          puppeteer: {
            command: process.execPath,
            args: [server ?? ""],
            env: {
              PUPPETEER_EXECUTABLE_PATH: browserPath ?? "",
              PUPPETEER_SKIP_DOWNLOAD: "1",
              // Without a window.
              DOCKER_CONTAINER: "1",
            },
          },
        },
        prompt: {
          text: script(
            { tool: `${PREFIX}navigate`, input: { url: `${site.url}/form` } },
            { tool: `${PREFIX}fill`, input: { selector: "#name", value: "Ada" } },
            { tool: `${PREFIX}click`, input: { selector: "#send" } },
            { tool: `${PREFIX}evaluate`, input: { script: "return document.title" } },
            { say: "Done." },
          ),
        },
      },
      (approval) => {
        asked.push(approval.tool);
        return approve(approval);
      },
    );
    expect(outputs(events)).toEqual([
      `Successfully navigated to ${site.url}/form (Status: 200)`,
      "Filled #name with: Ada",
      "Clicked: #send",
      'Execution result:\n"sent Ada red"\n\nConsole output:\n',
    ]);
    expect(asked).toEqual(["navigate", "fill", "click", "evaluate"].map((name) => PREFIX + name));
    site.server.closeAllConnections();
    site.server.close();
  },
);
