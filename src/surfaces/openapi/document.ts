import { may, type Capability } from "../../gate/index.ts";
import { PROTOCOL_VERSION, Role } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { nameComponents } from "./components.ts";
import { describeRest } from "./later.ts";
import { registerRefusals } from "./refusals.ts";

/** Groups of operations, each with its paths. The first match counts. */
const TAGS = [
  { name: "Usage", description: "What was spent, and what is left", paths: /\/usage$|^\/api\/prices|^\/metrics/ },
  {
    name: "Workspaces",
    description: "Folders, files and templates for sessions, and what sessions changed",
    paths: /\/files$|\/changes(\/|$)|^\/api\/(folders|templates)/,
  },
  {
    name: "Sessions",
    description: "Sessions, their prompts and their journals",
    paths: /^\/(api\/(sessions|imports|prune|search|shell|ws)|share)/,
  },
  {
    name: "Unattended work",
    description: "Long runs, schedules and webhooks: sessions that begin by themselves",
    paths: /^\/(api\/(long-runs|schedules|webhooks)|hooks)/,
  },
  {
    name: "Notifications",
    description: "Where people are told of questions and ends, and how a phone gets a token",
    paths: /^\/api\/(notifications|pairings)/,
  },
  { name: "Approvals", description: "Questions to a person, and the answers", paths: /^\/api\/approvals/ },
  {
    name: "Providers",
    description: "Engines, and where model calls go",
    paths: /^\/api\/(providers|tunnels|tunnel-offers|engines|models)/,
  },
  { name: "Workbench", description: "Projects of the workbench", paths: /^\/api\/workbench/ },
  { name: "Workers", description: "Where sessions run, and what is prepared", paths: /^\/api\/(workers|pool)/ },
  { name: "Connections", description: "Databases that may be read", paths: /^\/api\/connections/ },
  {
    name: "Administration",
    description: "Tokens, API keys, policy, logins at MCP servers and the audit log",
    paths: /^\/api\/(tokens|keys|policy|audit|mcp-logins)/,
  },
  {
    name: "Server",
    description: "The server itself, and who is asking",
    paths: /^\/(health|livez|readyz?|openapi\.json|api\/me)/,
  },
  {
    name: "Documents",
    description: "The sockets of documents 000, 001 and 002",
    paths: /^\/(ws|bridge|api\/(terminal|schemas))/,
  },
  { name: "Model Context Protocol", description: "The same files as `/claude`, for MCP clients", paths: /^\/mcp/ },
  { name: "Jobs", description: "Commands in a sandbox, and single model calls", paths: /^\/api\/(containers|compute)/ },
  { name: "Files", description: "Document 003's files", paths: /^\/(claude|containers|compute|identity)/ },
] as const;

/** Their bodies are the vendors', passed on unchanged: another description of them would be wrong sooner or later. */
const MODEL_PATHS =
  "The models below `/model` are not described here: `/model/v1/messages` (Anthropic), `/model/v1/responses` and `/model/v1/chat/completions` (OpenAI) and `/model/v1/models` have the formats and errors of these vendors, and take an API key (`POST /api/keys`) in place of a token.";

interface ApiOperation {
  readonly "x-needs"?: Capability | "nothing" | "a token";
  readonly "x-reads"?: Capability | "nobody";
  readonly "x-writes"?: Capability | "nobody";
  tags?: readonly string[];
  description?: string;
}

/** The document, made once: routes do not change while the server runs. */
export function openApiDocument(app: HttpApp, { version }: Pick<SurfaceOptions, "version">): () => object {
  let made: object | undefined;
  return () => (made ??= makeDocument(app, version));
}

function makeDocument(app: HttpApp, version: string): object {
  describeRest(app);
  nameComponents();
  registerRefusals(app);
  app.openAPIRegistry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    description:
      "A token of this server. Where a browser can set no header: `?token=` of a GET, or a WebSocket's subprotocol.",
  });
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Sallyport",
      version,
      description: `Protocol ${PROTOCOL_VERSION}. Money is in micro-USD. ${MODEL_PATHS}`,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: "/", description: "This server" }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    security: [{ token: [] }],
  });
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const operation of Object.values(methods) as ApiOperation[]) {
      operation.tags = TAGS.filter(({ paths }) => paths.test(path))
        .slice(0, 1)
        .map(({ name }) => name);
      operation.description ??= descriptionOf(operation);
    }
  return document;
}

/** Who may use it: from the table of roles, so that it cannot differ. */
function descriptionOf({ "x-needs": needs, "x-reads": reads, "x-writes": writes }: ApiOperation): string {
  if (reads !== undefined && writes !== undefined)
    return `Read by ${rolesWith(reads)}; written by ${rolesWith(writes)}.`;
  if (needs === undefined || needs === "nothing") return "Needs no token.";
  return needs === "a token" ? "For every token." : `Needs \`${needs}\`: ${rolesWith(needs)}.`;
}

function rolesWith(capability: Capability | "nobody"): string {
  if (capability === "nobody") return "nobody";
  return Role.options
    .flatMap((role) => {
      const scope = may(role, capability);
      return scope === "no" ? [] : [scope === "own" ? `${role} (its own)` : role];
    })
    .join(", ");
}
