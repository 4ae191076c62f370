import type { DocumentationHit, ScriptHost } from "./hosts.ts";
import { membersOf } from "./members.ts";

/** Default number of search results, and the maximum. */
const RESULTS = 4;
const MOST_RESULTS = 50;

type DocumentationSearch = NonNullable<ScriptHost["searchDocumentation"]>;

/** Document 000's tools for writing scripts. */
export class ScriptGenerationContext {
  readonly #host: ScriptHost;

  constructor(host: ScriptHost) {
    this.#host = host;
  }

  /** Without a language: scripts of all languages. */
  async findSimilarScriptSamples(description: string, language?: string): Promise<string> {
    const samples = (await this.#host.samples(description)).filter(
      (sample) => language === undefined || language === "" || sample.language.toLowerCase() === language.toLowerCase(),
    );
    if (samples.length === 0) return "No similar script samples found.";
    const parts = samples.map(
      (sample) =>
        `**Name**: ${sample.name}\n**Description**: ${sample.description ?? ""}\n**Code**:\n${sample.code}\n\n---\n\n`,
    );
    return `Found ${samples.length} similar script samples:\n\n${parts.join("")}`;
  }

  async searchDocumentation(query: string, maxResults?: number | null): Promise<string> {
    const search = this.#host.searchDocumentation?.bind(this.#host);
    if (search === undefined) return "Documentation search is not available. Vector store ID not configured.";
    if (query.trim() === "") return "Error: empty documentation search query.";
    return found(search, query, maxResults);
  }

  async searchJsApiSources(query: string, maxResults?: number | null): Promise<string> {
    const search = this.#host.searchApi?.bind(this.#host);
    if (search === undefined) return "JS API source search is not available. Vector store ID not configured.";
    if (query.trim() === "") return "Error: empty JS API source search query.";
    return found(search, query, maxResults);
  }

  /** Dotted names are looked up, never run. */
  listJsMembers(expression: string): string {
    return membersOf(this.#host.names, expression);
  }
}

async function found(
  search: DocumentationSearch,
  query: string,
  maxResults: number | null | undefined,
): Promise<string> {
  const most = Math.min(MOST_RESULTS, Math.max(1, Math.trunc(maxResults ?? RESULTS)));
  let hits: readonly DocumentationHit[];
  try {
    hits = (await search(query, most)).slice(0, most);
  } catch (error) {
    return `Error searching documentation: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (hits.length === 0) return "No relevant documentation found for this query.";
  const parts = hits.map(
    ({ source, score, text }) => `**Source**: ${source} (score: ${score.toFixed(2)})\n${text}\n\n---\n\n`,
  );
  return `Found ${hits.length} relevant documentation sections:\n\n${parts.join("")}`;
}
