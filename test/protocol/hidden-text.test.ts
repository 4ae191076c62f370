import { describe, expect, test } from "vitest";
import {
  codeName,
  hiddenCharacters,
  isPlainToSee,
  lookAlike,
  showHidden,
  textWarnings,
} from "../../src/protocol/index.ts";

/** Every code point that Unicode itself calls invisible, and neighbours that only look so. */
const INVISIBLE = [
  0x0000, 0x001b, 0x000d, 0x007f, 0x0085, 0x009b, 0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b,
  0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2061, 0x2064, 0x2065,
  0x2066, 0x2069, 0x206a, 0x206f, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff0, 0xfff9, 0xfffc, 0xfffb,
  0x13430, 0x13441, 0x16fe4, 0x1bca0, 0x1d159, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef, 0xe0fff,
];
/** Blanks that are not the space. */
const BLANKS = [0x00a0, 0x1680, 0x2000, 0x2003, 0x2007, 0x2009, 0x200a, 0x202f, 0x205f, 0x3000];

describe("invisible characters", () => {
  test.each(
    [...INVISIBLE, ...BLANKS].map((code) => [codeName(String.fromCodePoint(code)), String.fromCodePoint(code)]),
  )("%s is named in a command", (name, character) => {
    const command = `node build.js${character}x`;
    expect([hiddenCharacters(command, "command"), showHidden(command, "command")]).toEqual([
      [character],
      `node build.js⟨${name}⟩x`,
    ]);
  });

  test.each(INVISIBLE.map((code) => [codeName(String.fromCodePoint(code)), String.fromCodePoint(code)]))(
    "%s is named in a file",
    (_name, character) => expect(hiddenCharacters(`let a${character}= 1;`, "content")).toEqual([character]),
  );

  test("no character without ink passes in a command, whatever its number", () => {
    const missed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const unseen = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/u.test(
        character,
      );
      if (unseen && !" \t\n".includes(character) && showHidden(character, "command") === character)
        missed.push(codeName(character));
    }
    expect(missed).toEqual([]);
  });
});

describe("words from right to left", () => {
  test.each([
    ["cp א ב", true],
    ["mv ./א/1 ./ב/2", true],
    ["rm 'א 5'", true],
    ["cp تقرير/قديم x", true],
    ["echo א && rm -rf b", false],
    ["cat א.txt ב.txt", false],
    ["cat تقرير.txt", false],
    ["git commit -m 'שָׁלוֹם'", false],
  ])("%s", (command, isTold) => {
    const [told] = textWarnings("The command", command, "command");
    expect([told?.includes("from right to left") ?? false, isPlainToSee(command, "command")]).toEqual([
      isTold,
      !isTold,
    ]);
    expect(textWarnings("The file", command, "content")).toEqual([]);
  });
});

describe("ordinary writing", () => {
  test.each([
    "naïve café, Größe, ŝ, Łódź, Đặng, İstanbul sınıf, œuvre",
    "cafe\u0301 decomposed",
    "Привет, мир: запусти тесты",
    "Καλημέρα κόσμε",
    "日本語のテスト、漢字",
    "한국어 문장",
    "مرحبا بالعالم",
    "שלום עולם",
    "हिन्दी में लिखा",
    "5 μm, Δt = 3 s, σ², kΩ, 20 °C, π",
    "a – b — c … “quoted” ‘text’ ™ ½ x²",
    "1º de mayo, 2ª",
    "git commit -m 'say “a; b” and don’t'",
    'git commit -m "don’t; and ‘so on; so’ – x"',
  ])("%s", (text) => {
    expect([isPlainToSee(text, "command"), isPlainToSee(text, "content"), showHidden(text, "content")]).toEqual([
      true,
      true,
      text,
    ]);
  });

  test.each([
    "👍🏽 👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "می\u200cخواهم",
    "क\u094d\u200dष",
    "non\u00a0breaking and 全角\u3000space",
    "line\r\nline\r\n",
    "\ufeffbyte order mark",
  ])("is fine in a file, not in a command: %j", (text) => {
    expect([isPlainToSee(text, "content"), isPlainToSee(text, "command")]).toEqual([true, false]);
  });

  test.each(["a\ufe0f", "let\u200d", "x\ufeffy", "\u{e0061}", "a\rb"])(
    "the same marks elsewhere are named: %j",
    (text) => expect(isPlainToSee(text, "content")).toBe(false),
  );
});

describe("look-alikes", () => {
  test.each([
    ["nоde build.js", "nоde"],
    ["cat /etc/раsswd", "раsswd"],
    ["cp сор x", "сор"],
    ["ls ѕrс/app.ts", "ѕrс"],
    ["git рush", "рush"],
    ["rm Αlpha", "Αlpha"],
    ["ｒｍ x", "ｒ"],
    ["𝐫𝐦 x", "𝐫"],
    ["ⅼs", "ⅼ"],
    ["cat docs∕x", "∕"],
    ["ls ；rm", "；"],
    ["ls \u037e rm", "\u037e"],
    ["rm ‐rf x", "‐r"],
    ["rm –rf x", "–r"],
    ["ɡit push", "ɡit"],
    ["Ꮯargo build", "Ꮯargo"],
    ["npm run te‐st", "‐"],
    ["npm run te‑st", "‑"],
    ["rm a−b", "−"],
    ["rm a∖b", "∖"],
    ["rm ∗", "∗"],
    ["ls ∼/x", "∼"],
    ["cat a ‹ b", "‹"],
    ["ls │ rm", "│"],
    ["npm run teꜱt", "teꜱt"],
    ["npm run te०t", "te०t"],
    ["npm run tᥱst", "tᥱst"],
    ["git commit -m “fix; rm -rf build”", "“"],
    ["git commit -m ‘fix && rm -rf build’", "‘"],
    ["rm “my file”", "“"],
  ])("%s: %s", (command, word) => expect(lookAlike(command, "command")).toBe(word));

  test.each([
    ["const аdmin = true;", "аdmin"],
    ["if (isΑdmin) {}", "isΑdmin"],
  ])("in a file, %s: %s", (text, word) => expect(lookAlike(text, "content")).toBe(word));

  test.each(["кнопка OK", "React-компонент", "PDFка", "μm", "λx", "Δt"])("in a file, not %s", (text) =>
    expect(lookAlike(text, "content")).toBe(undefined),
  );
});
