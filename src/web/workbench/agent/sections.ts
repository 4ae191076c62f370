import MiniSearch from "minisearch";
import type { DocumentationHit } from "../../../contexts/hosts.ts";

/** A part of a document under one heading. */
export interface DocumentSection {
  /** Where it is: `workbench.md › Layouts`. */
  readonly source: string;
  readonly text: string;
}

/** Sections longer than this are cut: they are read by a model. */
const SECTION_CHARS = 4_000;
/** A score of so much is called one half. */
const HALF = 8;

/** A markdown document by its headings of the first two levels; code blocks do not begin one. */
export function sectionsOf(file: string, markdown: string): readonly DocumentSection[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: "", lines: [] }];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,3} (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections
    .map(({ heading, lines }) => ({
      source: heading === "" ? file : `${file} › ${heading}`,
      text: lines.join("\n").trim().slice(0, SECTION_CHARS),
    }))
    .filter(({ text }) => text !== "");
}

/** Finds sections by their words: whole words, beginnings of words and small slips of the pen. */
export function sectionSearch(
  sections: readonly DocumentSection[],
): (query: string, maxResults: number) => readonly DocumentationHit[] {
  const index = new MiniSearch<DocumentSection & { readonly id: number }>({
    fields: ["source", "text"],
    storeFields: ["source", "text"],
    searchOptions: {
      boost: { source: 3 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    },
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return (query, maxResults) =>
    index
      .search(query)
      .slice(0, maxResults)
      .map((hit) => ({
        source: String(hit["source"]),
        text: String(hit["text"]),
        score: hit.score / (hit.score + HALF),
      }));
}
