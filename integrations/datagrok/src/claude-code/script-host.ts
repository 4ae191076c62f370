import * as DG from "datagrok-api/dg";
import * as grok from "datagrok-api/grok";
import type { ScriptHost } from "sallyport/contexts";

/** How alike a script must be, 0 to 1, and how many are looked at. */
const SIMILARITY = 0.3;
const CANDIDATES = 10;

/** What the platform has for who writes scripts. It has no search of its documentation that a page could use. */
export function scriptHost(): ScriptHost {
  return {
    names: platformNames(),
    samples: async (description) =>
      (await grok.ai.searchEntities(description, SIMILARITY, CANDIDATES, ["Script"]))
        .filter((entity) => entity instanceof DG.Script)
        .map((script) => ({
          name: script.name,
          description: script.description,
          language: script.language,
          code: script.script,
        })),
  };
}

/** The platform's globals as scripts see them; what is imported is a copy, made of getters. */
function platformNames(): ScriptHost["names"] {
  const { grok, ui, DG } = globalThis as Readonly<Record<string, unknown>>;
  return { grok, ui, DG };
}
