import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { attach, bytesWords, type Attached } from "../../src/web/ui/attachments.ts";

const text = (name: string, content: string): File => new File([content], name, { type: "text/plain" });
const png = (name: string, bytes: number): File =>
  new File([new Uint8Array(bytes).fill(7)], name, { type: "image/png" });

describe("files that go with a prompt", () => {
  it("takes images as base64 and everything else as text, and tells pasted ones apart", async () => {
    const first = await attach([], [png("image.png", 3), text("a.log", "ünï")]);
    const { attached, refused } = await attach(first.attached, [png("image.png", 3)]);
    expect(refused).toEqual([]);
    expect(attached).toEqual<readonly Attached[]>([
      {
        id: 1,
        name: "image.png",
        bytes: 3,
        attachment: { type: "image", media_type: "image/png", data: "BwcH", name: "image.png" },
      },
      { id: 2, name: "a.log", bytes: 5, attachment: { type: "text", text: "ünï", name: "a.log" } },
      {
        id: 3,
        name: "image-2.png",
        bytes: 3,
        attachment: { type: "image", media_type: "image/png", data: "BwcH", name: "image-2.png" },
      },
    ]);
  });

  it("encodes images of any length", async () => {
    const { attached } = await attach([], [png("large.png", 100_001)]);
    const [one] = attached;
    expect(one?.attachment.type === "image" && Buffer.from(one.attachment.data, "base64").length).toBe(100_001);
  });

  it.each<[string, File, string]>([
    ["binary files", new File([new Uint8Array([0xff, 0xfe, 0])], "a.bin"), "a.bin is neither an image nor text."],
    ["text with NUL", text("a.txt", "a\0b"), "a.txt is neither an image nor text."],
    [
      "images of other kinds",
      new File(["<svg/>"], "a.svg", { type: "image/svg+xml" }),
      "a.svg is not an image that models accept: PNG, JPEG, GIF or WebP.",
    ],
    ["large images", png("a.png", LIMITS.attachmentBytes + 1), "a.png is too large; an image may have 5 MB."],
    [
      "long texts",
      text("a.txt", "x".repeat(LIMITS.promptChars + 1)),
      "a.txt is too long; a text may have 1,000,000 characters.",
    ],
  ])("refuses %s and says why", async (_, file, words) => {
    expect(await attach([], [file])).toEqual({ attached: [], refused: [words] });
  });

  it("takes no more than a prompt may have", async () => {
    const files = Array.from({ length: LIMITS.attachmentsPerPrompt + 1 }, (_, index) => text(`${index}.txt`, "x"));
    const { attached, refused } = await attach([], files);
    expect(attached).toHaveLength(LIMITS.attachmentsPerPrompt);
    expect(refused).toEqual(["A prompt takes 20 attachments; 20.txt was left out."]);
  });

  it("takes no more than one request can carry", async () => {
    const { attached, refused } = await attach(
      [],
      Array.from({ length: 6 }, (_, index) => png(`${index}.png`, LIMITS.attachmentBytes)),
    );
    expect(attached).toHaveLength(4);
    expect(refused).toEqual([
      "4.png was left out: all attachments together would be too large to send.",
      "5.png was left out: all attachments together would be too large to send.",
    ]);
  });

  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_500, "2 kB"],
    [5_000_000, "5.0 MB"],
  ])("%i bytes are %s", (bytes, words) => {
    expect(bytesWords(bytes)).toBe(words);
  });
});
