import { commandCall, expandPrompt } from "../../../instructions/index.ts";
import { isInside } from "../../../gate/index.ts";
import {
  estimatedTokens,
  Failure,
  LIMITS,
  type Prompt,
  type SessionContext,
  type SessionSettings,
  type WorkspaceCommandList,
} from "../../../protocol/index.ts";
import { authorize, authorizeFor, scopeOf, type Caller } from "../../access/access.ts";
import { offeredTools } from "../../core/host.ts";
import type { Session } from "../../core/session.ts";
import { isFinal } from "../../core/state.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import { modelFacts } from "../../settings/model-facts.ts";
import type { WorkspacePlaces } from "../../settings/settings.ts";
import { effectiveProfile } from "../../permission/effective-profile.ts";
import { askedOfModel, commandOfPrompt, promptCall, withServerParts } from "../../mcp/prompt-parts.ts";
import { DiskLook } from "../../workspace/disk-look.ts";
import { instructionReader } from "../../workspace/instruction-reader.ts";
import type { MessageContext } from "../../workspace/repository-context.ts";
import { readDenials, takesInstructions, type InstructedSession } from "../../workspace/session-instructions.ts";

interface InstructionServiceParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
  readonly places: WorkspacePlaces;
}

/** What the workspaces of sessions say to agents. */
export class InstructionService {
  readonly #parts: InstructionServiceParts;

  constructor(parts: InstructionServiceParts) {
    this.#parts = parts;
  }

  /** What the session's next turn begins with, and what that costs. */
  async context(caller: Caller, id: string): Promise<SessionContext> {
    const session = await this.#session(caller, id);
    const loaded = await session.instructions.load();
    const { files, left_out } = session.instructions.withNested(loaded);
    const { dependencies, state } = session;
    const { settings } = state;
    const { toolbox } = await session.environment();
    const tools = offeredTools({ dependencies, state, instructions: { current: loaded } }, toolbox);
    const { contextTokens } = modelFacts(dependencies.models, settings);
    return {
      instructions: takesInstructions(session) ? "auto" : "off",
      files: [...files],
      left_out: [...left_out],
      repository_parts: [...session.instructions.repository.told],
      system_prompt_tokens: estimatedTokens(settings.system_prompt?.length ?? 0),
      tool_tokens: estimatedTokens(JSON.stringify(tools).length),
      file_tokens: files.reduce((sum, { tokens }) => sum + tokens, 0),
      ...(contextTokens === undefined ? {} : { window_tokens: contextTokens }),
    };
  }

  /** What a prompt of the session can begin with. */
  async commands(caller: Caller, id: string): Promise<WorkspaceCommandList> {
    const session = await this.#session(caller, id);
    const { commands } = await session.instructions.load();
    const prompts = session.servers
      .prompts()
      .flatMap(({ server, prompts: own }) => own.map((prompt) => commandOfPrompt(server, prompt)));
    return { commands: [...commands, ...prompts] };
  }

  /** The prompt with what it stands for: a command of the workspace, or what MCP servers of the session have for it. */
  async expanded(caller: Caller, session: Session, prompt: Prompt): Promise<Prompt> {
    return withServerParts(session, caller, await this.#ofWorkspace(session, prompt));
  }

  /** Parts of the session's workspace that fit a message; undefined: none does. */
  async repositoryContext(caller: Caller, id: string, text: string): Promise<MessageContext | undefined> {
    authorize(caller, "session.control");
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, "session.control", { state: session.state, what: `session ${id}` });
    return isFinal(session.state.status) ? undefined : session.instructions.repository.find(text);
  }

  async #ofWorkspace(session: Session, prompt: Prompt): Promise<Prompt> {
    if (commandCall(prompt.text) === undefined) return prompt;
    // The files of a worktree or snapshot are there while its environment is. If it cannot be opened, the turn says why.
    const environment = await session.environment().catch(() => undefined);
    return environment === undefined ? prompt : this.#expand(session, prompt);
  }

  /** The same for the first prompt of a session that is about to begin. */
  expandedFor(caller: Caller, settings: SessionSettings, prompt: Prompt): Promise<Prompt> {
    const { mcpServers } = this.#parts.dependencies;
    const server = promptCall(prompt.text)?.server;
    const named = { ...mcpServers.servers, ...settings.mcp_servers };
    if (server !== undefined && Object.hasOwn(named, server)) return Promise.resolve(askedOfModel(prompt));
    const state = { settings, created_by: caller, token: scopeOf(caller), grants: [] };
    return this.#expand({ state, dependencies: this.#parts.dependencies }, prompt);
  }

  async #expand(session: Omit<InstructedSession, "environment">, prompt: Prompt): Promise<Prompt> {
    const { text, attachments = [] } = prompt;
    if (commandCall(text) === undefined || attachments.length >= LIMITS.attachmentsPerPrompt) return prompt;
    const { state, dependencies } = session;
    if (!takesInstructions(session)) return prompt;
    const { workspace } = state.settings;
    const places = {
      workspace,
      around: [],
      exactly: [],
      isHidden: (real: string) =>
        this.#parts.places.hidden.some((folder) => isInside(folder, real) && !isInside(folder, workspace)),
      deniedBy: readDenials(effectiveProfile(dependencies.policy(), state).deny ?? [], state.settings),
    };
    const reader = instructionReader(places, new DiskLook(() => dependencies.clock.now()));
    const found = await expandPrompt(reader, text, { workspace });
    if (found === undefined) return prompt;
    const words = `The person wrote /${found.command.name}. This is what it stands for (${found.command.path}):`;
    const attachment = { type: "text" as const, name: `/${found.command.name}`, text: `${words}\n\n${found.text}` };
    if (attachment.text.length > LIMITS.promptChars) return prompt;
    return { ...prompt, attachments: [...attachments, attachment] };
  }

  async #session(caller: Caller, id: string): Promise<Session> {
    authorize(caller, "session.read");
    const session = await this.#parts.registry.get(id);
    const { state } = session;
    authorizeFor(caller, "session.read", { state, what: `session ${id}` });
    if (isFinal(state.status))
      throw new Failure("session_closed", `session ${id} is ${state.status}; its next turn never comes`);
    return session;
  }
}
