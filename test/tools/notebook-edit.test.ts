import { stat } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { bench } from "./fixture.ts";

describe("NotebookEdit", () => {
  const notebook = {
    cells: [
      { cell_type: "markdown", id: "top", metadata: {}, source: ["# Hi\n", "there"] },
      {
        cell_type: "code",
        execution_count: 3,
        id: "calc",
        metadata: { tags: [] },
        outputs: [{ output_type: "stream", text: "1" }],
        source: "1 + 1",
      },
    ],
    metadata: { kernelspec: { name: "python3" } },
    nbformat: 4,
    nbformat_minor: 5,
  };
  const text = `${JSON.stringify(notebook, undefined, 1)}\n`;
  const cellsOf = async (tools: Awaited<ReturnType<typeof bench>>): Promise<unknown> =>
    (JSON.parse(await tools.get("n.ipynb")) as { cells: unknown }).cells;

  test("replace clears what the cell showed and keeps the rest byte for byte", async () => {
    const tools = await bench();
    const notebook_path = await tools.put("n.ipynb", text, 0o640);
    expect(await tools.text("NotebookEdit", { notebook_path, cell_id: "calc", new_source: "2 + 2\n3" })).toBe(
      "Replaced cell calc",
    );
    const changed = { ...notebook.cells[1], execution_count: null, outputs: [], source: "2 + 2\n3" };
    expect(await tools.get("n.ipynb")).toBe(
      `${JSON.stringify({ ...notebook, cells: [notebook.cells[0], changed] }, undefined, 1)}\n`,
    );
    expect((await stat(notebook_path)).mode & 0o777).toBe(0o640);
  });

  test("replace can change the type", async () => {
    const tools = await bench();
    await tools.put("n.ipynb", text);
    await tools.text("NotebookEdit", {
      notebook_path: "n.ipynb",
      cell_id: "calc",
      new_source: "words",
      cell_type: "markdown",
    });
    expect(await cellsOf(tools)).toEqual([
      notebook.cells[0],
      { cell_type: "markdown", id: "calc", metadata: { tags: [] }, source: "words" },
    ]);
  });

  test.each([
    ["after a cell", { cell_id: "top" }, 1],
    ["at the start", {}, 0],
  ])("insert %s", async (_name, where, index) => {
    const tools = await bench();
    await tools.put("n.ipynb", text);
    const input = {
      notebook_path: "n.ipynb",
      new_source: "x = 1\nx",
      cell_type: "code",
      edit_mode: "insert",
      ...where,
    };
    const { preview } = await tools.toolbox.preview("NotebookEdit", input);
    const said = await tools.text("NotebookEdit", input);
    const id = said.replace("Inserted cell ", "");
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    const cell = { cell_type: "code", execution_count: null, id, metadata: {}, outputs: [], source: ["x = 1\n", "x"] };
    expect(await cellsOf(tools)).toEqual(notebook.cells.toSpliced(index, 0, cell as never));
    // What was shown is what was written.
    expect(preview).toMatchObject({ type: "notebook", file: { new_content: await tools.get("n.ipynb"), effects: [] } });
  });

  test("delete", async () => {
    const tools = await bench();
    await tools.put("n.ipynb", text);
    const input = { notebook_path: "n.ipynb", cell_id: "top", new_source: "", edit_mode: "delete" };
    expect((await tools.toolbox.preview("NotebookEdit", input)).preview).toMatchObject({
      type: "notebook",
      cell_id: "top",
      cell_type: "markdown",
      edit_mode: "delete",
      old_source: "# Hi\nthere",
      new_source: "",
      diff: `--- a/${tools.path("n.ipynb")}\n+++ b/${tools.path("n.ipynb")}\n@@ -1,2 +0,0 @@\n-# Hi\n-there`,
    });
    expect(await tools.text("NotebookEdit", input)).toBe("Deleted cell top");
    expect(await cellsOf(tools)).toEqual([notebook.cells[1]]);
  });

  test("cells without ids are named by their place", async () => {
    const tools = await bench();
    const cells = [{ cell_type: "raw", metadata: {}, source: "a" }];
    await tools.put("n.ipynb", JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 2 }));
    expect(await tools.text("NotebookEdit", { notebook_path: "n.ipynb", cell_id: "cell-0", new_source: "b" })).toBe(
      "Replaced cell cell-0",
    );
    await tools.text("NotebookEdit", {
      notebook_path: "n.ipynb",
      cell_id: "cell-0",
      new_source: "c",
      cell_type: "markdown",
      edit_mode: "insert",
    });
    expect(await tools.get("n.ipynb")).toBe(
      JSON.stringify({
        cells: [
          { cell_type: "raw", metadata: {}, source: "b" },
          { cell_type: "markdown", metadata: {}, source: ["c"] },
        ],
        metadata: {},
        nbformat: 4,
        nbformat_minor: 2,
      }),
    );
  });

  test.each([
    ["another file", { notebook_path: "x.txt", cell_id: "a" }, /^x\.txt is not a notebook/],
    ["no file", { notebook_path: "no.ipynb", cell_id: "a" }, /^File does not exist: .*no\.ipynb$/],
    [
      "no such cell",
      { notebook_path: "n.ipynb", cell_id: "zzz" },
      /^No cell zzz in the notebook\. Its cells: top, calc$/,
    ],
    ["no JSON", { notebook_path: "bad.ipynb", cell_id: "a" }, /bad\.ipynb is not JSON/],
    ["nothing to change", { notebook_path: "n.ipynb", cell_id: "calc", new_source: "1 + 1" }, /nothing to change/],
    ["no cell_id", { notebook_path: "n.ipynb" }, /cell_id is needed to replace or delete a cell/],
    ["no cell_type", { notebook_path: "n.ipynb", edit_mode: "insert" }, /cell_type is needed to insert a cell/],
    ["outside", { notebook_path: "../outside/n.ipynb", cell_id: "a" }, /is outside the workspace/],
  ])("%s", async (_name, input, expected) => {
    const tools = await bench();
    await tools.put("n.ipynb", text);
    await tools.put("bad.ipynb", "{");
    expect(await tools.error("NotebookEdit", { new_source: "x", ...input })).toMatch(expected);
    expect(await tools.get("n.ipynb")).toBe(text);
  });
});
