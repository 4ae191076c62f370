/** A field of a tool's input that people try rules with. */
export interface ToolField {
  readonly name: string;
  readonly label: string;
  readonly example: string;
  readonly long?: true;
}

const path = (name = "file_path"): ToolField => ({ name, label: "File", example: "src/index.ts" });

/** Tools that have simple fields; any other takes its input as JSON. */
export const TOOL_FORMS: Readonly<Record<string, readonly ToolField[]>> = {
  Bash: [{ name: "command", label: "Command", example: "npm test", long: true }],
  Read: [path()],
  Write: [path(), { name: "content", label: "Content", example: "hello", long: true }],
  Edit: [
    path(),
    { name: "old_string", label: "Old text", example: "hello", long: true },
    { name: "new_string", label: "New text", example: "goodbye", long: true },
  ],
  Glob: [{ name: "pattern", label: "Pattern", example: "src/**/*.ts" }],
  Grep: [
    { name: "pattern", label: "Regular expression", example: "TODO" },
    { name: "path", label: "Folder", example: "src" },
  ],
  WebFetch: [
    { name: "url", label: "Address", example: "https://docs.example.org/" },
    { name: "prompt", label: "Question", example: "What does it say?" },
  ],
  NotebookEdit: [path("notebook_path"), { name: "new_source", label: "New source", example: "print(1)", long: true }],
  Task: [
    { name: "description", label: "Description", example: "Look for bugs" },
    { name: "prompt", label: "Prompt", example: "Read src and look for bugs.", long: true },
  ],
};

/** Names that are offered; any other may be written. */
export const TOOL_NAMES: readonly string[] = [
  ...Object.keys(TOOL_FORMS),
  "MultiEdit",
  "BashOutput",
  "KillShell",
  "TaskOutput",
  "TaskStop",
  "TodoWrite",
  "AskUserQuestion",
];

/** The examples of a tool's fields, to begin with. */
export function exampleOf(tool: string): Readonly<Record<string, string>> {
  return Object.fromEntries((TOOL_FORMS[tool] ?? []).map(({ name, example }) => [name, example]));
}

/** What a person wrote as JSON; words say what is wrong with it. */
export function parseInput(text: string): { readonly input: Record<string, unknown> } | { readonly wrong: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { input: value as Record<string, unknown> };
    return { wrong: 'The input is a JSON object, such as {"command": "ls"}.' };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : "This is not JSON." };
  }
}
