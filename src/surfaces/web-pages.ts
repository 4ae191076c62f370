import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { Failure } from "../protocol/index.ts";
import type { App, SurfaceOptions } from "./surface.ts";

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

/** The addresses of each page, which finds its way from there by itself. Nothing secret is in a page: what it shows needs a token. */
const PAGES = {
  console: [
    "/",
    "/new",
    "/agent",
    "/sessions",
    "/sessions/:id",
    "/approvals",
    "/usage",
    "/policy",
    "/providers",
    "/tokens",
    "/audit",
  ],
} as const;
type PageName = keyof typeof PAGES;

const ASSETS = "/assets/";
const OPEN = new Set<string>(Object.values(PAGES).flat());

/** Whether an address is a page or a part of one, for which nobody needs a token. */
export function isOpen(path: string): boolean {
  return OPEN.has(path) || path.startsWith(ASSETS) || /^\/sessions\/[^/]+$/.test(path);
}

/** Only our own scripts run, also where a model's text would like another; styles that libraries add carry the page's nonce. */
function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The pages that people use, as the build made them. */
export function webPages(app: App, { web }: Pick<SurfaceOptions, "web">): void {
  const pages = new Map<PageName, string>();
  const assets = web === undefined ? new Set<string>() : new Set(listed(join(web, "assets")));
  const page = (name: PageName): string => {
    const known = pages.get(name);
    if (known !== undefined) return known;
    const read = web === undefined ? undefined : textOf(join(web, name, "index.html"));
    if (read === undefined) throw new Failure("not_found", "the web pages were not built: run `npm run build`");
    pages.set(name, read);
    return read;
  };
  for (const name of Object.keys(PAGES) as PageName[]) {
    for (const path of PAGES[name]) {
      app.get(path, (context) => {
        const nonce = randomBytes(NONCE_BYTES).toString("base64");
        context.header("content-security-policy", contentPolicy(nonce));
        return context.html(page(name).replace(NONCE, nonce));
      });
    }
  }
  app.get(`${ASSETS}:file`, async (context) => {
    const file = context.req.param("file");
    // Only names that were there at the start: nothing that is asked for becomes a path.
    if (web === undefined || !assets.has(file)) throw new Failure("not_found", "there is no such file");
    const content = await readFile(join(web, "assets", file));
    // Not before it was read: a failure is not to be kept for a year.
    context.header("cache-control", YEAR);
    return context.body(new Uint8Array(content), 200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    });
  });
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
