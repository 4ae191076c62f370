import { createRoute, z } from "@hono/zod-openapi";
import {
  CreateSchedule,
  CreateWebhook,
  Failure,
  LIMITS,
  ScheduleList,
  ScheduleView,
  TriggerHistory,
  WebhookAccepted,
  WebhookCreated,
  WebhookList,
  WebhookView,
} from "../../protocol/index.ts";
import type { Guard } from "../guard.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, post, refusals, remove } from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const TriggerPath = z.object({ id: z.string().max(100) });
const DELIVERY = /^\/hooks\/[^/]+$/;

/** Deliveries have a signature in the place of a token. */
export function isDelivery({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === "POST" && DELIVERY.test(path);
}

export function triggerRoutes(app: HttpApp, options: SurfaceOptions, guard: Guard): void {
  scheduleRoutes(app, options);
  webhookRoutes(app, options);
  deliveryRoute(app, options, guard);
  controlRoutes(app, options, { path: "schedules", name: "Schedule", view: ScheduleView });
  controlRoutes(app, options, { path: "webhooks", name: "Webhook", view: WebhookView });
}

interface TriggerControls<View extends typeof ScheduleView | typeof WebhookView> {
  readonly path: "schedules" | "webhooks";
  readonly name: "Schedule" | "Webhook";
  readonly view: View;
}

const VERBS = { pause: "Nothing begins until somebody continues it", continue: "Go on" } as const;

/** What both kinds have: pause, continue, history, delete. */
function controlRoutes<View extends typeof ScheduleView | typeof WebhookView>(
  app: HttpApp,
  { gateway }: SurfaceOptions,
  { path, name, view }: TriggerControls<View>,
): void {
  const service = gateway[path];
  for (const verb of ["pause", "continue"] as const)
    app.openapi(
      createRoute({
        ...post(`/api/${path}/{id}/${verb}`, `${verb}${name}`, "trigger.manage"),
        summary: VERBS[verb],
        request: { params: TriggerPath },
        responses: { 200: json(view, `The ${name.toLowerCase()}`), ...changeRefusals },
      }),
      async (context) => context.json(await service[verb](context.var.caller, context.req.valid("param").id), 200),
    );
  app.openapi(
    createRoute({
      ...get(`/api/${path}/{id}/history`, `read${name}History`, "trigger.manage"),
      summary: "What became of it so far, the newest first",
      request: { params: TriggerPath },
      responses: { 200: json(TriggerHistory, "The results"), ...refusals },
    }),
    async (context) => context.json(await service.history(context.var.caller, context.req.valid("param").id), 200),
  );
  removeRoute(app, {
    begin: remove(`/api/${path}/{id}`, `delete${name}`, "trigger.manage"),
    summary: `Delete a ${name.toLowerCase()}; its sessions stay`,
    params: TriggerPath,
    run: (caller, id) => service.remove(caller, id),
  });
}

function scheduleRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/schedules", "listSchedules", "trigger.manage"),
      summary: "Schedules, with their next times",
      responses: { 200: json(ScheduleList, "The schedules"), ...refusals },
    }),
    (context) => context.json(gateway.schedules.list(context.var.caller), 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/schedules", "createSchedule", "trigger.manage"),
      summary: "Start sessions from a template at set times, with the caller's rights and budget",
      request: { body: body(CreateSchedule) },
      responses: { 201: json(ScheduleView, "The schedule"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.schedules.create(context.var.caller, context.req.valid("json")), 201),
  );
  app.openapi(
    createRoute({
      ...post("/api/schedules/{id}/run", "runSchedule", "trigger.manage"),
      summary: "Start a session of it now; its own times stay as they are",
      request: { params: TriggerPath },
      responses: { 200: json(ScheduleView, "The schedule; `last` names the session"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.schedules.run(context.var.caller, context.req.valid("param").id), 200),
  );
}

function webhookRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/webhooks", "listWebhooks", "trigger.manage"),
      summary: "Webhooks, without their secrets",
      responses: { 200: json(WebhookList, "The webhooks"), ...refusals },
    }),
    (context) => context.json(gateway.webhooks.list(context.var.caller), 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/webhooks", "createWebhook", "trigger.manage"),
      summary: "Start sessions from a template for signed deliveries; the secret is shown once",
      request: { body: body(CreateWebhook) },
      responses: { 201: json(WebhookCreated, "The webhook and its secret"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.webhooks.create(context.var.caller, context.req.valid("json")), 201),
  );
  app.openapi(
    createRoute({
      ...post("/api/webhooks/{id}/rotate", "rotateWebhook", "trigger.manage"),
      summary: "A new secret, shown once; the old one is worth nothing from now on",
      request: { params: TriggerPath },
      responses: { 200: json(WebhookCreated, "The webhook and its new secret"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.webhooks.rotate(context.var.caller, context.req.valid("param").id), 200),
  );
}

const DeliveryHeaders = z.object({
  "webhook-id": z.string().max(LIMITS.webhookIdChars).optional(),
  "webhook-timestamp": z.string().max(20).optional(),
  "webhook-signature": z.string().max(1_000).optional(),
});

function deliveryRoute(app: HttpApp, { gateway }: SurfaceOptions, guard: Guard): void {
  app.openapi(
    createRoute({
      ...post("/hooks/{id}", "deliverWebhook", "nothing"),
      security: [],
      summary: "A delivery, signed as Standard Webhooks says",
      request: {
        params: TriggerPath,
        headers: DeliveryHeaders,
        body: { required: true, content: { "application/json": { schema: z.unknown() } } },
      },
      responses: { 202: json(WebhookAccepted, "A session works on it"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      // What is missing is a wrong signature as any other.
      const {
        "webhook-id": own = "",
        "webhook-timestamp": timestamp = "",
        "webhook-signature": signature = "",
      } = context.req.valid("header");
      const text = await context.req.text();
      if (Buffer.byteLength(text) > LIMITS.webhookBodyBytes)
        throw new Failure("payload_too_large", `a delivery may have ${LIMITS.webhookBodyBytes} bytes`);
      const delivery = { id: own, timestamp, signature, body: text };
      guard.checkDelivery(context.env.incoming, { id, isSigned: gateway.webhooks.isSigned(id, delivery) });
      return context.json(await gateway.webhooks.deliver(id, delivery), 202);
    },
  );
}
