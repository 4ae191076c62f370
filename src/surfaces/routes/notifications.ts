import { createRoute } from "@hono/zod-openapi";
import {
  CreateNotificationTarget,
  CreatePairing,
  NotificationAnswer,
  NotificationAnswered,
  NotificationSettings,
  NotificationTargetCreated,
  PairingCreated,
  PairingView,
  RedeemPairing,
  TokenCreated,
  NotificationTargetView,
} from "../../protocol/index.ts";
import type { Guard } from "../guard.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, post, refusals, remove, SessionPath } from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const ANSWERS = "/api/notifications/answers";
const REDEEM = "/api/pairings/redeem";

/** Requests that have something else in the place of a token: a notification's ticket, a pairing code. */
export function isProved({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === "POST" && (path === ANSWERS || path === REDEEM);
}

export function notificationRoutes(app: HttpApp, options: SurfaceOptions, guard: Guard): void {
  targetRoutes(app, options);
  provedRoutes(app, options, guard);
  pairingRoutes(app, options);
}

function targetRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/notifications", "getNotifications", "notification.use"),
      summary: "Where you are told of questions and ends, and the key that browsers subscribe with",
      responses: { 200: json(NotificationSettings, "The targets, without their addresses"), ...refusals },
    }),
    async (context) => context.json(await gateway.notifications.settings(context.var.caller), 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/notifications", "createNotificationTarget", "notification.use"),
      summary: "Be told in a browser, or by a service; services need trigger.manage",
      request: { body: body(CreateNotificationTarget) },
      responses: { 201: json(NotificationTargetCreated, "The target; a webhook's secret once"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.notifications.create(context.var.caller, context.req.valid("json")), 201),
  );
  removeRoute(app, {
    begin: remove("/api/notifications/{id}", "deleteNotificationTarget", "notification.use"),
    summary: "Be told there no longer",
    answer: "It is gone, and its address with it",
    run: (caller, id) => gateway.notifications.remove(caller, id),
  });
  app.openapi(
    createRoute({
      ...post("/api/notifications/{id}/test", "testNotificationTarget", "notification.use"),
      summary: "Send a message now",
      request: { params: SessionPath },
      responses: { 200: json(NotificationTargetView.shape.last.unwrap(), "What became of it"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.notifications.test(context.var.caller, context.req.valid("param").id), 200),
  );
}

function provedRoutes(app: HttpApp, { gateway }: SurfaceOptions, guard: Guard): void {
  app.openapi(
    createRoute({
      ...post(ANSWERS, "answerNotification", "nothing"),
      security: [],
      summary: "Answer a question from its notification, with the ticket that came with it",
      request: { body: body(NotificationAnswer) },
      responses: { 200: json(NotificationAnswered, "How it ended"), ...changeRefusals },
    }),
    async (context) => {
      const answer = context.req.valid("json");
      guard.checkProof(context.env.incoming, {
        key: `notification/${answer.target_id}`,
        isRight: gateway.notifications.isGenuine(answer),
        refusal: "this notification cannot answer any more; open the console",
      });
      return context.json(await gateway.notifications.answer(answer), 200);
    },
  );
  app.openapi(
    createRoute({
      ...post(REDEEM, "redeemPairing", "nothing"),
      security: [],
      summary: "Exchange a pairing code for a token; works once",
      request: { body: body(RedeemPairing) },
      responses: { 201: json(TokenCreated, "The token, shown this once"), ...changeRefusals },
    }),
    async (context) => {
      const request = context.req.valid("json");
      guard.checkProof(context.env.incoming, {
        key: "pairing",
        isRight: gateway.pairings.isOpen(request),
        refusal: "this code was used already or has expired; make a new one",
      });
      return context.json(await gateway.pairings.redeem(request), 201);
    },
  );
}

function pairingRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...post("/api/pairings", "createPairing", "token.manage"),
      summary: "A code that a phone exchanges for a token of its own; shown this once",
      request: { body: body(CreatePairing) },
      responses: { 201: json(PairingCreated, "The code"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.pairings.create(context.var.caller, context.req.valid("json")), 201),
  );
  app.openapi(
    createRoute({
      ...get("/api/pairings/{id}", "getPairing", "token.manage"),
      summary: "Whether a phone has used your code",
      request: { params: SessionPath },
      responses: { 200: json(PairingView, "What became of it"), ...refusals },
    }),
    (context) => context.json(gateway.pairings.get(context.var.caller, context.req.valid("param").id), 200),
  );
  removeRoute(app, {
    begin: remove("/api/pairings/{id}", "deletePairing", "token.manage"),
    summary: "End a code that nobody has used",
    answer: "It cannot be used any more",
    run: (caller, id) => gateway.pairings.end(caller, id),
  });
}
