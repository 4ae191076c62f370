import { createRoute, z } from "@hono/zod-openapi";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import {
  ConfigureSession,
  CreateSession,
  Failure,
  ForkSession,
  Interrupt,
  LabelSession,
  LIMITS,
  PromptAccepted,
  PruneReport,
  PruneRequest,
  SessionContext,
  SessionMcpServers,
  SessionModels,
  SessionView,
  SetBudget,
  Status,
  SubmitPrompt,
  WorkspaceCommandList,
} from "../../protocol/index.ts";
import { Event, StreamFrame } from "../openapi/events.ts";
import { SSE_STREAM, sseText, writeStream } from "../stream.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import {
  body,
  changeRefusals,
  cursor,
  get,
  IdempotencyHeader,
  json,
  limit,
  patch,
  post,
  refusals,
  remove,
  SessionPath,
} from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const SessionList = z.object({ sessions: z.array(SessionView), next: z.string().optional() });
const SessionQuery = z.object({
  status: Status.optional(),
  engine: z.string().max(100).optional(),
  /** Text that title, id, workspace or the creator's name must contain. */
  search: z.string().max(LIMITS.searchChars).optional(),
  archived: z.enum(["true", "false"]).optional(),
  tag: z.string().max(LIMITS.tagChars).optional(),
  /** The folder that it works in, or that its changes are for. */
  workspace: z.string().max(4_096).optional(),
  /** Created at or after, and before. */
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
  cursor,
  limit,
});
const EventQuery = z.object({ after: z.coerce.number().int().min(0).default(0), limit });
const EventList = z.object({ events: z.array(Event), next: z.number().int().optional() });

export function sessionRoutes(app: HttpApp, { gateway, log }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...post("/api/sessions", "createSession", "session.create"),
      summary: "Start a session",
      request: { headers: IdempotencyHeader, body: body(CreateSession) },
      responses: { 201: json(SessionView, "The session"), ...changeRefusals },
    }),
    async (context) => {
      const key = context.req.valid("header")["idempotency-key"];
      return context.json(await gateway.sessions.create(context.var.caller, context.req.valid("json"), key), 201);
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions", "listSessions", "session.read"),
      summary: "List sessions, newest first",
      request: { query: SessionQuery },
      responses: { 200: json(SessionList, "A page of sessions"), ...refusals },
    }),
    async (context) => {
      const { archived, ...query } = context.req.valid("query");
      const filter = { ...query, ...(archived === undefined ? {} : { archived: archived === "true" }) };
      const page = await gateway.sessions.list(context.var.caller, filter);
      return context.json({ ...page, sessions: [...page.sessions] }, 200);
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}", "getSession", "session.read"),
      summary: "One session",
      request: { params: SessionPath },
      responses: { 200: json(SessionView, "The session"), ...refusals },
    }),
    async (context) => context.json(await gateway.sessions.get(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/mcp", "getSessionMcpServers", "session.read"),
      summary: "The MCP servers whose tools a session has, and how they are",
      request: { params: SessionPath },
      responses: { 200: json(SessionMcpServers, "The servers"), ...refusals },
    }),
    async (context) =>
      context.json(await gateway.sessions.mcpServers(context.var.caller, context.req.valid("param").id), 200),
  );
  labelRoute(app, { gateway });
  promptRoute(app, { gateway });
  controlRoutes(app, { gateway });
  budgetRoute(app, { gateway });
  settingsRoute(app, { gateway });
  eventRoute(app, { gateway, log });
}

function labelRoute(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...patch("/api/sessions/{id}", "labelSession", "session.control"),
      summary: "Name a session, tag it, or put it into the archive; also one that has ended",
      request: { params: SessionPath, body: body(LabelSession) },
      responses: { 200: json(SessionView, "The session after it"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.sessions.label(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
}

function promptRoute(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/prompts", "sendPrompt", "session.control"),
      summary: "Send a prompt; it waits if a turn is open, or goes into that turn",
      request: { params: SessionPath, headers: IdempotencyHeader, body: body(SubmitPrompt) },
      responses: { 202: json(PromptAccepted, "It is on the disk"), ...changeRefusals },
    }),
    async (context) => {
      const key = context.req.valid("header")["idempotency-key"];
      const { id } = context.req.valid("param");
      return context.json(await gateway.sessions.prompt(context.var.caller, id, context.req.valid("json"), key), 202);
    },
  );
}

function deleteRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  removeRoute(app, {
    begin: remove("/api/sessions/{id}", "deleteSession", "session.delete"),
    summary: "End a session and delete its journal, approvals and files; forks and usage stay",
    run: (caller, id) => gateway.retention.delete(caller, id),
  });
  app.openapi(
    createRoute({
      ...post("/api/prune", "pruneSessions", "policy.write"),
      summary: "Delete old sessions, by age and by what the database takes",
      request: { body: body(PruneRequest) },
      responses: { 200: json(PruneReport, "What went, or would go"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.retention.prune(context.var.caller, context.req.valid("json")), 200),
  );
}

function stopRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/interrupt", "interruptSession", "session.control"),
      summary: "End the open turn; with `hold_queue` the prompts that wait begin only after `resume`",
      request: { params: SessionPath, body: { content: { "application/json": { schema: Interrupt } } } },
      responses: { 200: json(SessionView, "The session after it"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.sessions.interrupt(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
  app.openapi(
    createRoute({
      ...remove("/api/sessions/{id}/prompts/{turn_id}", "removePrompt", "session.control"),
      summary: "Take a prompt out of the queue before it begins",
      request: { params: SessionPath.extend({ turn_id: z.string().max(100) }) },
      responses: { 200: json(SessionView, "The session after it"), ...changeRefusals },
    }),
    async (context) => {
      const { id, turn_id } = context.req.valid("param");
      return context.json(await gateway.sessions.removePrompt(context.var.caller, id, turn_id), 200);
    },
  );
}

function controlRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  deleteRoutes(app, { gateway });
  stopRoutes(app, { gateway });
  const summaries = {
    pause: "Begin no further turn and let no further tool run",
    resume: "Go on after a pause",
    close: "End the session and all its processes",
  } as const;
  for (const verb of ["pause", "resume", "close"] as const) {
    app.openapi(
      createRoute({
        ...post(`/api/sessions/{id}/${verb}`, `${verb}Session`, "session.control"),
        summary: summaries[verb],
        request: { params: SessionPath },
        responses: { 200: json(SessionView, "The session after it"), ...changeRefusals },
      }),
      async (context) =>
        context.json(await gateway.sessions[verb](context.var.caller, context.req.valid("param").id), 200),
    );
  }
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/fork", "forkSession", "session.control"),
      summary: "A new session that begins with this one's journal",
      request: {
        params: SessionPath,
        headers: IdempotencyHeader,
        body: { content: { "application/json": { schema: ForkSession } } },
      },
      responses: { 201: json(SessionView, "The new session"), ...changeRefusals },
    }),
    async (context) => {
      const key = context.req.valid("header")["idempotency-key"];
      const { id } = context.req.valid("param");
      return context.json(await gateway.sessions.fork(context.var.caller, id, context.req.valid("json"), key), 201);
    },
  );
}

function budgetRoute(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/budget", "setSessionBudget", "budget.raise"),
      summary: "Set the most that the session may spend; a turn that waits for money continues",
      request: { params: SessionPath, body: body(SetBudget) },
      responses: { 200: json(SessionView, "The session after it"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.sessions.setBudget(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
}

function settingsRoute(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  modelsRoute(app, { gateway });
  instructionRoutes(app, { gateway });
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/settings", "configureSession", "session.control"),
      summary: "Change the model from the next turn on, the autonomy or the mode from the next tool call on",
      request: { params: SessionPath, headers: IdempotencyHeader, body: body(ConfigureSession) },
      responses: { 200: json(SessionView, "The session after it"), ...changeRefusals },
    }),
    async (context) => {
      const key = context.req.valid("header")["idempotency-key"];
      const { id } = context.req.valid("param");
      return context.json(
        await gateway.sessions.configure(context.var.caller, id, context.req.valid("json"), key),
        200,
      );
    },
  );
}

function modelsRoute(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/models", "listSessionModels", "session.read"),
      summary: "The models that the session can change to, its own first",
      request: { params: SessionPath },
      responses: { 200: json(SessionModels, "The models"), ...refusals },
    }),
    async (context) =>
      context.json(await gateway.sessionModels.list(context.var.caller, context.req.valid("param").id), 200),
  );
}

function instructionRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/context", "getSessionContext", "session.read"),
      summary: "What the workspace says to the agent from the next turn on, and what that costs in tokens",
      request: { params: SessionPath },
      responses: { 200: json(SessionContext, "Files, estimated tokens, and what was left out"), ...refusals },
    }),
    async (context) =>
      context.json(await gateway.instructions.context(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/commands", "listSessionCommands", "session.read"),
      summary: "Commands and skills of the workspace that a prompt can begin with: /name",
      request: { params: SessionPath },
      responses: { 200: json(WorkspaceCommandList, "The commands"), ...refusals },
    }),
    async (context) =>
      context.json(await gateway.instructions.commands(context.var.caller, context.req.valid("param").id), 200),
  );
}

function eventRoute(app: HttpApp, { gateway, log }: Pick<SurfaceOptions, "gateway" | "log">): void {
  const route = createRoute({
    ...get("/api/sessions/{id}/events", "listSessionEvents", "session.read"),
    summary: "The journal: a page of JSON, or with Accept: text/event-stream the stream from a seq on",
    request: { params: SessionPath, query: EventQuery },
    responses: {
      200: {
        description:
          "A page of events; `next` is the `after` of the next one. As a stream: each `data:` line is one frame, and the `id` of an event is its `seq`",
        content: { "application/json": { schema: EventList }, "text/event-stream": { schema: StreamFrame } },
      },
      ...refusals,
    },
  });
  // Not through app.openapi(): the answer is text that is already encoded, or a stream on the raw response.
  app.openAPIRegistry.registerPath(route);
  app.get("/api/sessions/:id/events", async (context) => {
    const id = context.req.param("id");
    const query = EventQuery.safeParse(context.req.query());
    if (!query.success)
      throw new Failure("invalid_request", `after and limit: ${query.error.issues[0]?.message ?? "not valid"}`);
    const { after, limit } = query.data;
    if (context.req.header("accept")?.includes("text/event-stream") !== true) {
      const frames = await gateway.sessions.events(context.var.caller, id, { after, limit });
      const next = frames.length === limit ? frames.at(-1)?.seq : undefined;
      return context.body(
        `{"events":[${frames.map((frame) => frame.json).join(",")}]${next === undefined ? "" : `,"next":${next}`}}`,
        200,
        {
          "content-type": "application/json",
        },
      );
    }
    const controller = new AbortController();
    const from = lastEventId(context.req.header("last-event-id")) ?? after;
    const frames = await gateway.sessions.watch(context.var.caller, id, from, controller.signal);
    await writeStream(context.env.outgoing, {
      ...SSE_STREAM,
      pieces: frames,
      encode: sseText,
      failed: (error) => log.error({ err: error, session_id: id }, "a watch ended early"),
      stop: () => controller.abort(),
    });
    return RESPONSE_ALREADY_SENT;
  });
}

function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  if (!/^\d{1,15}$/.test(header)) throw new Failure("cursor_invalid", "Last-Event-ID is not a place in a journal");
  return Number(header);
}
