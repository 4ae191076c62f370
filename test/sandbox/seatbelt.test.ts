import { expect, it } from "vitest";
import { seatbeltDriver, withPorts } from "../../src/sandbox/seatbelt/driver.ts";
import { seatbeltProfile } from "../../src/sandbox/seatbelt/profile.ts";

const NOTHING = { readable: [], writable: [], hidden: [], sockets: [], ports: [] };

it("denies what it does not name; a rule for a folder counts more than one for its parents", () => {
  const profile = seatbeltProfile({
    readable: ["/Users/a/node"],
    writable: ["/Users/a/work/.sallyport/engine", "/Users/a/work"],
    hidden: ["/Users/a/work/.sallyport"],
    sockets: ["/tmp/box/model"],
    ports: [50_123],
  });
  expect(profile.split("\n").filter((line) => /Users|tmp|network|default|setugid/.test(line))).toEqual([
    "(deny default)",
    '(allow file-read* (subpath "/Users/a/node"))',
    '(deny file-write* (subpath "/Users/a/node"))',
    '(allow file-read* file-write* (subpath "/Users/a/work"))',
    '(deny file-read* file-write* (subpath "/Users/a/work/.sallyport"))',
    '(allow file-read* file-write* (subpath "/Users/a/work/.sallyport/engine"))',
    "(deny file-write-setugid)",
    '(allow network-outbound (remote unix-socket (path-literal "/tmp/box/model")) (remote ip "localhost:50123"))',
  ]);
});

it("allows no network and no file of a person where nothing was given", () => {
  const profile = seatbeltProfile(NOTHING);
  expect(profile).not.toMatch(/network|Users|\/private\/var\/folders|\/tmp/);
  // Every list is closed.
  const count = (sign: string): number => profile.split(sign).length;
  expect(count("(")).toBe(count(")"));
});

it.each([
  ['/a/"b', '(subpath "/a/\\"b")'],
  ["/a/b\\", '(subpath "/a/b\\\\")'],
  ['/a/\\"))(allow default)', '(subpath "/a/\\\\\\"))(allow default)")'],
  ["/a/ü ;#|", '(subpath "/a/ü ;#|")'],
])("a path with signs of the language stays a path: %s", (path, wanted) => {
  const line = seatbeltProfile({ ...NOTHING, writable: [path] })
    .split("\n")
    .find((text) => text.startsWith("(allow file-read* file-write* "));
  expect(line).toBe(`(allow file-read* file-write* ${wanted})`);
});

it.each(["/a\nb", "/a\0b", "/a\u007Fb"])("a path that cannot be written is refused", (path) => {
  expect(() => seatbeltProfile({ ...NOTHING, hidden: [path] })).toThrowError(
    expect.objectContaining({ code: "unsupported" }),
  );
});

it("each sandbox has ports of its own, and programs are told them", () => {
  const forwards = [{ wanted: 3_128, port: 50_001 }];
  expect(withPorts({ HTTP_PROXY: "http://127.0.0.1:3128", OTHER: "127.0.0.1:31280", PLAIN: "3128" }, forwards)).toEqual(
    {
      HTTP_PROXY: "http://127.0.0.1:50001",
      OTHER: "127.0.0.1:31280",
      PLAIN: "3128",
    },
  );
});

it.skipIf(process.platform === "darwin")("elsewhere it says what it needs", async () => {
  expect(await seatbeltDriver({ marker: "m" }).missing()).toEqual({
    reason: "it needs macOS",
    remedy: "use the sandbox bubblewrap",
  });
});
