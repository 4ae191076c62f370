import { describe, expect, test } from "vitest";
import { fileName } from "../../../../src/web/workbench/app/file-name.ts";
import { svgOf, type PictureBox } from "../../../../src/web/workbench/app/picture/boxes.ts";
import { pictureScale } from "../../../../src/web/workbench/app/picture/save.ts";

const at = { x: 1.234, y: 2, width: 30, height: 16 };
const font = { family: "Inter, sans-serif", size: 12, weight: "400" };
const svg = (...boxes: readonly PictureBox[]): string =>
  svgOf({ width: 200, height: 100, background: "rgb(255, 255, 255)", title: "A & B", boxes });

describe("a picture as SVG", () => {
  test("has its size, its title and its parts in their order", () => {
    expect(
      svg(
        { ...at, kind: "fill", fill: "rgb(1, 2, 3)", radius: 2 },
        { ...at, kind: "text", text: "<b>", fill: "red", font },
      ),
    ).toBe(
      [
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100">',
        "<title>A &amp; B</title>",
        '<rect width="100%" height="100%" fill="rgb(255, 255, 255)"/>',
        '<rect x="1.23" y="2" width="30" height="16" rx="2" fill="rgb(1, 2, 3)"/>',
        '<text x="1.23" y="14.32" fill="red" font-family="Inter, sans-serif" font-size="12" font-weight="400" xml:space="preserve">&lt;b&gt;</text>',
        "</svg>\n",
      ].join("\n"),
    );
  });

  test("what a parent hides is clipped, and a scale of colours is a gradient", () => {
    const made = svg(
      { ...at, kind: "text", text: "long", fill: "red", font, clip: { x: 0, y: 0, width: 9, height: 9 } },
      { ...at, kind: "gradient", gradient: "linear-gradient(to top, rgb(1, 1, 1), rgb(2, 2, 2) 50%, #fff)", radius: 0 },
    );
    expect(made).toContain('<clipPath id="clip0"><rect x="0" y="0" width="9" height="9"/></clipPath>');
    expect(made).toContain('<g clip-path="url(#clip0)"><text');
    expect(made).toContain(
      '<linearGradient id="gradient1" x1="0" y1="1" x2="0" y2="0"><stop offset="0" stop-color="rgb(1, 1, 1)"/><stop offset="0.5" stop-color="rgb(2, 2, 2)"/><stop offset="1" stop-color="#fff"/></linearGradient>',
    );
  });

  test("a text cannot leave its place, whatever is in it", () => {
    const made = svg({ ...at, kind: "text", text: '</text><script>"\u0000', fill: '"/><script>', font });
    expect(made).not.toContain("<script>");
    expect(made).not.toContain("\u0000");
  });

  test("is twice as fine as the screen, and bounded", () => {
    expect(pictureScale({ width: 800, height: 600 })).toBe(2);
    expect(pictureScale({ width: 16_384, height: 10 })).toBe(0.5);
  });
});

describe("the name of a file", () => {
  test.each([
    ["Histogram of AGE", "Histogram of AGE"],
    ["a/b\\c:d?*", "a b c d"],
    ["...", "picture"],
    ["x".repeat(300), "x".repeat(100)],
  ])("%j", (title, name) => expect(fileName(title)).toBe(name));
});
