import { describe, expect, it } from "vitest";
import { FuseError, numberOf } from "../../src/fuse/errno.ts";
import { HandleTable } from "../../src/fuse/handles.ts";
import { parseMountLine } from "../../src/fuse/mounting.ts";
import { NodeTable } from "../../src/fuse/nodes.ts";

describe("nodes", () => {
  it("keeps a node as long as the kernel remembers it, and never uses a number twice", () => {
    const nodes = new NodeTable(10);
    const folder = nodes.look(1, "sessions");
    expect([folder, nodes.look(1, "sessions"), nodes.path(folder), nodes.look(folder, "a")]).toEqual([
      2,
      2,
      "/sessions",
      3,
    ]);
    nodes.forget(folder, 1);
    expect(nodes.path(folder)).toBe("/sessions");
    nodes.forget(folder, 1);
    expect(() => nodes.path(folder)).toThrow(new FuseError("ESTALE"));
    expect([nodes.look(1, "sessions"), nodes.path(3), nodes.size]).toEqual([4, "/sessions/a", 3]);
  });

  it("never forgets the root", () => {
    const nodes = new NodeTable(10);
    nodes.forget(1, 100);
    expect(nodes.path(1)).toBe("/");
  });

  it("has a bound, and says which names could go", () => {
    const nodes = new NodeTable(4);
    nodes.look(1, "a");
    expect(nodes.crowded).toBe(false);
    nodes.look(1, "b");
    nodes.look(1, "c");
    expect(nodes.crowded).toBe(true);
    expect(() => nodes.look(1, "d")).toThrow(new FuseError("ENFILE"));
    expect(nodes.look(1, "a")).toBe(2);
    const asked = [nodes.oldest(2), nodes.oldest(2)].map((names) => names.map(({ name }) => name));
    expect(asked).toEqual([
      ["a", "b"],
      ["c", "a"],
    ]);
  });
});

describe("handles", () => {
  it("have a bound, and numbers of their own", () => {
    const handles = new HandleTable<string>(2);
    expect([handles.add("a"), handles.add("b")]).toEqual([1, 2]);
    expect(() => handles.add("c")).toThrow(new FuseError("ENFILE"));
    expect([handles.remove(1), handles.remove(1), handles.add("c"), handles.get(3)]).toEqual(["a", undefined, 3, "c"]);
    expect(() => handles.get(1)).toThrow(new FuseError("EBADF"));
    expect([handles.clear(), handles.size]).toEqual([["b", "c"], 0]);
  });
});

it.each([
  [new FuseError("ENOENT"), 2],
  [new FuseError("EACCES"), 13],
  [new Error("a bug"), 5],
])("%s is errno %d", (error, errno) => expect(numberOf(error)).toBe(errno));

it.each([
  [
    "42 27 0:39 / /mnt/a\\040b rw,nosuid - fuse.sallyport sallyport rw,user_id=0",
    { folder: "/mnt/a b", type: "fuse.sallyport" },
  ],
  ["36 35 98:0 /m /mnt rw,noatime master:1 shared:2 - ext3 /dev/root rw", { folder: "/mnt", type: "ext3" }],
  ["", undefined],
])("reads mountinfo: %s", (line, expected) => expect(parseMountLine(line)).toEqual(expected));
