import type { WorkbenchCommands } from "../commands.ts";

/** Asks for a layout's file, and applies it to the table that is shown. */
export function pickLayout({ openLayoutFile }: Pick<WorkbenchCommands, "openLayoutFile">): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".json,application/json";
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file !== undefined) openLayoutFile(file);
  });
  input.click();
}
