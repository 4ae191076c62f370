import { createRoute, z } from "@hono/zod-openapi";
import { ClaudeChunk, FileEntry, FileStat } from "../../protocol/index.ts";
import type { FileNode } from "../mount/tree.ts";
import { get, operation } from "../routes/documents.ts";
import type { HttpApp } from "../surface.ts";
import { fileRefusalRefs } from "./refusals.ts";

/** Entries of a folder. */
export const FileListing = z.object({ entries: z.array(FileEntry) });

const flag = z.enum(["0", "1"]).optional();
const reads = fileRefusalRefs([400, 401, 403, 404, 409, 413, 429, 500, 503]);
const writes = fileRefusalRefs([400, 401, 402, 403, 404, 409, 410, 413, 422, 429, 500, 503]);

const StatQuery = z.object({ stat: flag.describe("1: what it is and what the caller may do, instead of its content") });
const FileQuery = StatQuery.extend({
  offset: z.coerce.number().int().min(0).optional().describe("Bytes to leave out at the beginning"),
});
const OutputQuery = FileQuery.extend({
  follow: flag.describe("1: the text so far, then what comes"),
  until: z.enum(["idle", "end"]).optional().describe("With follow: when it ends. Absent: with the session"),
  watch: flag.describe("1: a stream of chunks instead of the text"),
  after: z.string().max(100).optional().describe("With watch: the id of the last chunk that was seen"),
});

/** Describes each folder and file of a mount: one path each, with who may read and write it. */
export function describeFiles(app: HttpApp, mount: string, nodes: readonly FileNode[]): void {
  for (const folder of foldersOf(nodes)) describeFolder(app, mount, folder);
  for (const node of nodes) {
    if (node.read !== undefined) describeReading(app, mount, node);
    if (node.write !== undefined)
      for (const method of ["post", "put"] as const) describeWriting(app, mount, { node, method });
  }
}

/** Every folder above a file, the mount itself first. */
function foldersOf(nodes: readonly FileNode[]): readonly string[] {
  const folders = new Set([""]);
  for (const { path } of nodes) {
    const parts = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) folders.add(parts.slice(0, depth).join("/"));
  }
  return [...folders];
}

function describeFolder(app: HttpApp, mount: string, folder: string): void {
  app.openAPIRegistry.registerPath(
    createRoute({
      ...get(pathOf(mount, folder), `list${treeName(mount)}${nameOf(folder)}Folder`, "a token"),
      summary: folder === "" ? `What is in the topmost folder of ${mount}` : `What is in ${folder}`,
      ...parameters(folder, StatQuery),
      responses: {
        200: {
          description: "The entries; with ?stat=1 what the folder is",
          content: { "application/json": { schema: z.union([FileListing, FileStat]) } },
        },
        ...reads,
      },
    }),
  );
}

function describeReading(app: HttpApp, mount: string, node: FileNode): void {
  const { path, summary, content, read, grows } = node;
  const answer = content === "text" ? FileStat : z.union([read?.answer ?? z.unknown(), FileStat]);
  app.openAPIRegistry.registerPath(
    createRoute({
      ...get(pathOf(mount, path), `read${treeName(mount)}${nameOf(path)}`, "a token"),
      summary,
      ...rightsOf(node),
      ...parameters(path, grows !== undefined ? OutputQuery : content === "text" ? FileQuery : StatQuery),
      responses: {
        200: {
          description: "What it holds; with ?stat=1 what it is",
          content: {
            ...(content === "text" ? { "text/plain": { schema: z.string() } } : {}),
            "application/json": { schema: answer },
            // Each `data:` line of the stream is one chunk.
            ...(grows !== undefined ? { "text/event-stream": { schema: ClaudeChunk } } : {}),
          },
        },
        ...reads,
      },
    }),
  );
}

interface WritableFile {
  readonly node: FileNode;
  readonly method: "post" | "put";
}

function describeWriting(app: HttpApp, mount: string, { node, method }: WritableFile): void {
  const { path, summary, write, read } = node;
  const { json, text, call, answer = read?.answer ?? z.object({}) } = write ?? {};
  // Only POST returns more than a confirmation, and only to clients that ask for JSON.
  const told = {
    [call === true ? 201 : 200]: {
      description: "With `Accept: application/json`: the answer",
      content: { "application/json": { schema: answer } },
    },
  };
  const verb = method === "put" ? "write" : call === true ? "call" : "send";
  app.openAPIRegistry.registerPath(
    createRoute({
      ...operation(method)(pathOf(mount, path), `${verb}${treeName(mount)}${nameOf(path)}`, "a token"),
      summary,
      ...rightsOf(node),
      request: {
        ...parameters(path).request,
        body: {
          required: true,
          content: {
            ...(json === undefined ? {} : { "application/json": { schema: json } }),
            ...(text === undefined ? {} : { "text/plain": { schema: z.string().describe(text) } }),
          },
        },
      },
      responses: { 204: { description: "Written" }, ...(method === "post" ? told : {}), ...writes },
    }),
  );
}

function rightsOf({ read, write }: FileNode) {
  return { "x-reads": read?.needs ?? "nobody", "x-writes": write?.needs ?? "nobody" } as const;
}

function pathOf(mount: string, path: string): string {
  return path === "" ? mount : `${mount}/${path.replaceAll(/:(\w+)/g, "{$1}")}`;
}

/** `/claude` is `Claude`. */
function treeName(mount: string): string {
  return mount.charAt(1).toUpperCase() + mount.slice(2);
}

/** `sessions/:id/tools/log` is `SessionToolsLog`: a folder of many names becomes its singular. */
function nameOf(path: string): string {
  return path
    .replaceAll(/(\w+)s\/:\w+/g, "$1")
    .split(/\W+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

function parameters(path: string, query?: z.ZodObject) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? "", z.string().max(200)] as const);
  const params = names.length === 0 ? {} : { params: z.object(Object.fromEntries(names)) };
  return { request: { ...params, ...(query === undefined ? {} : { query }) } };
}
