import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { OneCredential } from "./providers.ts";

/** `model`: the search that the provider of the session's own model runs, at the session's cost. */
export const SearchProvider = z.enum(["brave", "tavily", "searxng", "model"]);
export type SearchProvider = z.infer<typeof SearchProvider>;

/** `web_search` of `sallyport.yaml`: whom WebSearch asks. */
export const WebSearchSetting = z
  .object({
    provider: SearchProvider,
    /** Absent: the provider's own; SearXNG has none. */
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(LIMITS.webUrlChars)
      .optional(),
    /** Where its key comes from. Absent: it needs none, as SearXNG. */
    credential: OneCredential.optional(),
  })
  .strict()
  .refine(({ provider, base_url }) => provider !== "searxng" || base_url !== undefined, {
    message: "searxng needs the base_url of an instance",
    path: ["base_url"],
  })
  .refine(({ provider, base_url, credential }) => provider !== "model" || (base_url ?? credential) === undefined, {
    message: "model takes neither base_url nor credential: the session's own provider is asked",
    path: ["provider"],
  })
  .refine(({ provider, credential }) => provider === "searxng" || provider === "model" || credential !== undefined, {
    message: "needs a credential: the key of the account that searches",
    path: ["credential"],
  });
export type WebSearchSetting = z.infer<typeof WebSearchSetting>;
