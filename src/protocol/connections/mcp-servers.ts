import { z } from "zod";
import { Tier } from "../sessions/approvals.ts";
import { LIMITS } from "../limits.ts";
import { FRAMING_HEADER, OneCredential, type CredentialSetting } from "../models/providers.ts";

/** MCP servers of others, whose tools a session has. The shape is that of `mcpServers` in a `.mcp.json`. */

const text = z
  .string()
  .max(LIMITS.mcpServerTextChars)
  .refine((value) => !value.includes("\0"), "cannot hold a NUL character");

/** A map whose keys are checked one by one, so that a mistake says what is wrong with which. */
function named<Value extends z.ZodType>(
  key: z.ZodString,
  value: Value,
  most: number = LIMITS.mcpServerEntries,
): z.ZodRecord<z.ZodString, Value> {
  return z.record(z.string(), value).superRefine((all, context) => {
    const keys = Object.keys(all);
    if (keys.length > most) context.addIssue({ code: "custom", message: `may have ${most} entries` });
    for (const name of keys) {
      const message = key.safeParse(name).error?.issues[0]?.message;
      if (message !== undefined) context.addIssue({ code: "custom", path: [name], message: `the name ${message}` });
    }
  });
}

/** `mcp__<server>__<tool>` is what models see, so a name has no `__`. `sallyport` are our own tools. */
const McpServerName = z
  .string()
  .max(LIMITS.mcpServerNameChars)
  .regex(/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/, "must be letters, digits, - and single _")
  .refine((name) => name !== "sallyport", "is the name of our own tools; choose another one");

const VariableName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable");
const HeaderName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z][A-Za-z\d-]*$/, "must be the name of a header");
const HeaderText = text.regex(/^[\t\x20-\x7e]*$/, "holds characters that no header has");

const Url = z
  .string()
  .max(2_000)
  .superRefine((value, context) => {
    const message = urlProblem(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

function urlProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return "must be an address such as https://mcp.example.com/mcp";
  const { protocol, username, password } = new URL(value);
  if (protocol !== "https:" && protocol !== "http:") return "must begin with https:// or http://";
  return username === "" && password === "" ? undefined : "cannot hold a password; put it into headers";
}

/** A program that is started in the session's sandbox, and speaks on its standard streams. */
const program = {
  type: z.literal("stdio").optional(),
  command: text.min(1),
  args: z.array(text).max(LIMITS.mcpServerEntries).optional(),
  /** Where it starts, relative to the workspace. Absent: the workspace. */
  cwd: text.optional(),
};
const remote = {
  /** `http`: streamable HTTP. `sse`: the older way with two addresses. */
  type: z.enum(["http", "sse"]),
  url: Url,
};

/** One server of a session request. */
export const McpServer = z.union([
  z.object({ ...program, env: named(VariableName, text).optional() }).strict(),
  z.object({ ...remote, headers: named(headerName(), HeaderText).optional() }).strict(),
  /** The server of this name in `sallyport.yaml`. */
  z.object({ type: z.literal("settings") }).strict(),
]);
export type McpServer = z.infer<typeof McpServer>;

function headerName(): typeof HeaderName {
  return HeaderName.refine((name) => !FRAMING_HEADER.test(name) && !/^mcp-/i.test(name), {
    message: "cannot be set",
  });
}

/** By name. */
export const McpServers = named(McpServerName, McpServer, LIMITS.mcpServers).refine(
  (all) => JSON.stringify(all).length <= LIMITS.mcpServersChars,
  `all servers together may have ${LIMITS.mcpServersChars} characters`,
);
export type McpServers = z.infer<typeof McpServers>;

/** A value, or where a secret comes from. */
const SecretText = <Value extends z.ZodType>(value: Value): z.ZodUnion<[Value, typeof OneCredential]> =>
  z.union([value, OneCredential]);

/** What the settings may say of every server. */
const handling = {
  /** `all`: every session has it. `named`: those whose profile names it, and those of admins that ask for it. Absent: `named`. */
  sessions: z.enum(["all", "named"]).optional(),
  /** What its tools are to the gate, by the name that the server gives. Absent: `execute`, whatever the server says of them. */
  tools: z
    .record(z.string().min(1).max(LIMITS.toolNameChars), Tier)
    .refine((all) => Object.keys(all).length <= LIMITS.mcpServerTiers, `may name ${LIMITS.mcpServerTiers} tools`)
    .optional(),
  /** Absent: LIMITS.mcpCallMs. */
  call_timeout_ms: z.number().int().min(1).max(LIMITS.pageToolMaxMs).optional(),
  /** Absent: LIMITS.mcpStartMs. */
  start_timeout_ms: z.number().int().min(1).max(LIMITS.mcpStartMs).optional(),
};

/** A client that the authorization server knows already. */
const OauthClient = z
  .object({
    /** Absent: the authorization server is asked to register one. */
    client_id: text.min(1).optional(),
    client_secret: OneCredential.optional(),
    /** A document on the open internet that describes the client; its address is the client's id where the server takes such. Absent: none. */
    client_metadata_url: Url.optional(),
    /** What to ask for, with blanks between. Absent: what the server says. */
    scope: text.optional(),
  })
  .strict();
export type OauthClient = z.infer<typeof OauthClient>;

/** One server in `sallyport.yaml`. */
export const McpServerSetting = z.union([
  z
    .object({
      ...program,
      env: named(VariableName, SecretText(text)).optional(),
      /** Files and folders that it consists of, readable in its sandbox. Absolute. Absent: it finds all it needs there. */
      files: z
        .array(z.string().max(LIMITS.pathChars).startsWith("/", "must be an absolute path"))
        .max(LIMITS.mcpServerFiles)
        .optional(),
      ...handling,
    })
    .strict(),
  z
    .object({
      ...remote,
      headers: named(headerName(), SecretText(HeaderText)).optional(),
      /** Its token comes from a login by OAuth, which an admin gives. Absent: it needs none, or has it in `headers`. */
      oauth: z.union([z.literal(true), OauthClient]).optional(),
      ...handling,
    })
    .strict()
    .refine(({ type, oauth }) => oauth === undefined || type === "http", "oauth belongs to the type http")
    .refine(
      ({ oauth, headers }) =>
        oauth === undefined || Object.keys(headers ?? {}).every((name) => name.toLowerCase() !== "authorization"),
      "the header authorization comes from the login; leave one of them out",
    ),
]);
export type McpServerSetting = z.infer<typeof McpServerSetting>;

export const McpServerSettings = named(McpServerName, McpServerSetting, LIMITS.mcpServersSet);
export type McpServerSettings = z.infer<typeof McpServerSettings>;

/** Variables that `.mcp.json` files of repositories may name. */
export const McpVariables = named(VariableName, SecretText(text));
export type McpVariables = z.infer<typeof McpVariables>;

/** Every secret that the settings of MCP servers name, with its server. */
export function mcpSecrets(
  servers: McpServerSettings,
  variables: McpVariables = {},
): readonly (readonly [string, CredentialSetting])[] {
  const ofVariables = Object.entries(variables).flatMap(([name, value]) =>
    typeof value === "string" ? [] : [[`variable ${name}`, value] as const],
  );
  const ofServers = Object.entries(servers).flatMap(([server, setting]) => {
    const texts = ("command" in setting ? setting.env : setting.headers) ?? {};
    const oauth = "oauth" in setting && typeof setting.oauth === "object" ? setting.oauth : undefined;
    return [...Object.values(texts), oauth?.client_secret].flatMap((value) =>
      typeof value === "string" || value === undefined ? [] : [[server, value] as const],
    );
  });
  return [...ofServers, ...ofVariables];
}

/**
 * `waiting`: it starts with the next turn. `starting`; `ready`; `restarting`: it ended by itself, and is started again. `failed`: it is tried
 * again with the next turn. `refused`: the policy does not let the session have it any more.
 */
export const McpServerState = z.enum(["waiting", "starting", "ready", "restarting", "failed", "refused"]);
export type McpServerState = z.infer<typeof McpServerState>;

/** A server of a session, as callers see it. */
export const McpServerView = z.object({
  name: z.string(),
  /** Who named it. */
  from: z.enum(["settings", "profile", "session", "repository"]),
  transport: z.enum(["stdio", "http", "sse"]),
  state: McpServerState,
  /** What it calls itself; absent: it has not started, or does not say. */
  title: z.string().optional(),
  /** As the session's model knows them, with what they are to the gate. */
  tools: z.array(z.object({ name: z.string(), tier: Tier })),
  /** Tools that it has and the session cannot use, each with the reason. Absent: none. */
  left_out: z.array(z.string()).optional(),
  /** Restarts since the last turn began; absent: none. */
  restarts: z.number().int().positive().optional(),
  /** Why it failed last; absent: it has not. */
  error: z.string().optional(),
  /** An admin has to log in (`sallyport mcp login`). Absent: nobody has to. */
  needs_login: z.literal(true).optional(),
});
export type McpServerView = z.infer<typeof McpServerView>;

export const SessionMcpServers = z.object({ servers: z.array(McpServerView) });
export type SessionMcpServers = z.infer<typeof SessionMcpServers>;
