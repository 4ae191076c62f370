import { may } from "../../gate/index.ts";
import { commandWords, shownLine } from "../../instructions/index.ts";
import { promptArguments, type ServerPrompt } from "../../mcp-client/index.ts";
import {
  Failure,
  LIMITS,
  type Attachment,
  type ContentBlock,
  type Prompt,
  type WorkspaceCommand,
} from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";
import type { Session } from "../core/session.ts";
import { ruleOn } from "../permission/ruling.ts";

/** A prompt that begins with a prompt of an MCP server. */
interface CalledPrompt {
  readonly command: string;
  readonly server: string;
  readonly rest: string;
}

const CALL = /^\/(mcp__([A-Za-z0-9](?:_?[A-Za-z0-9-])*)__[\w-]+)(?:\s+([\s\S]*))?$/;
const MENTION = /(?:^|[\s(])@([A-Za-z0-9](?:_?[A-Za-z0-9-])*):([A-Za-z][\w+.-]*:[^\s)]+)/g;

/** Undefined: it begins with none. */
export function promptCall(text: string): CalledPrompt | undefined {
  const [, command, server, rest = ""] = CALL.exec(text.trim()) ?? [];
  return command === undefined || server === undefined ? undefined : { command, server, rest: rest.trim() };
}

/** A resource of an MCP server that a text names: `@docs:file:///guide.md`. */
export interface MentionedResource {
  readonly server: string;
  readonly uri: string;
}

/** Each once, in their order. */
export function resourcesIn(text: string): readonly MentionedResource[] {
  const found = new Map<string, MentionedResource>();
  for (const [, server = "", uri = ""] of text.matchAll(MENTION)) {
    const address = uri.replace(/[.,;!?'"]+$/, "");
    found.set(`${server} ${address}`, { server, uri: address });
  }
  return [...found.values()];
}

/** A server's prompt among the commands of its session. */
export function commandOfPrompt(server: string, prompt: ServerPrompt): WorkspaceCommand {
  const hint = prompt.arguments.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ");
  return {
    name: prompt.command,
    kind: "prompt",
    description: shownLine(prompt.description, LIMITS.workspaceDescriptionChars),
    ...(hint === "" ? {} : { argument_hint: shownLine(hint, LIMITS.workspaceHintChars) }),
    path: `mcp:${server}`,
  };
}

/**
 * The prompt with what MCP servers of the session have for it: a server's prompt that it begins with, and resources that it names. What
 * cannot be had is a Failure, and the prompt is not taken. A name that is no server of the session stays a word.
 */
export async function withServerParts(session: Session, caller: Caller, prompt: Prompt): Promise<Prompt> {
  const call = promptCall(prompt.text);
  const mentions = resourcesIn(prompt.text).filter(({ server }) => session.servers.has(server));
  const isCall = call !== undefined && session.servers.has(call.server);
  if (!isCall && mentions.length === 0) return prompt;
  if (mentions.length > LIMITS.mcpPromptResources)
    throw new Failure("invalid_request", `a prompt can name ${LIMITS.mcpPromptResources} resources of MCP servers`);
  const parts = new ServerParts(session, caller);
  const more = [
    ...(isCall ? await parts.prompt(call) : []),
    ...(await Promise.all(mentions.map((mention) => parts.resource(mention)))).flat(),
  ];
  const attachments = [...(prompt.attachments ?? []), ...more];
  if (attachments.length > LIMITS.attachmentsPerPrompt)
    throw new Failure("invalid_request", `a prompt can have ${LIMITS.attachmentsPerPrompt} attachments`);
  return { ...prompt, attachments };
}

/** For the first prompt of a session, whose servers do not run yet: the model gets the server's prompt itself. */
export function askedOfModel(prompt: Prompt): Prompt {
  const call = promptCall(prompt.text);
  const { attachments = [] } = prompt;
  if (call === undefined || attachments.length >= LIMITS.attachmentsPerPrompt) return prompt;
  const { command, server } = call;
  const text = `The person wrote /${command}, a prompt of the MCP server ${server}. If you have the tool mcp__${server}__get_prompt, get it with that (mcp__${server}__list_prompts says its exact name and its arguments, which stand after it in this order), and do what it says.`;
  return { ...prompt, attachments: [...attachments, { type: "text", name: `/${command}`, text }] };
}

class ServerParts {
  readonly #session: Session;
  readonly #caller: Caller;
  readonly #signal = AbortSignal.timeout(LIMITS.mcpPromptMs);

  constructor(session: Session, caller: Caller) {
    this.#session = session;
    this.#caller = caller;
  }

  async prompt({ command, server, rest }: CalledPrompt): Promise<readonly Attachment[]> {
    const client = await this.#session.servers.started(server, this.#signal);
    const found = client?.prompts.find((prompt) => prompt.command === command);
    if (client === undefined || found === undefined)
      throw new Failure("not_found", `the MCP server ${server} has no prompt /${command}${whyNot(client)}`);
    const given = promptArguments(found, commandWords(rest));
    if ("missing" in given)
      throw new Failure("invalid_request", `/${command} needs ${given.missing.join(", ")} after it`);
    const call = { kind: "get_prompt" as const, name: found.name, input: given.input };
    await this.#permitted(`mcp__${server}__get_prompt`, { name: call.name, arguments: call.input });
    const { content, is_error } = await client.fetch(call, this.#signal);
    if (is_error) throw new Failure("invalid_request", textOf(content));
    const words = `The person wrote /${command}. This is what it stands for (a prompt of the MCP server ${server}):`;
    return attached(`/${command}`, words, content);
  }

  async resource({ server, uri }: MentionedResource): Promise<readonly Attachment[]> {
    const client = await this.#session.servers.started(server, this.#signal);
    if (client === undefined)
      throw new Failure("not_found", `@${server}:${uri} cannot be read: the server does not run`);
    await this.#permitted(`mcp__${server}__read_resource`, { uri });
    const { content, is_error } = await client.fetch({ kind: "read_resource", uri }, this.#signal);
    if (is_error) throw new Failure("invalid_request", `@${server}:${uri} cannot be read: ${textOf(content)}`);
    return attached(`@${server}:${uri}`, `The person named this resource of the MCP server ${server}:`, content);
  }

  /** What a person names, nobody asks that person about. What the policy denies stays denied, and others are bound to what it allows. */
  async #permitted(tool: string, input: Readonly<Record<string, unknown>>): Promise<void> {
    const { state, dependencies, instructions } = this.#session;
    const { settings, grants, created_by, token } = state;
    const { repository } = instructions.current;
    const asked = { tool, input, settings, grants, created_by, token, repository };
    const { ruling } = await ruleOn(asked, dependencies.policy(), await this.#session.environment());
    const decides = may(this.#caller.role, "approval.decide") === "all";
    if (ruling.effect === "allow" || (ruling.effect === "ask" && decides)) return;
    throw new Failure("forbidden", `${tool} is not for this prompt: ${ruling.why}`, { rule: ruling.rule });
  }
}

function whyNot(client: { readonly view: { readonly error?: string | undefined } } | undefined): string {
  const error = client?.view.error;
  return error === undefined ? "" : ` (${error})`;
}

/** Text as one attachment, and each image as one of its own. */
function attached(name: string, words: string, content: readonly ContentBlock[]): readonly Attachment[] {
  const text = `${words}\n\n${textOf(content)}`;
  const shown = shownLine(name, LIMITS.pathChars).slice(0, 500);
  const images = content.flatMap((block): readonly Attachment[] =>
    block.type === "image" ? [{ type: "image", media_type: block.media_type, data: block.data, name: shown }] : [],
  );
  const parts: readonly Attachment[] = [{ type: "text", name: shown, text }, ...images];
  const most = Math.ceil((LIMITS.attachmentBytes * 4) / 3);
  if (text.length > LIMITS.promptChars || images.some((image) => image.type === "image" && image.data.length > most))
    throw new Failure("invalid_request", `${shown} is larger than an attachment can be`);
  return parts;
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
