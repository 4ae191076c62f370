import { may, type Capability } from "../gate/index.ts";
import { Failure } from "../protocol/index.ts";
import type { Caller } from "../sessions/index.ts";
import type { HttpApp } from "./surface.ts";

interface RouteRight {
  readonly method: string;
  readonly pattern: RegExp;
  readonly needs: Capability;
}

/** The rights that routes declare in the API's description (`x-needs`), checked before anything of a request is read. */
export class RouteRights {
  readonly #app: HttpApp;
  #routes: readonly RouteRight[] | undefined;

  constructor(app: HttpApp) {
    this.#app = app;
  }

  /** A caller without the right learns only that, whatever else is wrong with the request. */
  check(caller: Caller, { method, path }: { readonly method: string; readonly path: string }): void {
    this.#routes ??= routesOf(this.#app);
    const wanted = method === "HEAD" ? "GET" : method;
    const route = this.#routes.find((known) => known.method === wanted && known.pattern.test(path));
    if (route === undefined || may(caller.role, route.needs) !== "no") return;
    throw new Failure("forbidden", `the role ${caller.role} may not ${route.needs}`);
  }
}

/** A path with a parameter comes after those without one. */
function routesOf(app: HttpApp): readonly RouteRight[] {
  return app.openAPIRegistry.definitions
    .flatMap((definition) => {
      if (definition.type !== "route") return [];
      const { method, path } = definition.route;
      const needs = (definition.route as { readonly "x-needs"?: Capability | "nothing" | "a token" })["x-needs"];
      if (needs === undefined || needs === "nothing" || needs === "a token") return [];
      return [{ method: method.toUpperCase(), path, needs }];
    })
    .toSorted((one, other) => one.path.split("{").length - other.path.split("{").length)
    .map(({ method, path, needs }) => ({ method, needs, pattern: patternOf(path) }));
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^}]*\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}
