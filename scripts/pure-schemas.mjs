/** The beginning of a definition at the top of a module. */
const DEFINITIONS = new Set(["VariableDeclaration", "ExportNamedDeclaration"]);
/** What a schema, or the fields of several, is written as. */
const MADE = new Set(["CallExpression", "ObjectExpression", "ArrayExpression"]);

/**
 * A part of the build of the web pages: a schema that no page asks is left out. To a bundler each call may do something, so it keeps those of
 * zod, and makes them when the page is opened. In files that only define things none does: each definition with one is marked as free of effects.
 * @param {(id: string) => boolean} isPlain Files that only define things.
 * @returns {import("vite").Plugin}
 */
export function pureSchemas(isPlain) {
  return {
    name: "pure-schemas",
    apply: "build",
    enforce: "post",
    transform(code, id) {
      if (!isPlain(id) || !/\bz\./.test(code)) return null;
      /** @type {{ start: number, end: number }[]} */
      const found = [];
      for (const statement of this.parse(code).body) {
        if (!DEFINITIONS.has(statement.type)) continue;
        const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
        if (declared?.type !== "VariableDeclaration") continue;
        for (const { init } of declared.declarations)
          if (init !== null && MADE.has(init.type) && /\bz\./.test(code.slice(init.start, init.end))) found.push(init);
      }
      let changed = code;
      for (const { start, end } of found.toReversed())
        changed = `${changed.slice(0, start)}/* @__PURE__ */ (() => (${changed.slice(start, end)}))()${changed.slice(end)}`;
      return { code: changed, map: null };
    },
  };
}
