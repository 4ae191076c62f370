const formula = (pattern: RegExp, type: string) => (source: string) => {
  const [raw, tex = ""] = pattern.exec(source) ?? [];
  return raw === undefined || tex.trim() === "" || /\n[ \t]*\n/.test(tex) ? undefined : { type, raw, tex: tex.trim() };
};
/** `$$x^2$$` as a formula; alone on its lines it is one that stands by itself. */
export const MATH = {
  renderers: {},
  childTokens: {},
  block: [formula(/^ {0,3}\$\$([^$]+)\$\$[ \t]*(?:\n|$)/, "display_math")],
  startBlock: [(source: string) => source.indexOf("\n$$")],
  inline: [formula(/^\$\$([^$]+)\$\$/, "inline_math")],
  startInline: [(source: string) => source.indexOf("$$")],
};
