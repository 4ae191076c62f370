// The official conformance suite wants `globSync`, which Node.js has from version 22 on, for a command that our tests do not use.
import { register } from "node:module";

const HOOKS = `export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith("/conformance/dist/index.js")) return loaded;
  const source = String(loaded.source).replace(/globSync as (\\w+),/, "statSync as $1,");
  return { ...loaded, source };
}`;
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
