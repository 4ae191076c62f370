/** What has changed since a commit, the work tree and new files included. `ref` absent: since this branch left main. */
export function changedSince(root: string, ref?: string): readonly string[];

/** The test files that depend on what has changed. `undefined`: all of them. */
export function testsFor(root: string, changed: readonly string[]): readonly string[] | undefined;
