// Our MCP client as the official conformance suite runs it: the address of the suite's server is the last argument, the scenario is in
// the environment. It does what a session does: connects, logs in where a server wants it, lists the tools and calls each of them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLoginNeeded, LoginFiles, openConnection, ServerLogin } from "../../dist/mcp-client/index.js";
import { contentOf, formOf } from "../../dist/sessions/mcp/form.js";

const url = new URL(process.argv.at(-1));
const known = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const folder = await mkdtemp(join(tmpdir(), "sallyport-conformance-"));
const redirectUrl = "http://localhost:3000/callback";
const timeoutMs = 20_000;
const signal = AbortSignal.timeout(timeoutMs);
const login = new ServerLogin({
  name: "suite",
  url,
  files: new LoginFiles(folder, { learn: () => undefined }),
  now: () => Date.now(),
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  client: async () =>
    known.client_id === undefined ? undefined : { client_id: known.client_id, client_secret: known.client_secret },
});
const requests = {
  elicit: async ({ message, requestedSchema }) => ({
    action: "accept",
    content: contentOf(formOf(message, requestedSchema), {}),
  }),
};
const way = { kind: "http", url, headers: {}, rule: "named", login };

/** A person who says yes. */
async function logIn() {
  const state = "a-state";
  const started = await login.start({ redirectUrl, state });
  const response = await fetch(started.authorizationUrl, { redirect: "manual" });
  const { searchParams } = new URL(response.headers.get("location"));
  await started.finish({ code: searchParams.get("code"), iss: searchParams.get("iss") ?? undefined });
}

/** Does it, and again after a login where one is needed; a server that is never content is given up. */
async function withLogin(work, attempts = 3) {
  try {
    return await work();
  } catch (error) {
    if (!isLoginNeeded(error) || attempts === 0) throw error;
    await logIn();
    return withLogin(work, attempts - 1);
  }
}

const inputOf = ({ inputSchema }) =>
  Object.fromEntries(
    Object.entries(inputSchema.properties ?? {}).map(([name, { type }]) => [name, type === "number" ? 2 : "text"]),
  );

try {
  const means = { now: () => Date.now(), requests };
  const connection = await withLogin(() =>
    openConnection(way, means, { signal, timeoutMs, toolsChanged: () => undefined }),
  );
  const tools = await withLogin(() => connection.tools({ signal, timeoutMs }));
  for (const tool of tools)
    await withLogin(() =>
      connection.call({ kind: "tool", name: tool.name, input: inputOf(tool) }, { signal, timeoutMs }),
    );
  await connection.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
