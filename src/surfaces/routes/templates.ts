import { createRoute, z } from "@hono/zod-openapi";
import { SaveTemplate, Template } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, put, refusals, remove } from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const TemplatePath = z.object({
  id: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "letters, digits, dots, dashes and underscores"),
});

export function templateRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/templates", "listTemplates", "workspace.choose"),
      summary: "Named starts for new sessions, by name",
      responses: { 200: json(z.object({ templates: z.array(Template) }), "The templates"), ...refusals },
    }),
    async (context) => context.json({ templates: [...(await gateway.templates.list(context.var.caller))] }, 200),
  );
  app.openapi(
    createRoute({
      ...put("/api/templates/{id}", "saveTemplate", "template.write"),
      summary: "Make a template, or replace the one with this id",
      request: { params: TemplatePath, body: body(SaveTemplate) },
      responses: { 200: json(Template, "The template"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.templates.save(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
  removeRoute(app, {
    begin: remove("/api/templates/{id}", "deleteTemplate", "template.write"),
    summary: "Delete a template",
    params: TemplatePath,
    run: (caller, id) => gateway.templates.remove(caller, id),
  });
}
