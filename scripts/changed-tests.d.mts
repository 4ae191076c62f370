/** What has changed since a commit, the work tree and new files included. `ref` absent: since this branch left main. */
export function changedSince(root: string, ref?: string): readonly string[];

/** Every test with all that it depends on, from one reading of the tree. */
export interface TestGraph {
  readonly texts: ReadonlyMap<string, string>;
  readonly closures: ReadonlyMap<string, ReadonlySet<string>>;
  readonly reached: ReadonlySet<string>;
}
export function testGraph(root: string): TestGraph;

/** The test files that depend on what has changed. `undefined`: all of them. `graph` absent: the tree is read. */
export function testsFor(root: string, changed: readonly string[], graph?: TestGraph): readonly string[] | undefined;
