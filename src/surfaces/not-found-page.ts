import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { escapedHtml } from "../protocol/index.ts";
import type { HttpEnvironment } from "./surface.ts";

const STYLE = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d1b17; --soft: #5d584e; --accent: #7a4b12; --on: #ffffff; --line: #dedbd3 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17161a; --ink: #ecebf0; --soft: #b4b1bb; --accent: #e3b475; --on: #2a1a04; --line: #36343c }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
main { max-width: 32rem; width: 100% }
p.mark { margin: 0; font-weight: 600; color: var(--soft) }
h1 { margin: 8px 0; font-size: 28px; line-height: 1.2 }
p { margin: 0 0 24px; color: var(--soft) }
code { overflow-wrap: anywhere }
a { display: inline-block; padding: 12px 20px; border: 1px solid transparent; border-radius: 8px; font-weight: 600; text-decoration: none }
a.first { background: var(--accent); color: var(--on) }
a.second { color: var(--ink); border-color: var(--line) }
nav { display: flex; flex-wrap: wrap; gap: 12px }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`;

/** The same address without its token. Absent: it has none. Never another server's, as `//other.example` would be. */
function withoutToken(address: string): string | undefined {
  const { pathname, searchParams } = new URL(address);
  if (!searchParams.has("token")) return undefined;
  searchParams.delete("token");
  const query = searchParams.toString();
  return `/${pathname.replace(/^\/+/, "")}${query === "" ? "" : `?${query}`}`;
}

/** HTML: what comes from elsewhere in it is escaped. */
interface NotFoundWords {
  readonly heading: string;
  readonly text: string;
}

function nothingAt({ req }: Context<HttpEnvironment>): NotFoundWords {
  const text = `Nothing is at <code>${escapedHtml(req.path)}</code>. The address may be mistyped, or the page has moved.`;
  return { heading: "There is no page here", text };
}

export const SHARE_ENDED: NotFoundWords = {
  heading: "This link does not work",
  text: "It may be mistyped, it may have expired, or somebody revoked it. Ask the person who sent it for another one.",
};

/**
 * The page for a mistyped address in a browser. Holds nothing that needs a token, and no script that could take one out of the
 * address: the browser is redirected to the address without it.
 */
export function notFoundPage(context: Context<HttpEnvironment>, words: NotFoundWords = nothingAt(context)): Response {
  const clean = withoutToken(context.req.url);
  if (clean !== undefined) return context.redirect(clean);
  const nonce = randomBytes(16).toString("base64");
  context.header(
    "content-security-policy",
    `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  return context.html(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found · Sallyport</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<p class="mark">Sallyport · 404</p>
<h1>${words.heading}</h1>
<p>${words.text}</p>
<nav>
<a class="first" href="/">Go to the console</a>
<a class="second" href="/workbench">Open the workbench</a>
</nav>
</main>
</body>
</html>
`,
    404,
  );
}
