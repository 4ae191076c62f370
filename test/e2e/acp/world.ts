import { afterAll, beforeAll } from "vitest";
import { openTestApp, type TestApp } from "../../support/app.ts";
import { Editor, type EditorOptions } from "./editor.ts";

interface EditorWorld {
  readonly app: TestApp;
  /** An editor that talks to the server. It leaves with the file's tests. */
  readonly open: (options?: Partial<EditorOptions>) => Promise<Editor>;
}

/** One server for the tests of a file, and editors at it. */
export function editorWorld(): EditorWorld {
  const editors: Editor[] = [];
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp();
  });
  afterAll(async () => {
    await Promise.all(editors.map((editor) => editor.leave()));
    await app[Symbol.asyncDispose]();
  });
  return {
    get app() {
      return app;
    },
    open: async (options = {}) => {
      const editor = await Editor.open({
        words: ["--server", app.serving.url, "--token", app.serving.token, "acp"],
        folder: app.place.workspace,
        ...options,
      });
      editors.push(editor);
      return editor;
    },
  };
}
