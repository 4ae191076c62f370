const formula =
  ({ pattern, display }: { readonly pattern: RegExp; readonly display: boolean }) =>
  (source: string) => {
    const [raw, tex = ""] = pattern.exec(source) ?? [];
    return raw === undefined || tex.trim() === "" || /\n[ \t]*\n/.test(tex)
      ? undefined
      : { type: "math", raw, display, tex: tex.trim() };
  };
/** `$$x^2$$` as a formula; alone on its lines it is one that stands by itself. */
export const MATH = {
  renderers: {},
  childTokens: {},
  block: [formula({ pattern: /^ {0,3}\$\$([^$]+)\$\$[ \t]*(?:\n|$)/, display: true })],
  inline: [formula({ pattern: /^\$\$([^$]+)\$\$/, display: false })],
  startInline: [(source: string) => source.indexOf("$$")],
};
