/** Signs that money and variables of a shell do not have. */
const SIGNS = /[\\^_={}+*<>]/;

const formula =
  ({ pattern, display }: { readonly pattern: RegExp; readonly display: boolean }) =>
  (source: string) => {
    const [raw, tex = ""] = pattern.exec(source) ?? [];
    return raw === undefined || tex.trim() === "" || /\n[ \t]*\n/.test(tex)
      ? undefined
      : { type: "math", raw, display, tex: tex.trim() };
  };

/** What stands between two single signs, close to both: `$x$`. Amounts of money (`$5 to $10`, `from $100 to 200$`) and `$HOME/$USER` are text. */
const short = formula({ pattern: /^\$(?![\s$])([^$\n]*[^\s$\\])\$(?![\w$])/, display: false });

const inLine = (source: string) => {
  const found = short(source);
  return found === undefined || (/^\d/.test(found.tex) && !SIGNS.test(found.tex)) ? undefined : found;
};

/** `$$x^2$$` and `$x^2$` as formulas; the former alone on its lines is one that stands by itself. */
export const MATH = {
  renderers: {},
  childTokens: {},
  block: [formula({ pattern: /^ {0,3}\$\$([^$]+)\$\$[ \t]*(?:\n|$)/, display: true })],
  inline: [formula({ pattern: /^\$\$([^$]+)\$\$/, display: false }), inLine],
  startInline: [(source: string) => source.search(/\$\$|(?<![\w\\])\$/)],
};
