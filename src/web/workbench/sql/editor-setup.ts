import {
  acceptCompletion,
  autocompletion,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { PostgreSQL, sql, SQLDialect, SQLite } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { Prec, StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { suggestSql } from "./completion.ts";
import type { ErrorPlace } from "./sql-error.ts";
import type { ListedTable, SqlSource } from "./sources.ts";
import { DUCKDB_FUNCTIONS, DUCKDB_KEYWORDS, FUNCTIONS, KEYWORDS, TYPES } from "./words.ts";

const INDENT = "  ";
const small = (words: readonly string[]): string => words.join(" ").toLowerCase();

const DUCKDB = SQLDialect.define({
  keywords: small([...KEYWORDS, ...DUCKDB_KEYWORDS]),
  builtin: small([...FUNCTIONS, ...DUCKDB_FUNCTIONS]),
  types: small(TYPES),
  doubleDollarQuotedStrings: true,
});
const DIALECTS: Readonly<Record<SqlSource["kind"], SQLDialect>> = {
  page: DUCKDB,
  postgres: PostgreSQL,
  sqlite: SQLite,
};

/** What the editor asks of the pane, as it is at that time. */
export interface EditorLinks {
  readonly run: () => void;
  readonly change: (text: string) => void;
  readonly tables: () => readonly ListedTable[];
}

/** Where a query is wrong; undefined: nowhere. */
export const markError = StateEffect.define<ErrorPlace | undefined>();

const errorMark = Decoration.mark({ tagName: "mark", class: "cm-wrong" });

const errorField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, transaction) => {
    const told = transaction.effects.find((effect) => effect.is(markError));
    if (told !== undefined) return marked(transaction.state, told.value);
    return transaction.docChanged ? Decoration.none : before;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** From the place where it is wrong to the end of the word. */
function marked({ doc }: EditorState, place: ErrorPlace | undefined): DecorationSet {
  if (place === undefined) return Decoration.none;
  const offset = Math.min(place.offset, doc.length);
  const rest = doc.sliceString(offset);
  const length = /^[\p{L}\p{N}_]+|^"[^"\n]*"?|^[^\n]/u.exec(rest)?.[0].length ?? 0;
  // At the end of the text the character before it stands for what is missing.
  const from = length === 0 ? Math.max(0, offset - 1) : offset;
  const to = length === 0 ? offset : offset + length;
  return from === to ? Decoration.none : Decoration.set([errorMark.range(from, to)]);
}

const COLOURS = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, color: "var(--info)", fontWeight: "600" },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--ok)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--accent)" },
    { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--info)" },
    { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  ]),
);

const LOOK = EditorView.theme({
  "&": { flex: "1", minWidth: "0", fontSize: "13px", backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono, monospace)", lineHeight: "20px" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  // Chromium writes the look of what was replaced onto the line that takes its place.
  ".cm-line": { padding: "0 8px", color: "var(--ink) !important", fontWeight: "normal !important" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--faint)", borderRight: "1px solid var(--line)" },
  ".cm-wrong": {
    backgroundColor: "var(--bad-soft)",
    color: "inherit",
    textDecoration: "underline wavy 2px var(--bad)",
    textUnderlineOffset: "4px",
  },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection": {
    backgroundColor: "var(--accent-soft)",
  },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--accent-soft)",
    outline: "1px solid var(--line-strong)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "8px",
    overflow: "hidden",
    boxShadow: "0 8px 24px rgb(0 0 0 / 25%)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono, monospace)", maxHeight: "14rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--ink)" },
  ".cm-completionDetail": { color: "var(--faint)", fontStyle: "normal", marginLeft: "1rem" },
});

function completions(links: EditorLinks, kind: SqlSource["kind"]) {
  return (context: CompletionContext): CompletionResult | null => {
    const { name } = syntaxTree(context.state).resolveInner(context.pos, -1);
    if (name === "String" || name === "LineComment" || name === "BlockComment") return null;
    const found = suggestSql(context.state.doc.toString(), context.pos, {
      tables: links.tables(),
      isPage: kind === "page",
      isAsked: context.explicit,
    });
    if (found === undefined) return null;
    const options = found.options.map(({ label, apply, type, detail }) => ({
      label,
      apply,
      type,
      boost: BOOSTS[type],
      ...(detail === undefined ? {} : { detail }),
    }));
    return { from: found.from, options, filter: true };
  };
}

/** What is in the data comes before the words of the language. */
const BOOSTS = { column: 20, table: 15, function: 5, keyword: 0, type: -5 } as const;

/** With several lines chosen they move; else two spaces are written. */
const indent = (view: EditorView): boolean => {
  if (acceptCompletion(view)) return true;
  if (!view.state.selection.main.empty) return indentMore(view);
  view.dispatch(view.state.replaceSelection(INDENT));
  return true;
};

export function editorSetup(
  links: EditorLinks,
  about: { readonly kind: SqlSource["kind"]; readonly hint: string; readonly nonce: string },
): Extension {
  const { kind, hint, nonce } = about;
  const run = (): boolean => {
    links.run();
    return true;
  };
  return [
    EditorView.cspNonce.of(nonce),
    lineNumbers(),
    history(),
    bracketMatching(),
    indentUnit.of(INDENT),
    sql({ dialect: DIALECTS[kind] }).language,
    autocompletion({ override: [completions(links, kind)], icons: false, interactionDelay: 0 }),
    errorField,
    COLOURS,
    LOOK,
    Prec.highest(
      keymap.of([
        { key: "Mod-Enter", run },
        { key: "Ctrl-Enter", run },
      ]),
    ),
    keymap.of([
      ...completionKeymap,
      { key: "Tab", run: indent, shift: indentLess },
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.contentAttributes.of({
      "aria-label": "SQL",
      // Scrolled by keys where the text is longer than the field.
      tabindex: "0",
      "aria-describedby": hint,
      spellcheck: "false",
      autocapitalize: "off",
      autocorrect: "off",
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) links.change(update.state.doc.toString());
    }),
  ];
}
