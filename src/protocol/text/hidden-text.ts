/**
 * Characters that a person does not see, or mistakes for others. Found by Unicode property, so that new ones are
 * included. A command or a path is read strictly. In a file or a message, characters of ordinary writing are allowed.
 */
export type TextKind = "command" | "content";

/** No width, no ink, or an effect on the order and position of others. Tabs and line ends are visible. */
const HIDDEN = String.raw`\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Variation_Selector}\p{Cf}\p{Cs}\p{Zl}\p{Zp}`;
/** Blank letters and signs that no property marks: Braille, Khitan and hieroglyphic blanks, an empty note head. */
const BLANK = String.raw`\u2800\uFFFC\u{16FE4}\u{13441}\u{13442}\u{1D159}`;
const CONTROLS = String.raw`\u0000-\u0008\u000B-\u001F\u007F-\u009F`;

const HIDDEN_CONTENT = new RegExp(`[${HIDDEN}${BLANK}${CONTROLS}]`, "gu");
/** Also every blank except the space, unassigned characters, and accents without a letter. */
const HIDDEN_COMMAND = new RegExp(
  String.raw`[${HIDDEN}${BLANK}${CONTROLS}\p{Co}\p{Cn}]|(?! )\p{Zs}|(?<![\p{L}\p{M}\p{N}])\p{M}`,
  "gu",
);

/** What joins into one sign in ordinary writing: emoji, flags, ligatures of Indic and Arabic scripts, Mongolian and Han variants. */
const ORDINARY = new RegExp(
  [
    String.raw`(?<=\p{Emoji})\uFE0F`,
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})`,
    String.raw`(?<=\p{Extended_Pictographic})\uFE0E`,
    String.raw`(?<=\u{1F3F4}[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{0,6})[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}\u{E007F}]`,
    String.raw`(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}])[\u200C\u200D]`,
    String.raw`(?<=\p{Script=Mongolian})[\u180B-\u180D\u180F]`,
    String.raw`(?<=\p{Script=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
    String.raw`\r(?=\n)|\f|^\uFEFF`,
  ].join("|"),
  "gu",
);

/** How a hidden character is shown: `⟨U+3164⟩`. */
export function codeName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The hidden characters of a text, each once, in their order. */
export function hiddenCharacters(text: string, kind: TextKind): readonly string[] {
  const found = new Set<string>();
  eachHidden(text, kind, (character) => {
    found.add(character);
    return character;
  });
  return [...found];
}

/** The text with every hidden character spelled out. */
export function showHidden(text: string, kind: TextKind): string {
  return eachHidden(text, kind, (character) => `⟨${codeName(character)}⟩`);
}

/** JSON with every hidden character escaped, so that it is visible and means the same. */
export function escapeHidden(json: string): string {
  return eachHidden(json, "command", (character) => character.split("").map(escapeOf).join(""));
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const PLAIN = /^[\t\n\u0020-\u007E]*$/;

function eachHidden(text: string, kind: TextKind, replace: (character: string) => string): string {
  if (PLAIN.test(text)) return text;
  if (kind === "command") return text.replace(HIDDEN_COMMAND, replace);
  const ordinary = new Set<number>();
  for (const match of text.matchAll(ORDINARY)) ordinary.add(match.index);
  return text.replace(HIDDEN_CONTENT, (character, at: number) => (ordinary.has(at) ? character : replace(character)));
}

/** Letters of other scripts that look like Latin ones. */
const LATIN_LOOKING = String.raw`асеорхуіјѕһԁԛԝӏѵꙇАВСЕНІЈКМОРЅТХУҮԌԚԜӀαικνορτυχγϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿոսօհցզՕՏԼ`;
/** Scripts with many such letters. */
const NEAR_LATIN = String.raw`\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Deseret}\p{Script=Osage}\p{Script=Old_Italic}\p{Script=Carian}\p{Script=Lycian}\p{Script=Lydian}\p{Script=Elbasan}\p{Script=Vithkuqi}\p{Script=Tai_Le}\p{Script=Tifinagh}\p{Script=Canadian_Aboriginal}\p{Script=Ethiopic}\p{Script=Vai}\p{Script=Bamum}\p{Script=Warang_Citi}`;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /[\p{Script=Latin}_\d]/u;
const OTHER_LETTERS = new RegExp(String.raw`[${NEAR_LATIN}\p{Script=Greek}]`, "gu");
const MIXED = new RegExp(
  String.raw`[A-Za-z\d_]\p{M}*[${NEAR_LATIN}\p{Script=Greek}]|[${NEAR_LATIN}\p{Script=Greek}]\p{M}*[A-Za-z\d_]|[\u00C0-\u024F]\p{M}*[${NEAR_LATIN}\p{Script=Greek}]|[${NEAR_LATIN}\p{Script=Greek}]\p{M}*[\u00C0-\u024F]`,
  "u",
);
const LOOKS_LATIN = new RegExp(`^[${LATIN_LOOKING}]+$`, "u");
const STRICT_MIX = new RegExp(`[${NEAR_LATIN}${LATIN_LOOKING}]`, "u");
/** Phonetic letters: `ɡ`, `ɑ`, small capitals. */
const PHONETIC =
  /[A-Za-z][\u0250-\u02AF\u1D00-\u1D7F\uA730-\uA787\uA78B-\uA7FF]|[\u0250-\u02AF\u1D00-\u1D7F\uA730-\uA787\uA78B-\uA7FF][A-Za-z]/u;
/** Digits of other scripts beside Latin letters: `te०t`. */
const OTHER_DIGIT = /[A-Za-z](?![\d])\p{Nd}|(?![\d])\p{Nd}[A-Za-z]/u;
/** Signs that look like `/`, `\`, `:`, `;`, `!`, `|`, `*`, `~`, `<`, `>`, `-`, and dashes at the start of an option. */
const SIGNS =
  /(?<=^|\s)(?![-])[\p{Pd}\u2212][A-Za-z]|[\u2044\u2215\u29F8\u2571\u2216\u29F5\u037E\u0589\u05C3\u2236\uA789\u01C3\u01C0\u2223\u23AE\u23D0\u2217\u204E\u223C\u2053\u2039\u203A\u2010\u2011]|\u2212(?=[A-Za-z])|(?<=\s)\u2502(?=\s)/u;
/** Marks that look like the quotes of a shell and quote nothing. */
const QUOTES = /[\u2018-\u201F\u2032-\u2037\u02B9\u02BA\u02BC\u02C8\u00B4\u201A\u201E\uA78C]/u;
const SEEMS_QUOTED =
  /[\u2018-\u201F\u2032-\u2037\u02B9\u02BA\u02BC\u02C8\u00B4\uA78C][^\u2018-\u201F\u2032-\u2037\u02B9\u02BA\u02BC\u02C8\u00B4\uA78C'"]*[\s;&|<>$`(*?]/uy;
const ORDINAL = /[ªº]/u;

/** The first word that is not what it seems; undefined: none. */
export function lookAlike(text: string, kind: TextKind): string | undefined {
  if (PLAIN.test(text)) return undefined;
  // Fast path: ordinary text in another script is long and contains nothing mixed.
  if (kind === "content" && !MIXED.test(text)) return undefined;
  const foreign = kind === "command" ? (text.match(OTHER_LETTERS) ?? []) : [];
  // Russian or Greek text has letters that no Latin reader mistakes; without any, it is Latin in disguise.
  const disguised = foreign.length > 0 && LOOKS_LATIN.test(foreign.join(""));
  for (const [word] of text.matchAll(WORD)) {
    if (PLAIN.test(word)) continue;
    const others = word.match(OTHER_LETTERS)?.join("") ?? "";
    if (
      others !== "" &&
      LATIN.test(word) &&
      (LOOKS_LATIN.test(others) || (kind === "command" && STRICT_MIX.test(word)))
    )
      return word;
    if (kind === "content") continue;
    if (disguised && LOOKS_LATIN.test(word)) return word;
    if (PHONETIC.test(word) || OTHER_DIGIT.test(word)) return word;
  }
  if (kind === "content") return undefined;
  for (const character of text) {
    if (character > "\u007F" && isAsciiInDisguise(character)) return character;
  }
  return SIGNS.exec(text)?.[0].trim() ?? openingQuote(text);
}

/** `-m “a; b”`: what seems to be quoted is not. Within quotes of the shell, and around a single word, it is ordinary writing. */
function openingQuote(text: string): string | undefined {
  let quote = "";
  let before = " ";
  let at = 0;
  for (const character of text) {
    const isEscaped = before === "\\" && quote !== "'";
    if (quote === "" && QUOTES.test(character) && /[\s=({;|&]/.test(before) && fitsAt(SEEMS_QUOTED, text, at))
      return character;
    if (!isEscaped && quote === "" && (character === "'" || character === '"')) quote = character;
    else if (!isEscaped && character === quote) quote = "";
    before = isEscaped ? "" : character;
    at += character.length;
  }
  return undefined;
}

function fitsAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

/** `ｒ`, `𝐫`, `ⅼ`, `；`: another way to write one ASCII character. Superscript and circled numbers are fine. */
function isAsciiInDisguise(character: string): boolean {
  if (/^[\p{No}\p{Zs}]$/u.test(character) || ORDINAL.test(character)) return false;
  return /^[!-~]$/.test(character.normalize("NFKC"));
}

/** Letters of scripts that are written from right to left. */
const LEFTWARD = String.raw`\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Mende_Kikakui}\p{Script=Hanifi_Rohingya}\p{Script=Phoenician}\p{Script=Imperial_Aramaic}\p{Script=Old_Turkic}\p{Script=Cypriot}`;
/** Such a letter, and another one or a number behind a sign or a space: the two, and what is between, are drawn in the other order. */
const REORDERED = new RegExp(
  String.raw`(?=\p{L})[${LEFTWARD}]\p{M}*(?:\p{Nd}|[^\p{L}\p{M}]+(?:(?<=\p{Nd})|(?=\p{L})[${LEFTWARD}]))`,
  "u",
);

/** Warnings about a text, one sentence each; `what` names it. */
export function textWarnings(what: string, text: string, kind: TextKind): readonly string[] {
  const hidden = hiddenCharacters(text, kind);
  const fooling = lookAlike(text, kind);
  return [
    ...(hidden.length === 0
      ? []
      : [`${what} holds invisible characters (${listed(hidden)}): it may differ from what you see.`]),
    ...(fooling === undefined
      ? []
      : [
          `${what} holds letters that look like others: ${showHidden(fooling, "command")} (${listed([...new Set(fooling)].filter((character) => character > "\u007F"))}).`,
        ]),
    ...(isReordered(text, kind)
      ? [
          `${what} holds words that are written from right to left: screens may show them and what is between in another order.`,
        ]
      : []),
  ];
}

/** Whether a command or a path has parts that are shown in another order than they stand: in a line of Latin letters, others run against it. */
function isReordered(text: string, kind: TextKind): boolean {
  return kind === "command" && !PLAIN.test(text) && /\p{Script=Latin}/u.test(text) && REORDERED.test(text);
}

/** Whether nothing in a text is hidden, disguised or shown in another order. */
export function isPlainToSee(text: string, kind: TextKind): boolean {
  return hiddenCharacters(text, kind).length === 0 && lookAlike(text, kind) === undefined && !isReordered(text, kind);
}

const MOST_NAMED = 5;

function listed(characters: readonly string[]): string {
  const names = characters.slice(0, MOST_NAMED).map(codeName).join(", ");
  return characters.length > MOST_NAMED ? `${names}, …` : names;
}
