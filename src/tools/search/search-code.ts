import { z } from "zod";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { resolveInside } from "../files/paths.ts";
import { genericPreview } from "../preview.ts";
import { isRefusal, reasonOf } from "../refusal.ts";
import { errorResult, textResult, type Tool } from "../tool.ts";
import { shownParts } from "./shown-parts.ts";
import type { WorkspaceIndexes } from "./workspace-index.ts";

const SearchCodeInput = z.strictObject({
  query: z.string().min(1).max(LIMITS.searchCodeQueryChars).describe("What you look for, in words or names"),
  max_results: z.number().int().min(1).max(LIMITS.searchCodeResults).default(LIMITS.searchCodeResults),
});
type SearchCodeInput = z.infer<typeof SearchCodeInput>;

export function searchCodeTool(indexes: WorkspaceIndexes): Tool<SearchCodeInput> {
  return {
    name: "SearchCode",
    description:
      "Finds the parts of the workspace's text files that fit a query best, by its words, their forms and common words for the same thing: " +
      "identifiers are split, order and spelling of words do not matter. Use it to find where something is done; use Grep for exact text.",
    tier: TOOL_FACTS.SearchCode.tier,
    concurrent: true,
    input: SearchCodeInput,
    paths: () => [{ path: ".", access: "read" }],
    preview: async (input) => genericPreview(input),
    async execute({ query, max_results }, context) {
      const place = await resolveInside(context, { path: ".", access: "read" });
      if (isRefusal(place)) return errorResult(place.refused);
      try {
        const { signal } = context;
        const { parts, leftOut } = await indexes.find(context, {
          query,
          most: max_results,
          ms: LIMITS.searchCodeMs,
          signal,
        });
        if (signal.aborted) return errorResult("The search was interrupted.");
        const note =
          leftOut === 0 ? "" : `\n\n(${leftOut} files were left out: the index is full, or they took too long.)`;
        return textResult(parts.length === 0 ? `Nothing fits the query.${note}` : `${shownParts(parts)}${note}`);
      } catch (error) {
        return errorResult(`SearchCode error: ${reasonOf(error)}`);
      }
    },
  };
}
