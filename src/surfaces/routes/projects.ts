import { createRoute, z } from "@hono/zod-openapi";
import { ProjectSummary, SaveProject, WorkbenchProject } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, put, refusals, remove } from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const ProjectPath = z.object({
  id: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "letters, digits, dots, dashes and underscores"),
});

/** Projects of the workbench: which tables, how they are looked at, and queries. No rows. */
export function projectRoutes(app: HttpApp, { gateway: { projects } }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/workbench/projects", "listWorkbenchProjects", "project.read"),
      summary: "The workbench's projects that the caller may open, by name",
      responses: { 200: json(z.object({ projects: z.array(ProjectSummary) }), "The projects"), ...refusals },
    }),
    async (context) => context.json({ projects: [...(await projects.list(context.var.caller))] }, 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/workbench/projects/{id}", "getWorkbenchProject", "project.read"),
      summary: "A project with its tables, layouts and queries",
      request: { params: ProjectPath },
      responses: { 200: json(WorkbenchProject, "The project"), ...refusals },
    }),
    async (context) => context.json(await projects.get(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...put("/api/workbench/projects/{id}", "saveWorkbenchProject", "project.write"),
      summary: "Save a new project, or change or rename the one with this id",
      request: { params: ProjectPath, body: body(SaveProject) },
      responses: { 200: json(ProjectSummary, "The project"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await projects.save(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
  removeRoute(app, {
    begin: remove("/api/workbench/projects/{id}", "deleteWorkbenchProject", "project.write"),
    summary: "Delete a project",
    params: ProjectPath,
    run: (caller, id) => projects.remove(caller, id),
  });
}
