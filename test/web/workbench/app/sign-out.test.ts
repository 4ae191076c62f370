import { expect, test } from "vitest";
import { forgetWorkbenchData } from "../../../../src/web/ui/app/browser-data.ts";

test("signing out deletes tables, layouts and queries; sizes of the page and other things stay", () => {
  const items = new Map<string, string>(
    ["layouts", "sql", "sql-tabs", "sizes", "downloads"].map((name) => [`sallyport.workbench.${name}`, "{}"]),
  );
  items.set("sallyport.theme", "dark");
  const deleted: string[] = [];
  const storage = {
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    removeItem: (key: string) => void items.delete(key),
  };
  forgetWorkbenchData(storage, { deleteDatabase: (name) => void deleted.push(name) });
  expect([...items.keys()]).toEqual(["sallyport.workbench.sizes", "sallyport.workbench.downloads", "sallyport.theme"]);
  expect(deleted).toEqual(["sallyport.workbench"]);
  // A browser that refuses its database has nothing in it.
  forgetWorkbenchData(storage, {
    deleteDatabase: () => {
      throw new Error("not allowed");
    },
  });
});
