export { commandCall, commandWords } from "./commands.ts";
export { parseFrontmatter, shownLine } from "./frontmatter.ts";
export { blockOf, expandPrompt, loadInstructions, NOTHING_LOADED, type LoadedInstructions } from "./load.ts";
export { loadNested, nestedFolders } from "./nested.ts";
export type { RepositoryHook, RepositorySettings } from "./repository-settings.ts";
export type { InstructionReader, NamesInFolder, TextOnDisk } from "./reader.ts";
