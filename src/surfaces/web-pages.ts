import { createHash, randomBytes } from "node:crypto";
import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CONSOLE_PAGES, Failure } from "../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "./surface.ts";

const NONCE = /__CSP_NONCE__/g;
const NONCE_BYTES = 16;
const YEAR = "public, max-age=31536000, immutable";

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".json": "application/json; charset=utf-8",
};

/** The addresses of each page, which does its own routing. Nothing in a page is secret: what it shows needs a token. */
const PAGES = {
  console: [
    "/",
    "/new",
    "/agent",
    "/sessions/:id",
    "/sessions/:id/changes",
    "/sessions/:id/compare",
    "/sessions/:id/terminal",
    "/sessions/:id/files",
    ...CONSOLE_PAGES.map(({ to }) => to),
  ],
  workbench: ["/workbench"],
} as const;
type PageName = keyof typeof PAGES;

/** Where an agent's script runs, inside the workbench. */
const SCRIPT_FRAME = "/workbench/script-frame";

/** The files that make the console installable, at fixed addresses. The browser revalidates them each time, because they change with a new version. */
const INSTALL_FILES = {
  "/sw.js": "text/javascript; charset=utf-8",
  "/manifest.webmanifest": "application/manifest+json",
  "/icons/icon-192.png": "image/png",
  "/icons/icon-512.png": "image/png",
  "/icons/maskable-512.png": "image/png",
  "/icons/badge-96.png": "image/png",
  "/icons/apple-180.png": "image/png",
} as const;

const NOT_BUILT = "the web pages were not built: run `npm run build`";
const ASSETS = "/assets/";
/** The build puts a compressed copy beside each large file: see scripts/packed.mjs. */
const PACKED = ".gz";
/** The best encoding first; a large file may exist only in the last one. */
const PACKINGS = [
  { encoding: "br", ending: ".br", accepted: /\bbr\b/ },
  { encoding: "gzip", ending: PACKED, accepted: /\bgzip\b/ },
] as const;
const OPEN = new Set<string>([...Object.values(PAGES).flat(), ...Object.keys(INSTALL_FILES), SCRIPT_FRAME]);

/** Whether an address is a page or a part of one, which needs no token. */
export function isOpen(path: string): boolean {
  return (
    OPEN.has(path) || path.startsWith(ASSETS) || /^\/sessions\/[^/]+(\/(changes|compare|files|terminal))?$/.test(path)
  );
}

/** What the workbench may do beyond the others: compile WebAssembly (its SQL engine, Parquet) and hold the script frame. */
const MORE: Readonly<Record<PageName, { readonly scripts: string; readonly frames: string }>> = {
  console: { scripts: "script-src 'self'", frames: "frame-src 'none'" },
  workbench: { scripts: "script-src 'self' 'wasm-unsafe-eval'", frames: "frame-src 'self'" },
};

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g;

/** A script that stands in the page itself is allowed by its content alone. */
function inlineScripts(html: string): string {
  return [...html.matchAll(INLINE_SCRIPT)]
    .map(([, script = ""]) => ` 'sha256-${createHash("sha256").update(script).digest("base64")}'`)
    .join("");
}

/** Only our own scripts run, even if a model's text contains another; styles that libraries add carry the page's nonce. */
function contentPolicy({ name, html, nonce }: { name: PageName; html: string; nonce: string }): string {
  return [
    "default-src 'none'",
    `${MORE[name].scripts}${inlineScripts(html)}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    MORE[name].frames,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The policy of a script that is started as a worker: it has its own and not the page's. */
const WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";

/** The service worker asks our own server alone. */
const SERVICE_WORKER_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'";

/**
 * An opaque origin, only for a worker made from a text: no network, no storage, no frames, no other scripts. Not even ours: with 'self' a
 * worker could load from here, and so send, anything.
 */
function scriptFramePolicy(nonce: string): string {
  return `sandbox allow-scripts; default-src 'none'; script-src 'nonce-${nonce}'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;
}
/** The pages that people use, as the build made them. */
export function webPages(app: HttpApp, { web }: Pick<SurfaceOptions, "web">): void {
  const pages = new Map<string, string>();
  const assets = web === undefined ? new Set<string>() : new Set(listed(join(web, "assets")));
  const parts = web === undefined ? {} : partsOf(join(web, "console/parts.json"));
  const page = (name: PageName, address: string): string => {
    const known = pages.get(address);
    if (known !== undefined) return known;
    const read = web === undefined ? undefined : textOf(join(web, name, "index.html"));
    if (read === undefined) throw new Failure("not_found", NOT_BUILT);
    const links = (parts[address] ?? []).map(
      (file) => `<link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`,
    );
    const made = read.replace("</head>", `${links.join("")}</head>`);
    pages.set(address, made);
    return made;
  };
  for (const name of Object.keys(PAGES) as PageName[]) {
    for (const path of PAGES[name]) {
      app.get(path, (context) => {
        const nonce = newNonce();
        const html = page(name, path === "/" ? "/sessions" : path);
        context.header("content-security-policy", contentPolicy({ name, html, nonce }));
        return context.html(html.replace(NONCE, nonce));
      });
    }
  }
  app.get(SCRIPT_FRAME, (context) => {
    // Inline in the page: a document with an opaque origin may load nothing from ours.
    const script = web === undefined ? undefined : textOf(join(web, "script-frame.js"));
    if (script === undefined) throw new Failure("not_found", NOT_BUILT);
    const nonce = newNonce();
    context.header("content-security-policy", scriptFramePolicy(nonce));
    return context.html(
      `<!doctype html><html lang="en"><title>Scripts run here</title><script nonce="${nonce}">${script}</script></html>`,
    );
  });
  installFiles(app, web);
  app.get(`${ASSETS}:file`, async (context) => {
    const file = context.req.param("file");
    const hasPacked = assets.has(file + PACKED);
    // Only names that existed at the start: no request becomes a path.
    if (web === undefined || (!assets.has(file) && !hasPacked)) throw new Failure("not_found", "there is no such file");
    const accepts = context.req.header("accept-encoding") ?? "";
    const packing = PACKINGS.find(({ ending, accepted }) => assets.has(file + ending) && accepted.test(accepts));
    const content = await contentOf(join(web, "assets", file), {
      ending: packing?.ending,
      isOnlyPacked: !assets.has(file),
    });
    // Set only after it was read: a failure must not be cached for a year.
    context.header("cache-control", YEAR);
    context.header("vary", "accept-encoding");
    if (packing !== undefined) context.header("content-encoding", packing.encoding);
    const kind = extname(file);
    if (kind === ".js") context.header("content-security-policy", WORKER_POLICY);
    return context.body(content, 200, { "content-type": TYPES[kind] ?? "application/octet-stream" });
  });
}

function installFiles(app: HttpApp, web: string | undefined): void {
  for (const [path, type] of Object.entries(INSTALL_FILES)) {
    app.get(path, async (context) => {
      const content = web === undefined ? undefined : await readFile(join(web, path)).catch(() => undefined);
      if (content === undefined) throw new Failure("not_found", NOT_BUILT);
      context.header("cache-control", "no-cache");
      if (path === "/sw.js") context.header("content-security-policy", SERVICE_WORKER_POLICY);
      return context.body(new Uint8Array(content), 200, { "content-type": type });
    });
  }
}

/** A file in the form that its reader accepts. If only the compressed one exists, it is decompressed on the fly. */
async function contentOf(
  path: string,
  { ending, isOnlyPacked }: { readonly ending: string | undefined; readonly isOnlyPacked: boolean },
): Promise<Uint8Array<ArrayBuffer> | ReadableStream> {
  if (ending !== undefined) return new Uint8Array(await readFile(path + ending));
  if (!isOnlyPacked) return new Uint8Array(await readFile(path));
  // A reader that disconnects ends both.
  const unpacked = pipeline(createReadStream(path + PACKED), createGunzip(), () => undefined);
  return Readable.toWeb(unpacked) as ReadableStream;
}

function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString("base64");
}

/** Files that an address needs besides those of its page: see scripts/page-parts.mjs. They come with the page, without another round trip. */
function partsOf(path: string): Readonly<Record<string, readonly string[]>> {
  const text = textOf(path);
  return text === undefined ? {} : (JSON.parse(text) as Record<string, readonly string[]>);
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
