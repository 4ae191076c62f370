import { z } from "zod";
import { TOOL_FACTS } from "../../protocol/index.ts";
import { isRefusal, type ToolRefusal } from "../refusal.ts";
import type { Tool, ToolSession } from "../tool.ts";
import { carryOut, changedText, lookAt, previewChange, type Planned } from "./change.ts";
import { countCharacters, countLines, lineEndings } from "./content.ts";

const WriteInput = z.strictObject({
  file_path: z.string().describe("The file to write: absolute, or relative to the workspace"),
  content: z.string().describe("The whole new content of the file"),
});
type WriteInput = z.infer<typeof WriteInput>;

export const write: Tool<WriteInput> = {
  name: "Write",
  description:
    "Writes a whole file, and the folders above it where they are missing. An existing file is replaced, so " +
    "read it first; one that changed since it was read is refused. To change a part of a file, use Edit.",
  tier: TOOL_FACTS.Write.tier,
  input: WriteInput,
  paths: (input) => [{ path: input.file_path, access: "write" }],
  hosts: () => [],
  async preview(input, session) {
    return previewChange(session, input.file_path, {
      planned: await plan(input, session),
      details: ({ current, text, after }) => ({
        is_new_file: current === undefined,
        original_lines: countLines(text.text),
        new_lines: countLines(after),
      }),
    });
  },
  execute: (input, context) => carryOut(context, input.file_path, (session) => plan(input, session)),
};

async function plan(input: WriteInput, session: ToolSession): Promise<Planned | ToolRefusal> {
  const subject = await lookAt(session, input.file_path);
  if (isRefusal(subject)) return subject;
  const { current, place, text } = subject;
  const done = `Wrote ${countCharacters(input.content)} characters to ${place.shown}`;
  if (current === undefined) return { ...subject, after: input.content, done };
  const known = session.files.check(place.real, current.bytes);
  if (known === "changed") return { refused: changedText(place) };
  // A Windows file stays one, unless the new text has its own line endings.
  const windows = lineEndings(text.text) === "crlf" && !input.content.includes("\r");
  const after = windows ? input.content.replaceAll("\n", "\r\n") : input.content;
  return { ...subject, after, done };
}
