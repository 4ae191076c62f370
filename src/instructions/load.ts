import { createHash } from "node:crypto";
import { join } from "node:path";
import { LIMITS, type LoadedFile, type SkippedFile, type WorkspaceCommand } from "../protocol/index.ts";
import { instructionBlock, type InstructionText, type SkillLine } from "./block.ts";
import { commandCall, expandCommand } from "./commands.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import { InstructionFiles, type InstructionSources } from "./instruction-files.ts";
import { ProjectFiles, type AgentKinds } from "./project-files.ts";
import { NO_REPOSITORY_SETTINGS, type RepositorySettings } from "./repository-settings.ts";
import { isSkipped, type InstructionReader } from "./reader.ts";

/** Everything that a workspace says to its sessions. */
export interface LoadedInstructions {
  readonly files: readonly LoadedFile[];
  readonly left_out: readonly SkippedFile[];
  readonly texts: readonly InstructionText[];
  readonly skills: readonly SkillLine[];
  readonly commands: readonly WorkspaceCommand[];
  readonly agents: AgentKinds;
  /** Rules and programs of the repository. They are not told to any model. */
  readonly repository: RepositorySettings;
  /** Equal for equal files. Empty: there is nothing. */
  readonly digest: string;
}

export const NOTHING_LOADED: LoadedInstructions = {
  files: [],
  left_out: [],
  texts: [],
  skills: [],
  commands: [],
  agents: {},
  repository: NO_REPOSITORY_SETTINGS,
  digest: "",
};

export interface LoadRequest extends InstructionSources {
  /** Absolute. */
  readonly workspace: string;
}

/** Reads what a workspace says: the same files always give the same. */
export async function loadInstructions(
  reader: InstructionReader,
  { workspace, ...sources }: LoadRequest,
): Promise<LoadedInstructions> {
  const instructions = new InstructionFiles(reader);
  const project = new ProjectFiles(reader, workspace);
  await Promise.all([instructions.collect(sources), project.collect()]);
  const files = [...instructions.files, ...project.files];
  const left_out = bounded([...instructions.skipped, ...project.skipped]);
  const isNothing = files.length === 0 && left_out.length === 0;
  const { skills, commands, agents, repository } = project;
  const digest = isNothing ? "" : sha256(JSON.stringify([files, left_out]));
  return { files, left_out, texts: instructions.texts, skills, commands, agents, repository, digest };
}

/** The block for the model's system prompt. Empty: nothing. */
export function blockOf({ texts, skills }: LoadedInstructions, options: { readonly hasSkillTool: boolean }): string {
  return instructionBlock(texts, skills, options);
}

/** What a prompt stands for that begins with a command of the workspace. Undefined: it does not. */
export async function expandPrompt(
  reader: InstructionReader,
  text: string,
  { workspace }: Pick<LoadRequest, "workspace">,
): Promise<{ readonly command: WorkspaceCommand; readonly text: string } | undefined> {
  const call = commandCall(text);
  if (call === undefined) return undefined;
  const project = new ProjectFiles(reader, workspace);
  await project.collect();
  const command = project.commands.find(({ name }) => name === call.name);
  if (command === undefined) return undefined;
  const read = await reader.read(join(workspace, command.path), LIMITS.instructionFileBytes);
  if (read === undefined || isSkipped(read)) return undefined;
  return { command, text: expandCommand(parseFrontmatter(read.text).body, call.rest) };
}

/** The first reasons, and how many more there are. */
function bounded(skipped: readonly SkippedFile[]): readonly SkippedFile[] {
  const most = LIMITS.leftOutFiles;
  if (skipped.length <= most) return skipped;
  const more = skipped.length - most + 1;
  return [...skipped.slice(0, most - 1), { path: "", why: `${more} more files were left out` }];
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
