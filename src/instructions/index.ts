export { commandCall } from "./commands.ts";
export { parseFrontmatter, shownLine } from "./frontmatter.ts";
export { blockOf, expandPrompt, loadInstructions, NOTHING_LOADED, type LoadedInstructions } from "./load.ts";
export type { RepositoryHook, RepositorySettings } from "./repository-settings.ts";
export type { InstructionReader, NamesInFolder, TextOnDisk } from "./reader.ts";
