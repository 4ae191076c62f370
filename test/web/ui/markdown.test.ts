import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { completed } from "../../../src/web/ui/markdown/completed.ts";
import { GrowingMarkdown } from "../../../src/web/ui/markdown/growing.ts";
import { MATH } from "../../../src/web/ui/markdown/math.ts";
import {
  blocksOf,
  MARKDOWN_LIMITS,
  markdownTree as treeOf,
  spokenText,
  webAddress,
  type MarkdownNode,
} from "../../../src/web/ui/markdown/tree.ts";
import { cpuTime } from "../../support/cpu-time.ts";

const markdownTree = (text: string) => treeOf(text, { breaks: true, math: MATH });

const p = (...children: readonly MarkdownNode[]): MarkdownNode => ({ tag: "p", children });
const br: MarkdownNode = { tag: "br", children: [] };
const link = (href: string, ...children: readonly MarkdownNode[]): MarkdownNode => ({ tag: "a", href, children });

describe("Markdown becomes a tree of known elements", () => {
  const cases: readonly (readonly [string, string, readonly MarkdownNode[]])[] = [
    [
      "words",
      "Some *soft*, **loud** and ~~gone~~ `code`.",
      [
        p(
          "Some ",
          { tag: "em", children: ["soft"] },
          ", ",
          { tag: "strong", children: ["loud"] },
          " and ",
          { tag: "del", children: ["gone"] },
          " ",
          { tag: "code", children: ["code"] },
          ".",
        ),
      ],
    ],
    [
      "headings",
      "# One\n\n### Three",
      [
        { tag: "h1", children: ["One"] },
        { tag: "h3", children: ["Three"] },
      ],
    ],
    ["a line is a line", "one\ntwo", [p("one", br, "two")]],
    ["a link to the web", "[a](https://a.example/x)", [p(link("https://a.example/x", "a"))]],
    ["an address as it is", "https://a.example", [p(link("https://a.example/", "https://a.example"))]],
    [
      "an image is a link, not a request",
      "![a cat](https://a.example/cat.png)",
      [p(link("https://a.example/cat.png", "[image: a cat]"))],
    ],
    ["an image from nowhere", "![x](data:image/png;base64,AA)", [p("[image: x]")]],
    ["code", "```js\na < b\n```", [{ tag: "pre", code: "a < b", language: "js" }]],
    ["code that is not finished", "```py\nx = 1", [{ tag: "pre", code: "x = 1", language: "py" }]],
    ["a strange language", '```"><script>\nx\n```', [{ tag: "pre", code: "x", language: "" }]],
    [
      "a list",
      "3. a\n4. b",
      [
        {
          tag: "ol",
          start: 3,
          children: [
            { tag: "li", children: ["a"] },
            { tag: "li", children: ["b"] },
          ],
        },
      ],
    ],
    [
      "tasks",
      "- [x] a",
      [{ tag: "ul", children: [{ tag: "li", children: [{ tag: "input", children: [], checked: true }, "a"] }] }],
    ],
    [
      "a quote and a line",
      "> a\n\n---",
      [
        { tag: "blockquote", children: [p("a")] },
        { tag: "hr", children: [] },
      ],
    ],
    [
      "a table",
      "|a|b|\n|-|-:|\n|1|2|",
      [
        {
          tag: "table",
          children: [
            {
              tag: "thead",
              children: [
                {
                  tag: "tr",
                  children: [
                    { tag: "th", children: ["a"] },
                    { tag: "th", align: "right", children: ["b"] },
                  ],
                },
              ],
            },
            {
              tag: "tbody",
              children: [
                {
                  tag: "tr",
                  children: [
                    { tag: "td", children: ["1"] },
                    { tag: "td", align: "right", children: ["2"] },
                  ],
                },
              ],
            },
          ],
        },
      ],
    ],
    ["a formula among words", "so $$x^2$$.", [p("so ", { tag: "math", tex: "x^2", display: false }, ".")]],
    [
      "short formulas",
      "It takes $O(n \\log n)$ ($2^n$), and **so** $t = \\sum_{i=1}^{n-1} r_i$.",
      [
        p(
          "It takes ",
          { tag: "math", tex: "O(n \\log n)", display: false },
          " (",
          { tag: "math", tex: "2^n", display: false },
          "), and ",
          { tag: "strong", children: ["so"] },
          " ",
          { tag: "math", tex: "t = \\sum_{i=1}^{n-1} r_i", display: false },
          ".",
        ),
      ],
    ],
    ...[
      "from $5 to $10, $3-$4, US$3 or $100 to 200$",
      "$HOME/$USER and a$b$c",
      "one $ and two $ signs",
      "$not\u00a0$ closed $",
    ].map((text): readonly [string, string, readonly MarkdownNode[]] => [`no formula: ${text}`, text, [p(text)]]),
    ["a formula by itself", "so\n\n$$\nx^2\n$$\n\nis", [p("so"), { tag: "math", tex: "x^2", display: true }, p("is")]],
    ["money is no formula", "$5 and $6, or $$", [p("$5 and $6, or $$")]],
    ["character references", "a &amp; b &lt; &#65;&#x42; &unknown;", [p("a & b < AB &unknown;")]],
  ];
  test.each(cases)("%s", (_, text, tree) => expect(markdownTree(text)).toEqual(tree));
});

describe("hostile text stays text", () => {
  const cases: readonly (readonly [string, readonly MarkdownNode[]])[] = [
    ["<script>alert(1)</script>", [p("<script>alert(1)</script>")]],
    ["a <img src=x onerror=alert(1)> b", [p("a ", "<img src=x onerror=alert(1)>", " b")]],
    ["[x](javascript:alert(1))", [p("x")]],
    ["[x](JaVaScRiPt:alert(1))", [p("x")]],
    ["[x](&#106;avascript:alert(1))", [p("x")]],
    ["[x](data:text/html,hi)", [p("x")]],
    ["[x](//evil.example)", [p("x")]],
    ["[x](file:///etc/passwd)", [p("x")]],
    ["a@b.example", [p("a@b.example")]],
    ["<javascript:alert(1)>", [p("javascript:alert(1)")]],
  ];
  test.each(cases)("%s", (text, tree) => expect(markdownTree(text)).toEqual(tree));

  test.each(["_a", "[", "![](", "*", "**a ", "<a ", "`", "> ", "- ", "|a", "\\", "&#", "$$", "$$a", "\n$$", "\n$$   "])(
    "%s, very often, is read in little time",
    (piece) => {
      const begun = cpuTime();
      markdownTree(piece.repeat(50_000));
      expect(cpuTime() - begun).toBeLessThan(2_000);
    },
  );

  test("text nested too deep to be shown is shown as written", () => {
    const depth = (tree: MarkdownNode): number =>
      typeof tree === "string" || tree.tag === "pre" || tree.tag === "math"
        ? 1
        : 1 + Math.max(0, ...tree.children.map(depth));
    expect(Math.max(...markdownTree(`${"> ".repeat(200)}deep`).map(depth))).toBeLessThan(MARKDOWN_LIMITS.depth + 6);
    expect(markdownTree(`${"> ".repeat(200)}deep`)).toEqual([p(`${"> ".repeat(200)}deep`)]);
    expect(markdownTree(">".repeat(100_000))).toHaveLength(1);
  });

  test("more boxes of a task list than anybody writes are text", () => {
    const boxes = (count: number): string => "- [ ] a\n".repeat(count);
    expect(markdownTree(boxes(MARKDOWN_LIMITS.boxes))).toMatchObject([{ tag: "ul" }]);
    expect(markdownTree(boxes(MARKDOWN_LIMITS.chars / 8))).toMatchObject([{ tag: "p" }]);
  });

  test("a text of more than the limit is plain", () => {
    const text = "**x** ".repeat(MARKDOWN_LIMITS.chars / 6 + 1);
    expect(markdownTree(text)).toEqual([p(text)]);
  });

  test("no text makes it fail, and every link goes to the web", () => {
    const piece = fc.constantFrom(
      "*",
      "_",
      "`",
      "```",
      "[",
      "](",
      ")",
      "![",
      "<",
      ">",
      "\n",
      "\n\n",
      "- ",
      "1. ",
      "|",
      "#",
      "&",
      "javascript:",
      "https://a.b",
      "$$",
      " ",
      "a",
    );
    const links = (tree: MarkdownNode): readonly string[] =>
      typeof tree === "string" || tree.tag === "pre" || tree.tag === "math"
        ? []
        : [...(tree.href === undefined ? [] : [tree.href]), ...tree.children.flatMap(links)];
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join("");
        expect(
          markdownTree(text)
            .flatMap(links)
            .filter((href) => !/^https?:/.test(href)),
        ).toEqual([]);
        // Nothing of the text is skipped: the blocks are as long as it is, where no line end was added.
        expect(blocksOf(text).reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(text.length);
      }),
      { seed: 6, numRuns: 2_000 },
    );
  });
});

describe("what a listener hears", () => {
  test.each([
    ["**Bold** and `code` and [a link](https://example.org).", "Bold and code and a link."],
    ["# Title\n\nText\n\n- one\n- two", "Title\nText\none\ntwo"],
    ["| a | b |\n| --- | --- |\n| 1 | 2 |", "a\nb\n1\n2"],
    ["```js\nlet a = 1;\n```", "let a = 1;"],
    ["", ""],
  ])("%j: %j", (text, words) => expect(spokenText(text)).toBe(words));
});

describe("a text that grows", () => {
  const TEXT =
    "# Head\r\n\r\nSome **bold** and [a](https://a.example/)\n\n- one\n- two\n\n```js\nlet a;\n```\n\nEnd [ref].\n\n[ref]: https://b.example/\n";

  test("is at its end what it is when it is read at once; finished blocks stay what they are", () => {
    const growing = new GrowingMarkdown({ complete: completed });
    let before = growing.update("", "growing");
    for (let end = 1; end <= TEXT.length; end += 1) {
      const blocks = growing.update(TEXT.slice(0, end), "growing");
      const same = before.filter((block, index) => block === blocks[index]).length;
      expect(same).toBeGreaterThanOrEqual(before.filter(({ tree }) => tree.length > 0).length - 1);
      before = blocks;
    }
    const done = growing.update(TEXT, "done");
    expect(done.flatMap(({ tree }) => tree)).toEqual(treeOf(TEXT));
    expect(growing.update(TEXT, "done")).toBe(done);
  });

  test.each([
    ["so **bo", [p("so ", { tag: "strong", children: ["bo"] })]],
    ["see [the pa", [p("see ", "the pa")]],
    ["see [it](https://a.exa", [p("see ", "it")]],
    ["run `ls", [p("run ", { tag: "code", children: ["ls"] })]],
    ["```js\nlet **a", [{ tag: "pre", code: "let **a", language: "js" }]],
    ["2 ** 3\n\nThen", [p("2 ** 3"), p("Then")]],
  ])("what is open is shown closed: %j", (text, tree) => {
    const read = (state: "growing" | "done") =>
      new GrowingMarkdown({ complete: completed }).update(text, state).flatMap((block) => block.tree);
    expect(read("growing")).toEqual(tree);
    expect(read("done")).toEqual(treeOf(text));
  });
});

test.each([
  ["https://example.org/a", "https://example.org/a"],
  ["http://example.org", "http://example.org/"],
  ["javascript:alert(1)", undefined],
  ["data:text/html,x", undefined],
  ["/relative", undefined],
])("a link to %s", (href, expected) => {
  expect(webAddress(href)).toBe(expected);
});
