import { createRoute, z } from "@hono/zod-openapi";
import { EditPrompt, OrderQueue, QueuedPromptDetail, SessionView } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, patch, post, put, refusals, SessionPath } from "./documents.ts";

const PromptPath = SessionPath.extend({ turn_id: z.string().max(100) });

/** Prompts that wait. */
export function queueRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/prompts/{turn_id}", "getQueuedPrompt", "session.read"),
      summary: "A prompt that waits, whole",
      request: { params: PromptPath },
      responses: { 200: json(QueuedPromptDetail, "The prompt"), ...refusals },
    }),
    async (context) => {
      const { id, turn_id } = context.req.valid("param");
      return context.json(await gateway.queue.get(context.var.caller, id, turn_id), 200);
    },
  );
  app.openapi(
    createRoute({
      ...patch("/api/sessions/{id}/prompts/{turn_id}", "editQueuedPrompt", "session.control"),
      summary: "Change the text of a prompt that waits; one that has begun is not touched",
      request: { params: PromptPath, body: body(EditPrompt) },
      responses: { 200: json(SessionView, "The session after it"), ...changeRefusals },
    }),
    async (context) => {
      const { id, turn_id } = context.req.valid("param");
      return context.json(await gateway.queue.edit(context.var.caller, id, turn_id, context.req.valid("json")), 200);
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/prompts/{turn_id}/now", "sendQueuedPromptNow", "session.control"),
      summary: "Send a prompt that waits into the running turn",
      request: { params: PromptPath },
      responses: { 200: json(SessionView, "The session after it"), ...changeRefusals },
    }),
    async (context) => {
      const { id, turn_id } = context.req.valid("param");
      return context.json(await gateway.queue.sendNow(context.var.caller, id, turn_id), 200);
    },
  );
  app.openapi(
    createRoute({
      ...put("/api/sessions/{id}/queue", "orderQueue", "session.control"),
      summary: "Put the prompts that wait into another order",
      request: { params: SessionPath, body: body(OrderQueue) },
      responses: { 200: json(SessionView, "The session after it"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      const { order } = context.req.valid("json");
      return context.json(await gateway.queue.reorder(context.var.caller, id, order), 200);
    },
  );
}
