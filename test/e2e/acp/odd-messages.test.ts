import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/protocol/index.ts";
import { script } from "../../support/app.ts";
import { allow, type Editor } from "./editor.ts";
import { editorWorld } from "./world.ts";

const world = editorWorld();

const BASH = script({ tool: "Bash", input: { command: "echo hi" } }, { say: "never" });
const NOT_PROTOCOL = "the editor gave an answer that is not in the protocol";
const CLOSED = "the editor closed the question";

const says = (answer: unknown) => async (): Promise<RequestPermissionResponse> => answer as RequestPermissionResponse;

describe("an answer that is not what the protocol says", () => {
  it.each([
    [{}, NOT_PROTOCOL],
    [null, NOT_PROTOCOL],
    ["allow_once", NOT_PROTOCOL],
    [["allow_once"], NOT_PROTOCOL],
    [{ outcome: null }, NOT_PROTOCOL],
    [{ outcome: "selected" }, NOT_PROTOCOL],
    [{ outcome: {} }, NOT_PROTOCOL],
    [{ outcome: { outcome: "selected" } }, NOT_PROTOCOL],
    [{ outcome: { outcome: "selected", optionId: null } }, NOT_PROTOCOL],
    [{ outcome: { outcome: "selected", optionId: ["allow_once"] } }, NOT_PROTOCOL],
    [{ outcome: { outcome: "approved", optionId: "allow_once" } }, NOT_PROTOCOL],
    [{ outcome: { outcome: "selected", optionId: "__proto__" } }, "the editor gave an answer that was not offered"],
  ])("%j ends the question, and the turn as cancelled", async (answer, feedback) => {
    const editor = await world.open({ permission: says(answer) });
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    expect(await editor.prompt(sessionId, BASH)).toEqual({ stopReason: "cancelled" });
    const { approvals } = await world.app.client.approvals({ session_id: sessionId });
    expect(approvals).toMatchObject([{ status: "rejected", feedback, interrupt: true }]);
    expect(await editor.prompt(sessionId, script({ say: "again" }))).toEqual({ stopReason: "end_turn" });
  });
});

const question = (text: string, labels: readonly string[] = ["Yes", "No"]): object => ({
  question: text,
  header: "H",
  multiSelect: false,
  options: labels.map((label) => ({ label, description: `about ${label}` })),
});

describe("questions with the same text", () => {
  it("keep their own answers", async () => {
    const picks = ["answer_2", "answer_1", "answer_2"];
    const editor = await world.open({ permission: (request, signal) => allow(picks.shift() ?? "")(request, signal) });
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    const questions = [question("Sure?"), question("Sure?"), question("Sure? (2)")];
    await editor.prompt(sessionId, script({ tool: "AskUserQuestion", input: { questions } }, { say: "end" }));
    expect(editor.calls()[0]?.["content"]).toEqual([
      {
        type: "content",
        content: {
          type: "text",
          text: '```\nThe user answered:\n"Sure?" = "No"\n"Sure? (3)" = "Yes"\n"Sure? (2)" = "No"\n```',
        },
      },
    ]);
  });
});

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const HIDDEN = /[\u001B\u200B\u202A-\u202E\u3164]/;

describe("hidden characters", () => {
  const asked = async (
    call: object,
  ): Promise<{ readonly request: RequestPermissionRequest; readonly editor: Editor }> => {
    const editor = await world.open({ permission: allow("allow_once") });
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    await editor.prompt(sessionId, script(call, { say: "end" }));
    const [request] = editor.asked;
    if (request === undefined) throw new Error("nothing was asked");
    return { request, editor };
  };

  it("are named in a question, its answers and what is said about them", async () => {
    const questions = [
      {
        ...question("Deploy to \u202Egnigats\u202C?", ["Y\u200Bes", "No\u001B[8m"]),
        options: [
          { label: "Y\u200Bes", description: "a\u3164b" },
          { label: "No\u001B[8m", description: "c" },
        ],
      },
    ];
    const { request, editor } = await asked({ tool: "AskUserQuestion", input: { questions } });
    expect(request.toolCall.title).toBe("Deploy to ⟨U+202E⟩gnigats⟨U+202C⟩?");
    expect(request.options.map(({ name }) => name)).toEqual(["Y⟨U+200B⟩es", "No⟨U+001B⟩[8m", "No answer"]);
    expect(JSON.stringify(request.toolCall.content)).toContain("a⟨U+3164⟩b");
    expect(JSON.stringify(editor.calls())).not.toMatch(HIDDEN);
  });

  it("are named in diffs, paths and inputs, before and after; line ends and joined emoji are left alone", async () => {
    const folder = join(world.app.place.workspace, "hidden");
    await mkdir(folder);
    const content = "a\u202Eb\r\nfamily 👩‍💻\r\n";
    const path = join(folder, "x\u200By.txt");
    const { request, editor } = await asked({ tool: "Write", input: { file_path: path, content } });
    const shown = join(folder, "x⟨U+200B⟩y.txt");
    expect(request.toolCall).toMatchObject({
      content: [
        { type: "diff", path: shown, oldText: null, newText: "a⟨U+202E⟩b\r\nfamily 👩‍💻\r\n" },
        { type: "content" },
      ],
      locations: [],
      rawInput: { file_path: shown, content: "a⟨U+202E⟩b\r\nfamily 👩‍💻\r\n" },
    });
    expect(JSON.stringify([request, ...editor.updates])).not.toMatch(HIDDEN);
  });

  it("are named in a whole diff of a file that has them, and in output", async () => {
    const path = join(world.app.place.workspace, "old.txt");
    await writeFile(path, "if (a\u200B) {\r\n}\r\n");
    const edit = { tool: "Edit", input: { file_path: path, old_string: "{", new_string: "[" } };
    const editor = await world.open({ permission: allow("allow_once") });
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    await editor.prompt(
      sessionId,
      script({ tool: "Read", input: { file_path: path } }, edit, { tool: "Bash", input: { command: "cat old.txt" } }),
    );
    expect(editor.asked[0]?.toolCall.content?.[0]).toEqual({
      type: "diff",
      path,
      oldText: "if (a⟨U+200B⟩) {\r\n}\r\n",
      newText: "if (a⟨U+200B⟩) [\r\n}\r\n",
    });
    expect(JSON.stringify([...editor.asked, ...editor.updates])).not.toMatch(HIDDEN);
  });
});

describe("a message that is too long", () => {
  const long = "A".repeat(LIMITS.bodyBytes);

  it("is refused with words, and the next one is read", async () => {
    const editor = await world.open();
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    const other = await editor.newSession(world.app.place.workspace);
    const refused = editor.prompt(sessionId, [{ type: "image", mimeType: "image/png", data: long }]);
    const next = editor.prompt(other.sessionId, script({ say: "Still here." }));
    await expect(refused).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("32000000 bytes") as unknown,
      data: { code: "payload_too_large" },
    });
    expect(await next).toEqual({ stopReason: "end_turn" });
    expect(await editor.leave()).toEqual({
      code: 0,
      stderr: expect.stringContaining("a message of the editor has more than 32000000 bytes") as unknown,
    });
  });

  it("ends the question that it answers", async () => {
    const answer = { outcome: { outcome: "selected", optionId: "allow_once" }, _meta: { long } };
    const editor = await world.open({ permission: says(answer) });
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    expect(await editor.prompt(sessionId, BASH)).toEqual({ stopReason: "cancelled" });
    const { approvals } = await world.app.client.approvals({ session_id: sessionId });
    expect(approvals).toMatchObject([{ status: "rejected", feedback: CLOSED }]);
  });
});
