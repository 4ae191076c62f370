import { headOf, Failure, LIMITS, type ContentBlock } from "../protocol/index.ts";
import { BUILT_IN_TOOLS } from "./built-in.ts";
import { definitionOf } from "./definitions.ts";
import { parseInput } from "./input.ts";
import { ClientTools, type ClientTool } from "./client-tools.ts";
import { genericPreview, withTextWarnings } from "./preview.ts";
import { isRefusal, reasonOf } from "./refusal.ts";
import {
  errorResult,
  type AnyTool,
  type RunToolOptions,
  type ToolContext,
  type ToolResult,
  type ToolSession,
} from "./tool.ts";
import type { CallFacts, ExtensibleToolbox, ToolTraits } from "./toolbox.ts";

export interface ToolboxOptions {
  /** Which tools exist for the session, by their own names; absent: all. */
  readonly only?: ((name: string) => boolean) | undefined;
  /** Additional tools. A duplicate name is a Failure. */
  readonly extra?: readonly AnyTool[] | undefined;
}

export function createToolbox(session: ToolSession, options: ToolboxOptions = {}): ExtensibleToolbox {
  const tools = [...BUILT_IN_TOOLS, ...(options.extra ?? [])].filter((tool) => options.only?.(tool.name) ?? true);
  const own = index(tools);
  const clientTools = new ClientTools();
  const { find, isTaken, isReplaced } = finding(own, clientTools);
  let closed = false;
  return {
    definitions: () => [
      ...tools.filter((tool) => tool.hidden !== true && !isReplaced(tool)).map(definitionOf),
      ...clientTools.definitions(),
    ],
    traits: (name) => traitsOf(name, find(name)),
    facts: (name, input) => factsOf(name, find(name), input),
    register: (borrowed, instead) => clientTools.register(borrowed, { isTaken, instead }),
    isClientTool: (name) => clientTools.has(name),
    whenRegistered: (name, signal) => clientTools.whenRegistered(name, signal),
    get clientToolCount() {
      return clientTools.size;
    },
    async preview(name, input) {
      const tool = find(name);
      const parsed = tool === undefined ? undefined : parseInput(tool, input);
      if (tool === undefined || parsed === undefined || isRefusal(parsed)) return genericPreview(input);
      try {
        return withTextWarnings(await tool.preview(parsed.input, session), input);
      } catch {
        return genericPreview(input);
      }
    },
    async onlyReads(name, input) {
      const tool = find(name);
      const parsed = tool === undefined ? undefined : parseInput(tool, input);
      if (tool === undefined || parsed === undefined || isRefusal(parsed)) return undefined;
      return tool.onlyReads?.(parsed.input, session).catch(() => undefined);
    },
    async run(name, input, run) {
      const tool = find(name);
      if (tool === undefined)
        return errorResult(`Unknown tool: ${headOf(name, LIMITS.previewSummaryChars).toWellFormed()}`);
      if (closed) return errorResult("The session is closed: no tool can run in it any more.");
      const parsed = parseInput(tool, input);
      if (isRefusal(parsed)) return errorResult(parsed.refused.toWellFormed());
      if (run.permission !== undefined && run.permission.definition !== tool.definition)
        return errorResult(`${tool.name} has changed since it was permitted, so it was not run.`, { changed: true });
      try {
        return bounded(await tool.execute(parsed.input, contextOf(session, run)));
      } catch (error) {
        return bounded(errorResult(`Error: ${reasonOf(error)}`));
      }
    },
    async close() {
      closed = true;
      await session.shells.close();
      session.files.forget();
    },
  };
}

/** Not by spreading: an object that is spread and then gets more takes ten times as long to make. */
function contextOf(session: ToolSession, run: RunToolOptions): ToolContext {
  // oxlint-disable-next-line prefer-object-spread
  return Object.assign({}, session, run);
}

interface ToolFinding {
  find(this: void, name: string): AnyTool | undefined;
  /** Whether a tool of ours has the name, and keeps it. */
  isTaken(this: void, tool: ClientTool): boolean;
  isReplaced(this: void, tool: AnyTool): boolean;
}

function finding(own: ReadonlyMap<string, AnyTool>, clientTools: ClientTools): ToolFinding {
  const isReplaced = ({ name, yields }: AnyTool): boolean => yields === true && clientTools.has(name);
  return {
    isReplaced,
    find: (name) => {
      const tool = own.get(name);
      return tool === undefined || isReplaced(tool) ? clientTools.get(name) : tool;
    },
    // A page's tool must not be taken for one of ours: only a server's, of which nothing is believed, takes the place of one.
    isTaken: ({ name, definition }) => {
      const tool = own.get(name);
      return tool !== undefined && !(tool.yields === true && definition !== undefined);
    },
  };
}

function index(tools: readonly AnyTool[]): ReadonlyMap<string, AnyTool> {
  const byName = new Map<string, AnyTool>();
  for (const tool of tools) {
    for (const name of [tool.name, ...(tool.aliases ?? [])]) {
      if (byName.has(name)) throw new Failure("conflict", `Two tools are named ${name}.`);
      byName.set(name, tool);
    }
  }
  return byName;
}

function traitsOf(name: string, tool: AnyTool | undefined): ToolTraits {
  if (tool === undefined) return { name, known: false, tier: "execute", alwaysAsks: false, concurrent: false };
  const { tier, alwaysAsks = false, concurrent = false, definition } = tool;
  const traits = { name: tool.name, known: true, tier, alwaysAsks, concurrent };
  return definition === undefined ? traits : { ...traits, definition };
}

function factsOf(name: string, tool: AnyTool | undefined, input: unknown): CallFacts {
  const { concurrent: _, ...facts } = traitsOf(name, tool);
  if (tool === undefined) return { ...facts, paths: [], hosts: [] };
  const parsed = parseInput(tool, input);
  if (isRefusal(parsed)) return { ...facts, schemaError: parsed.refused, paths: [], hosts: [] };
  return { ...facts, paths: tool.paths(parsed.input), hosts: tool.hosts?.(parsed.input) ?? [] };
}

/** Whether the texts can be sent to a model as they are. */
function isWithin(content: readonly ContentBlock[], chars: number): boolean {
  let length = 0;
  for (const block of content) {
    if (block.type === "image") continue;
    length += block.text.length;
    if (length > chars || !block.text.isWellFormed()) return false;
  }
  return true;
}

/** The result with its text cut to what a model may get at once. */
function bounded(result: ToolResult): ToolResult {
  let room: number = LIMITS.toolOutputChars;
  if (isWithin(result.content, room)) return result;
  const content = result.content.flatMap((block): readonly ContentBlock[] => {
    if (block.type === "image") return [block];
    // Half of a surrogate pair cannot be sent to a model.
    const text = block.text.toWellFormed();
    if (text.length <= room) {
      room -= text.length;
      return [{ type: "text", text }];
    }
    const cut = `${headOf(text, room)}\n(${text.length - room} characters were cut here.)`;
    room = 0;
    return [{ type: "text", text: cut }];
  });
  return { ...result, content };
}
