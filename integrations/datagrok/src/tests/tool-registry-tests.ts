import * as grok from "datagrok-api/grok";
import type * as DG from "datagrok-api/dg";
import { BrowserToolExecutor } from "../claude-code/tool-registry.ts";
import { category, expectEqual } from "./registry.ts";

const IDENTIFIER = /viewer(?:-[0-9a-z]{6}){3}/;

async function withView(use: (view: DG.TableView, tools: Ask) => Promise<void>): Promise<void> {
  const view = grok.shell.addTableView(grok.data.testData("demog", 100));
  try {
    const executor = new BrowserToolExecutor(view, null);
    await use(view, (tool, args = {}) => executor.execute({ callId: "1", tool, args }));
  } finally {
    view.close();
  }
}

type Ask = (tool: string, args?: object) => Promise<string>;

/** They want a table view of the platform, and nothing of the container. */
export function registerToolTests(): void {
  category("Claude runtime: tools", (test) => {
    test("a viewer is added, found, adjusted and listed under one id", () =>
      withView(async (view, ask) => {
        const added = await ask("add_viewer", {
          viewerType: "Histogram",
          viewerProperties: { valueColumnName: "AGE" },
        });
        const id = IDENTIFIER.exec(added)?.[0] ?? "";
        expectEqual(added, `Added viewer with ID: ${id}`);
        expectEqual(view.viewers.at(-1)?.type, "Histogram");
        expectEqual(
          await ask("adjust_viewer", { viewerId: id, viewerProperties: { bins: 7 } }),
          `Adjusted viewer ${id}`,
        );
        expectEqual(view.viewers.at(-1)?.getOptions().look["bins"], 7);
        const found = await ask("find_viewers_by_type", { viewerType: "Histogram" });
        expectEqual(found.startsWith(`Found viewers of type Histogram: \n\n- ID: ${id} \n`), true);
        const listed = await ask("list_current_viewers");
        expectEqual(listed.includes(`- ID: ${id}, Type: Histogram\n`), true);
      }));

    test("viewers that a person made have ids too, and keep them", () =>
      withView(async (view, ask) => {
        view.addViewer("Scatter plot");
        const ids = [await ask("list_current_viewers"), await ask("list_current_viewers")];
        expectEqual(ids[0], ids[1]);
        expectEqual(IDENTIFIER.test(ids[0] ?? ""), true);
      }));

    test("a viewer that is not there", () =>
      withView(async (view, ask) => {
        const before = view.viewers.length;
        expectEqual(
          await ask("add_viewer", { viewerType: "Nothing", viewerProperties: {} }),
          'Error: there is no viewer "Nothing"; get_available_viewers lists them',
        );
        expectEqual(
          await ask("adjust_viewer", { viewerId: "viewer-x", viewerProperties: {} }),
          "Viewer with ID viewer-x not found. Please add a new viewer instead.",
        );
        expectEqual(view.viewers.length, before);
      }));

    test("types and their properties", () =>
      withView(async (_, ask) => {
        const types = await ask("get_available_viewers");
        expectEqual([types.includes("Scatter plot"), types.includes("Pivot table")], [true, true]);
        const described = await ask("describe_viewer", { viewerType: "Histogram" });
        expectEqual(described.startsWith("Viewer properties for Histogram:\n\n"), true);
        expectEqual([described.includes("valueColumnName - "), described.includes("\nrowSource - ")], [true, false]);
      }));

    test("elements of the page", () =>
      withView(async (_, ask) => {
        const elements = await ask("list_ui_elements");
        expectEqual(elements.startsWith("Available UI elements:\n\n"), true);
        expectEqual(
          await ask("highlight_element", { elementId: "Nothing", description: "" }),
          "Element with ID Nothing not found or cannot be highlighted.",
        );
      }));

    test("without a view and without a connection", async () => {
      const executor = new BrowserToolExecutor(null, null);
      const ask = (tool: string, args: object): Promise<string> => executor.execute({ callId: "1", tool, args });
      expectEqual(await ask("list_current_viewers", {}), "Error: no active table view");
      expectEqual(await ask("list_catalogs", {}), "Error: No database connection available for SQL tools");
      expectEqual(await ask("nothing", {}), 'Error: unknown tool "nothing"');
      expectEqual(
        executor.tools().map(({ name }) => name),
        ["find_similar_script_samples", "search_documentation", "list_js_members", "search_js_api_sources"],
      );
    });

    test("a connection that is not there", async () => {
      const executor = new BrowserToolExecutor(null, "00000000-0000-0000-0000-000000000000");
      expectEqual(
        await executor.execute({ callId: "1", tool: "list_catalogs", args: {} }),
        "Error: Connection with ID 00000000-0000-0000-0000-000000000000 not found",
      );
    });

    test("members of the API are listed and nothing is run", async () => {
      const executor = new BrowserToolExecutor(null, null);
      const ask = (expression: string): Promise<string> =>
        executor.execute({ callId: "1", tool: "list_js_members", args: { expression } });
      expectEqual((await ask("grok")).includes('"shell"'), true);
      expectEqual((await ask("grok.shell.closeAll()")).startsWith("Error: unsafe expression."), true);
    });
  });
}
