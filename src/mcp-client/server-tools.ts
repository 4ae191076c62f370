import { createHash } from "node:crypto";
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { canonicalJson, headOf, LIMITS, type Tier } from "../protocol/index.ts";
import { clientToolFault, errorResult, type ClientTool, type ToolResult } from "../tools/index.ts";
import type { ServerCall, ServerOffers } from "./connection.ts";

/** What a server lists, as it came. */
export interface ServerList {
  readonly tools: readonly McpTool[];
  readonly offers: ServerOffers;
}

/** One tool that the session gets of a server. */
export interface ForeignTool {
  /** As the session's model knows it. */
  readonly name: string;
  readonly tier: Tier;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** Identifies all of it that a model or a person could see. */
  readonly definition: string;
  call(input: Readonly<Record<string, unknown>>): ServerCall;
}

export interface ForeignToolSet {
  readonly tools: readonly ForeignTool[];
  /** What could not be taken, each with the reason. */
  readonly leftOut: readonly string[];
}

const DEFINITION_CHARS = 32;
const UNUSABLE = /[^A-Za-z0-9_-]/g;

/**
 * The tools of a server in our form. Nothing that the server says of a tool makes it harmless: only `tiers` does. One that cannot be used is
 * left out, the others stay.
 */
export function serverTools(
  server: string,
  { tools, offers }: ServerList,
  tiers: Readonly<Record<string, Tier>>,
): ForeignToolSet {
  const taken = new Map<string, ForeignTool>();
  const leftOut: string[] = [];
  const offered = [...tools.map(fromServer), ...ownTools(offers)];
  for (const candidate of offered) {
    const name = fullName(server, candidate.name);
    const tier = (Object.hasOwn(tiers, candidate.name) ? tiers[candidate.name] : undefined) ?? "execute";
    const fault = taken.size >= LIMITS.mcpServerTools ? tooMany() : faultOf(name, candidate, taken);
    if (fault === undefined) taken.set(name, { ...candidate, name, tier, definition: definitionOf(candidate) });
    else if (leftOut.length < LIMITS.mcpServerFaults) leftOut.push(`${shown(candidate.name)}: ${fault}`);
  }
  return { tools: [...taken.values()], leftOut };
}

type Candidate = Pick<ForeignTool, "name" | "description" | "input_schema" | "call">;

function fromServer({ name, description = "", inputSchema }: McpTool): Candidate {
  return {
    name,
    description: headOf(description, LIMITS.clientToolDescriptionChars).toWellFormed(),
    input_schema: inputSchema,
    call: (input) => ({ kind: "tool", name, input }),
  };
}

/** The server's resources and prompts as tools of their own; a tool of the server with the same name comes first. */
function ownTools({ resources, prompts }: ServerOffers): readonly Candidate[] {
  return [...(resources ? RESOURCE_TOOLS : []), ...(prompts ? PROMPT_TOOLS : [])];
}

const NOTHING = { type: "object", properties: {}, additionalProperties: false };
const RESOURCE_TOOLS: readonly Candidate[] = [
  {
    name: "list_resources",
    description: "Lists the resources of this MCP server, and templates of their addresses.",
    input_schema: NOTHING,
    call: () => ({ kind: "list_resources" }),
  },
  {
    name: "read_resource",
    description: "Reads a resource of this MCP server.",
    input_schema: {
      type: "object",
      properties: { uri: { type: "string", description: "The resource's address" } },
      required: ["uri"],
      additionalProperties: false,
    },
    call: ({ uri }) => ({ kind: "read_resource", uri: String(uri) }),
  },
];
const PROMPT_TOOLS: readonly Candidate[] = [
  {
    name: "list_prompts",
    description: "Lists the prompts of this MCP server, with their arguments.",
    input_schema: NOTHING,
    call: () => ({ kind: "list_prompts" }),
  },
  {
    name: "get_prompt",
    description: "Gets a prompt of this MCP server, filled in.",
    input_schema: {
      type: "object",
      properties: {
        name: { type: "string" },
        arguments: { type: "object", additionalProperties: { type: "string" } },
      },
      required: ["name"],
      additionalProperties: false,
    },
    call: ({ name, arguments: input = {} }) => ({
      kind: "get_prompt",
      name: String(name),
      input: input as Readonly<Record<string, string>>,
    }),
  },
];

/** What the session calls a tool or prompt of a server. */
export function fullName(server: string, name: string): string {
  return `mcp__${server}__${name.replaceAll(UNUSABLE, "_")}`;
}

function faultOf(name: string, candidate: Candidate, taken: ReadonlyMap<string, unknown>): string | undefined {
  if (taken.has(name)) return `another tool is named ${name}`;
  return clientToolFault({ ...candidate, name, tier: "execute", call: async () => errorResult("") });
}

function tooMany(): string {
  return `a server may have ${LIMITS.mcpServerTools} tools`;
}

function definitionOf({ name, description, input_schema }: Candidate): string {
  return createHash("sha256")
    .update(canonicalJson([name, description, input_schema]))
    .digest("hex")
    .slice(0, DEFINITION_CHARS);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, LIMITS.toolNameChars));
}

/** Says when a call is waited for no longer. No signal: that costs more than a short call. */
export type CallWait = Pick<Parameters<ClientTool["call"]>[1], "onEnd">;

/** A tool as the toolbox takes it. */
export function clientToolOf(
  { name, tier, description, input_schema, definition }: ForeignTool,
  call: (input: Readonly<Record<string, unknown>>, wait: CallWait) => Promise<ToolResult>,
): ClientTool {
  return {
    name,
    tier,
    description,
    input_schema,
    definition,
    timeoutMs: "own",
    call,
  };
}

/** What changed between two lists, in words for people; undefined: nothing. */
export function changesOf(before: readonly ForeignTool[], after: readonly ForeignTool[]): string | undefined {
  const known = new Map(before.map(({ name, definition }) => [name, definition]));
  const names = new Set(after.map(({ name }) => name));
  const parts = [
    ["new", after.filter(({ name }) => !known.has(name))],
    ["changed", after.filter(({ name, definition }) => known.has(name) && known.get(name) !== definition)],
    ["gone", before.filter(({ name }) => !names.has(name))],
  ] as const;
  const words = parts.flatMap(([what, tools]) => (tools.length === 0 ? [] : [`${what}: ${listed(tools)}`]));
  return words.length === 0 ? undefined : words.join("; ");
}

function listed(tools: readonly ForeignTool[]): string {
  const names = tools.slice(0, LIMITS.mcpServerFaults).map(({ name }) => name);
  const more = tools.length - names.length;
  return more === 0 ? names.join(", ") : `${names.join(", ")} and ${more} more`;
}
