import { createHash } from "node:crypto";
import type { App, SurfaceOptions } from "./surface.ts";

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1b1f;--soft:#5c5f66;--line:#d9dbe0;--paper:#fff;--panel:#f6f7f9;--accent:#7a4b12}
@media(prefers-color-scheme:dark){:root{--ink:#ececf1;--soft:#a3a7b0;--line:#33363d;--paper:#16171a;--panel:#1f2125;--accent:#e0b173}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:44rem;margin:0 auto;padding:2.5rem 1.25rem}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.05rem;margin:2rem 0 .5rem}
p{margin:.5rem 0}.soft{color:var(--soft)}
.note{border-left:3px solid var(--accent);background:var(--panel);padding:.6rem .9rem;margin:1rem 0}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.5 ui-monospace,monospace}
dl{margin:.5rem 0;display:grid;grid-template-columns:minmax(0,max-content) 1fr;gap:.3rem 1.25rem}dd{margin:0;color:var(--soft)}
@media(max-width:40rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}}
code{font-family:ui-monospace,monospace}li{margin:.2rem 0}
`;

const ROUTES = [
  ["POST /api/sessions", "start a session"],
  ["POST /api/sessions/{id}/prompts", "send a prompt"],
  ["GET /api/sessions/{id}/events", "the journal; with Accept: text/event-stream as a stream"],
  ["GET /api/approvals?status=pending", "what waits for you"],
  ["POST /api/approvals/{id}", "your answer"],
] as const;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** What a person sees who follows the link that `npm start` prints. */
export function frontPage(app: App, options: SurfaceOptions): void {
  app.get("/", (context) => {
    context.header(
      "content-security-policy",
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    return context.html(page(options));
  });
}

function page(options: SurfaceOptions): string {
  const { demo, default_provider, default_workspace } = options.describe();
  const model = demo
    ? `<p class="note">No model key is set, so the <strong>demo model</strong> answers: it understands a handful of plain requests and uses the real tools for them. Set <code>ANTHROPIC_API_KEY</code> and start again for a real model.</p>`
    : `<p class="note">Model calls go to <strong>${escape(default_provider)}</strong>.</p>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Sallyport</title><style>${STYLE}</style></head><body><main>
<h1>Sallyport is running</h1><p class="soft">Version ${escape(options.version)}. Sessions work in <code>${escape(default_workspace)}</code> unless they name another folder.</p>${model}
<h2>Give it a first task</h2><p>In another terminal, in the same folder:</p>
<pre>npm run -s sallyport -- run "create hello.txt with hello world"</pre>
<p>You see the agent work, then the exact diff of the file, and say yes or no.</p>
<h2>Or over HTTP</h2><dl>${ROUTES.map(([route, what]) => `<dt><code>${escape(route)}</code></dt><dd>${escape(what)}</dd>`).join("")}</dl>
<p>Every request carries <code>Authorization: Bearer &lt;token&gt;</code>; the token is in the link that brought you here. The whole surface is described at <code>/openapi.json</code>.</p>
</main></body></html>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
