import { afterAll, beforeAll } from "vitest";
import { openTestHouse, type TestHouse } from "../../support/house.ts";
import { Editor, type EditorOptions } from "./editor.ts";

interface EditorWorld {
  readonly house: TestHouse;
  /** An editor that talks to the server. It leaves with the file's tests. */
  readonly open: (options?: Partial<EditorOptions>) => Promise<Editor>;
}

/** One server for the tests of a file, and editors at it. */
export function editorWorld(): EditorWorld {
  const editors: Editor[] = [];
  let house: TestHouse;
  beforeAll(async () => {
    house = await openTestHouse();
  });
  afterAll(async () => {
    await Promise.all(editors.map((editor) => editor.leave()));
    await house[Symbol.asyncDispose]();
  });
  return {
    get house() {
      return house;
    },
    open: async (options = {}) => {
      const editor = await Editor.open({
        words: ["--server", house.serving.url, "--token", house.serving.token, "acp"],
        folder: house.place.workspace,
        ...options,
      });
      editors.push(editor);
      return editor;
    },
  };
}
