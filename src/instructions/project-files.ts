import { basename, dirname, join } from "node:path";
import {
  AgentDefinition,
  BUILT_IN_COMMANDS,
  defined,
  estimatedTokens,
  LIMITS,
  type LoadedFile,
  type SkippedFile,
  type WorkspaceCommand,
} from "../protocol/index.ts";
import { skillLine, type SkillLine } from "./block.ts";
import { COMMAND_NAME } from "./commands.ts";
import { lineOf, parseFrontmatter, shownLine, wordsOf, type HeadedText } from "./frontmatter.ts";
import {
  NO_REPOSITORY_SETTINGS,
  repositorySettings,
  type RepositorySettings,
  type SettingsText,
} from "./repository-settings.ts";
import {
  isSkipped,
  readEach,
  type InstructionReader,
  type LookedFor,
  type NamesInFolder,
  type TextOnDisk,
} from "./reader.ts";

/** Kinds of sub-agents by name, as a session has them. */
export type AgentKinds = Readonly<Record<string, AgentDefinition>>;

const FOLDER = ".claude";
const NO_NAME = "its name is not made of letters, digits, _ and -";
/** As the settings of a session have it. */
const AGENT_NAME = /^[A-Za-z][\w-]{0,63}$/;

/** Collects the skills, commands and kinds of sub-agents of one workspace, within the bounds. */
export class ProjectFiles {
  readonly files: LoadedFile[] = [];
  readonly skipped: SkippedFile[] = [];
  readonly skills: SkillLine[] = [];
  readonly commands: WorkspaceCommand[] = [];
  repository: RepositorySettings = NO_REPOSITORY_SETTINGS;
  readonly #agents = new Map<string, AgentDefinition>();
  readonly #reader: InstructionReader;
  readonly #folder: string;

  constructor(reader: InstructionReader, workspace: string) {
    this.#reader = reader;
    this.#folder = join(workspace, FOLDER);
  }

  get agents(): AgentKinds {
    return Object.fromEntries(this.#agents);
  }

  async collect(): Promise<void> {
    const [skills, commands, agents] = await Promise.all([
      this.#list("skills"),
      this.#list("commands"),
      this.#list("agents"),
    ]);
    await this.#collectSkills(this.#names(skills));
    await this.#collectCommands(this.#names(commands));
    await this.#collectAgents(this.#names(agents));
    await this.#collectSettings();
  }

  async #collectSkills(names: readonly string[]): Promise<void> {
    const usable = names.filter((name) => COMMAND_NAME.test(name));
    for (const name of names.filter((one) => !COMMAND_NAME.test(one))) this.#skip(this.#skillPath(name), NO_NAME);
    for await (const looked of this.#readEach(usable.map((name) => this.#skillPath(name)))) {
      const read = this.#headed(looked);
      if (read === undefined) continue;
      const { path } = looked;
      if (this.skills.length >= LIMITS.workspaceSkills) {
        this.#skip(path, `${LIMITS.workspaceSkills} skills are offered at most`);
        return;
      }
      const { fields, body } = read.head;
      const skill = { name: basename(dirname(path)), description: describe(fields, body) };
      this.skills.push(skill);
      this.#add("skill", path, { read, ...skill, tokens: estimatedTokens(skillLine(skill).length) });
      this.#addCommand(path, { kind: "skill", ...skill, ...hintOf(fields) });
    }
  }

  #skillPath(name: string): string {
    return join(this.#folder, "skills", name, "SKILL.md");
  }

  async #collectCommands(names: readonly string[]): Promise<void> {
    const paths = names.filter(isMarkdown).map((name) => join(this.#folder, "commands", name));
    // One level of folders, which only group them.
    const folders = names.filter((one) => !isMarkdown(one)).slice(0, LIMITS.workspaceCommandFolders);
    for (const list of await Promise.all(folders.map((name) => this.#list(join("commands", name)))))
      for (const inner of this.#names(list)) if (isMarkdown(inner)) paths.push(join(list.path, inner));
    for await (const looked of this.#readEach(paths.slice(0, LIMITS.workspaceFolderEntries))) {
      if (this.commands.filter(({ kind }) => kind === "command").length >= LIMITS.workspaceCommands) {
        this.#skip(looked.path, `${LIMITS.workspaceCommands} commands are offered at most`);
        return;
      }
      this.#collectCommand(looked);
    }
  }

  #collectCommand(looked: LookedFor): void {
    const { path } = looked;
    const name = nameOf(path);
    if (!COMMAND_NAME.test(name)) return this.#skip(path, NO_NAME);
    const read = this.#headed(looked);
    if (read === undefined) return;
    const { fields, body } = read.head;
    const description = describe(fields, body);
    if (!this.#addCommand(path, { kind: "command", name, description, ...hintOf(fields) })) return;
    this.#add("command", path, { read, name, description, tokens: 0 });
  }

  #addCommand(path: string, command: Omit<WorkspaceCommand, "path">): boolean {
    const { name, kind } = command;
    const isOurs = BUILT_IN_COMMANDS.some((built) => built === name.toLowerCase());
    if (isOurs && kind === "command") this.#skip(path, `/${name} is a command of Sallyport itself`);
    if (isOurs) return false;
    const taken = this.commands.some((other) => other.name === name);
    if (taken) this.#skip(path, `there is another command /${name}`);
    else this.commands.push({ ...command, path: this.#reader.shown(path) });
    return !taken;
  }

  async #collectAgents(names: readonly string[]): Promise<void> {
    let chars = 0;
    const paths = names.filter(isMarkdown).map((name) => join(this.#folder, "agents", name));
    for await (const looked of this.#readEach(paths)) {
      const { path } = looked;
      const read = this.#headed(looked);
      if (read === undefined) continue;
      const { fields, body } = read.head;
      const name = lineOf(fields.get("name"), LIMITS.workspaceDescriptionChars) || nameOf(path);
      const agent = agentOf(fields, body);
      const problem = agent === undefined ? "it has no description or no prompt" : this.#whyNotAgent(name);
      if (agent === undefined || problem !== undefined) {
        this.#skip(path, problem ?? "");
        continue;
      }
      chars += name.length + JSON.stringify(agent).length;
      if (this.#agents.size >= LIMITS.agents || chars > LIMITS.agentsChars) {
        this.#skip(path, `${LIMITS.agents} agents of ${LIMITS.agentsChars} characters together are loaded at most`);
        return;
      }
      const { description } = agent;
      this.#agents.set(name, agent);
      this.#add("agent", path, { read, name, description, tokens: estimatedTokens(name.length + description.length) });
    }
  }

  #whyNotAgent(name: string): string | undefined {
    if (!AGENT_NAME.test(name)) return NO_NAME;
    return this.#agents.has(name) ? `there is another agent ${name}` : undefined;
  }

  /** Rules that take away, and programs that a person is asked about. */
  async #collectSettings(): Promise<void> {
    const own = ["settings.json", "settings.local.json"].map((name) => join(this.#folder, name));
    const servers = join(dirname(this.#folder), ".mcp.json");
    const texts: SettingsText[] = [];
    for await (const { path, read } of this.#readEach([servers, ...own])) {
      if (read === undefined) continue;
      const shown = this.#reader.shown(path);
      if (isSkipped(read)) this.#skip(path, read.why);
      else texts.push({ kind: path === servers ? "servers" : "settings", path: shown, text: read.text });
    }
    const { settings, skipped } = repositorySettings(texts);
    this.repository = settings;
    this.skipped.push(...skipped);
  }

  async #list(folder: string): Promise<NamesInFolder & { readonly path: string }> {
    const path = join(this.#folder, folder);
    return { path, ...(await this.#reader.names(path)) };
  }

  #names({ path, names, isCut }: NamesInFolder & { readonly path: string }): readonly string[] {
    if (isCut) this.#skip(path, `only ${LIMITS.workspaceFolderEntries} of its names are looked at`);
    return names;
  }

  #readEach(paths: readonly string[]): AsyncIterable<LookedFor> {
    return readEach(this.#reader, paths);
  }

  #headed({ path, read }: LookedFor): (TextOnDisk & { readonly head: HeadedText }) | undefined {
    if (read === undefined) return undefined;
    if (!isSkipped(read)) return { ...read, head: parseFrontmatter(read.text) };
    this.#skip(path, read.why);
    return undefined;
  }

  #add(
    kind: LoadedFile["kind"],
    path: string,
    { read, name, description, tokens }: Pick<LoadedFile, "name" | "description" | "tokens"> & { read: TextOnDisk },
  ): void {
    const { bytes, sha256 } = read;
    this.files.push({ kind, path: this.#reader.shown(path), ...defined({ name, description }), bytes, sha256, tokens });
  }

  #skip(path: string, why: string): void {
    this.skipped.push({ path: this.#reader.shown(path), why });
  }
}

function isMarkdown(name: string): boolean {
  return name.endsWith(".md");
}

function nameOf(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/\.md$/, "");
}

/** What it says of itself, or its first line. */
function describe(fields: HeadedText["fields"], body: string): string {
  const most = LIMITS.workspaceDescriptionChars;
  const first = body.split("\n").find((line) => line.trim() !== "") ?? "";
  return lineOf(fields.get("description"), most) || shownLine(first.replace(/^#+\s*/, ""), most) || "no description";
}

function hintOf(fields: HeadedText["fields"]): Pick<WorkspaceCommand, "argument_hint"> {
  const value = fields.get("argument-hint");
  // Brackets around a hint are a list to YAML, and a hint to people.
  const hint = typeof value === "string" || value === undefined ? value : `[${value.join(", ")}]`;
  const argument_hint = lineOf(hint, LIMITS.workspaceHintChars);
  return argument_hint === "" ? {} : { argument_hint };
}

/** Its `model` does not count: whoever pays chooses the model. Tools that the session does not have, it does not have either. */
function agentOf(fields: HeadedText["fields"], body: string): AgentDefinition | undefined {
  const description = lineOf(fields.get("description"), LIMITS.workspaceDescriptionChars);
  const tools = wordsOf(fields.get("tools"));
  const agent = AgentDefinition.safeParse({ description, prompt: body, ...(tools === undefined ? {} : { tools }) });
  return agent.success ? agent.data : undefined;
}
