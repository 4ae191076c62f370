import { describe, expect, test } from "vitest";
import { TableViewContext } from "../../src/contexts/index.ts";
import { TablePage } from "./page.ts";

const FENCE = "```";

describe("the tools of a table view", () => {
  test("a viewer is added, listed, found, adjusted, under one id", async () => {
    const view = new TableViewContext(new TablePage());
    expect(view.listCurrentViewers()).toBe("No viewers currently added.");
    expect(view.findViewersByType("Histogram")).toBe("No viewers of type Histogram found.");
    expect(await view.addViewer("Histogram", { valueColumnName: "AGE" })).toBe(
      "Added viewer with ID: viewer-000000-aaaaaa-bbbbbb",
    );
    expect(await view.addViewer("Scatter plot", {})).toBe("Added viewer with ID: viewer-000001-aaaaaa-bbbbbb");
    expect(view.listCurrentViewers()).toBe(
      [
        "Currently added viewers:\n\n",
        "- ID: viewer-000000-aaaaaa-bbbbbb, Type: Histogram\n Configured Properties:\n",
        `${FENCE}json\n{\n  "valueColumnName": "AGE"\n}\n${FENCE}\n\n`,
        "- ID: viewer-000001-aaaaaa-bbbbbb, Type: Scatter plot\n Configured Properties:\n",
        `${FENCE}json\n{}\n${FENCE}`,
      ].join(""),
    );
    expect(await view.adjustViewer("viewer-000000-aaaaaa-bbbbbb", { bins: 5 })).toBe(
      "Adjusted viewer viewer-000000-aaaaaa-bbbbbb",
    );
    expect(view.findViewersByType("Histogram")).toBe(
      [
        "Found viewers of type Histogram: \n\n",
        "- ID: viewer-000000-aaaaaa-bbbbbb \n Configured Properties: \n",
        `${FENCE}json\n{\n  "valueColumnName": "AGE",\n  "bins": 5\n}\n${FENCE}`,
      ].join(""),
    );
    // As written: another spelling is another type, another id another viewer.
    expect(view.findViewersByType("histogram")).toBe("No viewers of type histogram found.");
    expect(await view.adjustViewer("viewer-x", { bins: 5 })).toBe(
      "Viewer with ID viewer-x not found. Please add a new viewer instead.",
    );
  });

  test("a type is described without what all viewers have", async () => {
    const view = new TableViewContext(new TablePage());
    expect(await view.describeViewer("Histogram")).toBe(
      [
        "Viewer properties for Histogram:\n\n",
        "valueColumnName - string - (A numerical column)\n",
        "bins - int - (No Description)\n",
        "showRangeInputs - bool - (No Description)\n",
      ].join(""),
    );
    expect(await view.describeViewer("Globe")).toBe("Error describing viewer Globe: there is no viewer Globe");
  });

  test("types and elements are listed, the table is described", () => {
    const view = new TableViewContext(new TablePage());
    expect(view.getAvailableViewers()).toBe(
      "## Available Viewer Types:\n\nHistogram, Scatter plot\n\nUse describe_viewer to get detailed information about any viewer type.",
    );
    expect(view.listUIElements()).toBe(
      "Available UI elements:\n\n- **Toggle filters button**: Shows or hides the filters\n- **Edit top menu**: The menu\n",
    );
    expect(view.getTableDescription()).toBe(
      [
        "## Current Table: demog\n\n**4 Columns:**\n",
        "- **AGE** (int)\n",
        "- **SEX** (string) - categorical (2 categories)\n",
        "- **WEIGHT** (double) - units: kg\n",
        "- **SMILES** (string) - semType: Molecule - units: smiles - categorical (90 categories)\n",
      ].join(""),
    );
  });

  test.for([
    ["shown", "TOGGLE filters BUTTON", null, ["Toggle filters button"]],
    [
      "missing",
      "toggle filters button",
      "Element with ID toggle filters button not found in the current UI.",
      ["Toggle filters button"],
    ],
    ["hidden", "Edit top menu", "Element with ID Edit top menu not found or cannot be highlighted.", ["Edit top menu"]],
    ["shown", "Save button", "Element with ID Save button not found or cannot be highlighted.", []],
  ] as const)("an element that is %s: %s", async ([highlighted, id, words, pointedAt]) => {
    const page = new TablePage();
    page.highlighted = highlighted;
    expect(await new TableViewContext(page).highlightElement(id, "here")).toBe(words);
    expect(page.pointedAt).toEqual(pointedAt);
  });

  test("an element that the page knows but does not show now is not in the current UI", async () => {
    const page = Object.assign(new TablePage(), { elementIds: () => ["Chem top menu"] });
    page.highlighted = "missing";
    expect(await new TableViewContext(page).highlightElement("chem TOP menu", "")).toBe(
      "Element with ID chem TOP menu not found in the current UI.",
    );
  });
});
