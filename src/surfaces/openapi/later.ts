import type { HttpApp } from "../surface.ts";

const later = new WeakMap<HttpApp, (() => void)[]>();

/** For what only readers of the API's description need: it is described when the document is first made. */
export function describeLater(app: HttpApp, describe: () => void): void {
  later.set(app, [...(later.get(app) ?? []), describe]);
}

/** Describes what waits, once. */
export function describeRest(app: HttpApp): void {
  const waiting = later.get(app) ?? [];
  later.delete(app);
  for (const describe of waiting) describe();
}
