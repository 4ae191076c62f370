import { z } from "@hono/zod-openapi";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { Failure, LIMITS, mistakeWords, type FileStat } from "../../protocol/index.ts";
import { nodesOf } from "../mount/claude-files.ts";
import type { MountContext } from "../mount/context.ts";
import { serveTunnelSessions } from "../mount/tunnel-sessions.ts";
import { DEFAULT_MOUNTS, openMounts, type OpenMounts } from "../mount/open.ts";
import { SSE_STREAM, writeStream } from "../stream.ts";
import type { HttpApp, HttpEnvironment, SurfaceOptions } from "../surface.ts";
import { describeLater } from "../openapi/later.ts";
import { describeFiles } from "../openapi/mount-paths.ts";

const MountQuery = z.object({
  stat: z.enum(["0", "1"]).default("0"),
  list: z.enum(["0", "1"]).default("0"),
  read: z.enum(["0", "1"]).default("0"),
  size: z.enum(["0", "1"]).default("1"),
  watch: z.enum(["0", "1"]).default("0"),
  follow: z.enum(["0", "1"]).default("0"),
  peek: z.enum(["0", "1"]).default("0"),
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  until: z.enum(["idle", "end"]).default("end"),
  after: z.string().max(100).optional(),
});
type MountQuery = z.infer<typeof MountQuery>;
const WriteQuery = z.object({
  shown: z
    .string()
    .regex(/^(apr_\w{1,100}(,apr_\w{1,100})*)?$/, "must be ids of questions, with commas between them")
    .transform((text) => (text === "" ? [] : text.split(",")))
    .pipe(z.array(z.string()).max(LIMITS.mountShownQuestions))
    .optional(),
});

/** Document 003's tree over HTTP: GET reads, lists, follows and watches; PUT and POST write; POST that wants JSON calls. */
export function mountRoutes(app: HttpApp, options: SurfaceOptions): OpenMounts {
  const mounts = openMounts(options);
  options.gateway.offers.serveSessions(serveTunnelSessions({ gateway: options.gateway, files: mounts.files }));
  for (const context of mounts.contexts) {
    // Hundreds of paths.
    if (DEFAULT_MOUNTS.includes(context.path))
      describeLater(app, () => describeFiles(app, context.path, nodesOf(context)));
    const answer = (request: Context<HttpEnvironment>): Promise<Response> => serveFile(mounts, context, request);
    app.all(context.path, answer);
    app.all(`${context.path}/*`, answer);
  }
  return mounts;
}

/** Whether a request is for a mount: its body may be of any type. */
export function isMountPath(path: string): boolean {
  return /^\/(claude(-[a-z0-9]+)*|containers|compute|identity)(\/|$)/.test(path);
}

async function serveFile(
  { files }: OpenMounts,
  context: MountContext,
  request: Context<HttpEnvironment>,
): Promise<Response> {
  const { method } = request.req;
  const path = decoded(request.req.path);
  const { caller } = request.var;
  if (method === "GET" || method === "HEAD") return readFile(files, context, { request, path });
  if (method !== "PUT" && method !== "POST")
    throw new Failure("forbidden", "files of a mount are neither made nor removed: read them, or write to them");
  const bytes = new Uint8Array(await request.req.arrayBuffer());
  const wantsAnswer = method === "POST" && request.req.header("accept")?.includes("application/json") === true;
  const { shown } = parseQuery(WriteQuery, request);
  const options = shown === undefined ? {} : { shown };
  if (!wantsAnswer) {
    await files.write(caller, path, bytes, options);
    return request.body(null, 204);
  }
  const answer = await files.call(caller, path, bytes, options);
  const { callable } = await files.stat(caller, path, { sized: false });
  return request.body(answer as Uint8Array<ArrayBuffer>, callable ? 201 : 200, { "content-type": TYPES.json });
}

const TYPES: Readonly<Record<NonNullable<FileStat["content"]>, string>> = {
  json: "application/json",
  text: "text/plain; charset=utf-8",
};

async function readFile(
  files: OpenMounts["files"],
  { log }: MountContext,
  { request, path }: { readonly request: Context<HttpEnvironment>; readonly path: string },
): Promise<Response> {
  const { caller } = request.var;
  const query = parseQuery(MountQuery, request);
  const sized = query.stat === "1" && query.size === "1";
  const stat = await files.stat(caller, path, { sized });
  if (query.stat === "1") return pretty(request, stat);
  if (query.watch === "1") return watch(files, log, { request, path, query });
  if (query.follow === "1") return follow(files, log, { request, path, query });
  if (query.list === "1" || (stat.is_dir && query.read === "0"))
    return pretty(request, { entries: await files.list(caller, path) });
  const { offset } = query;
  // Who gets less than all of it is not shown what it asks.
  const peek = query.peek === "1" || offset > 0 || request.req.method === "HEAD";
  const bytes = await files.read(caller, path, { peek, offset });
  return request.body(bytes as Uint8Array<ArrayBuffer>, 200, { "content-type": TYPES[stat.content ?? "json"] });
}

/** Formatted like the files: for people too. */
function pretty(request: Context<HttpEnvironment>, value: unknown): Response {
  return request.body(`${JSON.stringify(value, undefined, 2)}\n`, 200, { "content-type": "application/json" });
}

interface FileRequest {
  readonly request: Context<HttpEnvironment>;
  readonly path: string;
  readonly query: MountQuery;
}

async function watch(
  files: OpenMounts["files"],
  log: MountContext["log"],
  { request, path, query }: FileRequest,
): Promise<Response> {
  const controller = new AbortController();
  const after = request.req.header("last-event-id") ?? query.after ?? "";
  await writeStream(request.env.outgoing, {
    ...SSE_STREAM,
    pieces: await files.watch(request.var.caller, path, { after, signal: controller.signal }),
    encode: (batch) =>
      batch
        .map(({ id, chunk }) => `id: ${id}\nevent: ${chunk.chunk_type}\ndata: ${JSON.stringify(chunk)}\n\n`)
        .join(""),
    failed: (error) => log.error({ err: error, path }, "a watch ended early"),
    stop: () => controller.abort(),
  });
  return RESPONSE_ALREADY_SENT;
}

async function follow(
  files: OpenMounts["files"],
  log: MountContext["log"],
  { request, path, query }: FileRequest,
): Promise<Response> {
  const controller = new AbortController();
  const { offset, until } = query;
  const options = { offset, untilIdle: until === "idle", signal: controller.signal };
  await writeStream(request.env.outgoing, {
    type: TYPES.text,
    pieces: await files.follow(request.var.caller, path, options),
    encode: (bytes) => bytes,
    failed: (error) => log.error({ err: error, path }, "an output could not be followed to its end"),
    stop: () => controller.abort(),
  });
  return RESPONSE_ALREADY_SENT;
}

function parseQuery<Schema extends z.ZodType>(schema: Schema, request: Context<HttpEnvironment>): z.output<Schema> {
  const query = schema.safeParse(request.req.query());
  if (query.success) return query.data;
  const [issue] = query.error.issues;
  throw new Failure(
    "invalid_request",
    `${issue?.path.join(".") ?? "query"}: ${issue === undefined ? "not valid" : mistakeWords(issue)}`,
  );
}

/** Each part of a path by itself: an encoded separator must not become one. */
function decoded(path: string): string {
  try {
    return path
      .split("/")
      .map((part) => {
        const name = decodeURIComponent(part);
        if (name.includes("/")) throw new Failure("invalid_request", "the path holds a separator inside a name");
        return name;
      })
      .join("/");
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("invalid_request", "the path is not valid percent-encoding");
  }
}
