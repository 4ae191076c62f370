import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { Guard } from "../guard.ts";
import type { FileService } from "../mount/file-service.ts";
import type { HttpApp, HttpEnvironment, SurfaceOptions } from "../surface.ts";

export interface McpParts {
  readonly files: FileService;
  readonly guard: Guard;
}

/** Answers one request; resolves when all of it has been sent. */
export type McpHandler = (context: Context<HttpEnvironment>) => Promise<void>;

/** `/mcp`. Its code is loaded with the first request: it is large, and many servers never get one. */
export function serveMcp(app: HttpApp, options: SurfaceOptions, parts: McpParts): void {
  let opened: Promise<McpHandler> | undefined;
  app.on(["GET", "POST", "DELETE"], "/mcp", async (context) => {
    opened ??= import("./http.ts").then(({ openMcp }) => openMcp(options, parts));
    await (
      await opened
    )(context);
    return RESPONSE_ALREADY_SENT;
  });
}
