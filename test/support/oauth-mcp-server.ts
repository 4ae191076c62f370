import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An MCP server over HTTP that wants a login, with its authorization server, on the loopback. Written without an SDK. */
export interface OauthMcpServer {
  readonly url: string;
  /** Each request of an endpoint, in words: `register`, `authorize`, `token authorization_code`, `token refresh_token`, `act`. */
  readonly seen: readonly string[];
  /** Every token that it gave. */
  readonly tokens: readonly string[];
  /** No token that it gave is valid any more; `refresh`: those that refresh neither. */
  revoke(what: "access" | "refresh"): void;
  /** A person who says yes: goes to the address, and gets where the browser is sent. */
  agree(authorizationUrl: string): Promise<URL>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Grant {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly challenge: string;
  readonly resource: string;
  readonly scope: string;
}

const SCOPE = "tools";

export async function openOauthMcpServer(): Promise<OauthMcpServer> {
  const seen: string[] = [];
  const tokens: string[] = [];
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Grant>();
  const access = new Set<string>();
  const refresh = new Map<string, Grant>();
  let origin = "";

  const give = (grant: Grant): object => {
    const access_token = `access-${randomBytes(16).toString("hex")}`;
    const refresh_token = `refresh-${randomBytes(16).toString("hex")}`;
    tokens.push(access_token, refresh_token);
    access.add(access_token);
    refresh.set(refresh_token, grant);
    return { access_token, refresh_token, token_type: "Bearer", expires_in: 3_600, scope: grant.scope };
  };

  const metadata = (): object => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  });

  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    seen.push("authorize");
    const client_id = query.get("client_id") ?? "";
    const redirect_uri = query.get("redirect_uri") ?? "";
    const isRight =
      clients.get(client_id)?.includes(redirect_uri) === true &&
      query.get("code_challenge_method") === "S256" &&
      query.get("resource") === `${origin}/mcp` &&
      query.get("response_type") === "code";
    if (!isRight) return refuse(response, "invalid_request");
    const code = randomBytes(16).toString("hex");
    const challenge = query.get("code_challenge") ?? "";
    codes.set(code, { client_id, redirect_uri, challenge, resource: `${origin}/mcp`, scope: query.get("scope") ?? "" });
    const back = new URL(redirect_uri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
  };

  const token = (form: URLSearchParams, response: ServerResponse): void => {
    const kind = form.get("grant_type") ?? "";
    seen.push(`token ${kind}`);
    if (form.get("resource") !== `${origin}/mcp`) return refuse(response, "invalid_target");
    if (kind === "refresh_token") {
      const grant = refresh.get(form.get("refresh_token") ?? "");
      // Each of them counts once.
      refresh.delete(form.get("refresh_token") ?? "");
      return grant?.client_id === form.get("client_id") && grant !== undefined
        ? send(response, give(grant))
        : refuse(response, "invalid_grant");
    }
    const code = form.get("code") ?? "";
    const grant = codes.get(code);
    codes.delete(code);
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = grant?.challenge === proof && grant.redirect_uri === form.get("redirect_uri");
    if (!isRight) return refuse(response, "invalid_grant");
    send(response, give(grant));
  };

  const mcp = (request: IncomingMessage, body: string, response: ServerResponse): void => {
    const held = request.headers.authorization?.replace("Bearer ", "") ?? "";
    if (!access.has(held)) {
      const where = `${origin}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${where}", scope="${SCOPE}"` }).end();
      return;
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: Record<string, unknown>;
    };
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call") seen.push("act");
    const result = resultOf(method, params);
    if (result === undefined) send(response, { jsonrpc: "2.0", id, error: { code: -32_601, message: "unknown" } });
    else send(response, { jsonrpc: "2.0", id, result });
  };

  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", origin);
      switch (pathname) {
        case "/mcp":
          return mcp(request, body, response);
        case "/.well-known/oauth-protected-resource/mcp":
          return send(response, { resource: `${origin}/mcp`, authorization_servers: [origin] });
        case "/.well-known/oauth-authorization-server":
          return send(response, metadata());
        case "/register": {
          const { redirect_uris } = JSON.parse(body) as { redirect_uris: string[] };
          seen.push("register");
          const client_id = `client-${clients.size}`;
          clients.set(client_id, redirect_uris);
          return send(response, { client_id, redirect_uris, token_endpoint_auth_method: "none" }, 201);
        }
        case "/authorize":
          return authorize(searchParams, response);
        case "/token":
          return token(new URLSearchParams(body), response);
        default:
          response.writeHead(404).end();
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/mcp`,
    seen,
    tokens,
    revoke: (what) => {
      access.clear();
      if (what === "refresh") refresh.clear();
    },
    agree: async (authorizationUrl) => {
      const response = await fetch(authorizationUrl, { redirect: "manual" });
      await response.body?.cancel();
      return new URL(response.headers.get("location") ?? "");
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, error: string): void {
  send(response, { error }, 400);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function resultOf(method: string, params: Record<string, unknown> | undefined): object | undefined {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.["protocolVersion"],
        capabilities: { tools: {} },
        serverInfo: { name: "guarded", version: "1" },
      };
    case "tools/list":
      return { tools: [{ name: "act", inputSchema: { type: "object" } }] };
    case "tools/call":
      return { content: [{ type: "text", text: `echo ${JSON.stringify(params?.["arguments"])}` }] };
    default:
      return undefined;
  }
}
