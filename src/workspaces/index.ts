export { applyChanges, compareWithSource, contentOf, discardChanges, type ComparedChange } from "./apply-changes.ts";
export { changeSetOf, type ChangeSet } from "./change-set.ts";
export { filterOf, nameFilter } from "./filter.ts";
export { commitChanges } from "./commit-changes.ts";
export { readBeneath } from "./manifest.ts";
export { findRepository } from "./repository.ts";
export { TreeBase } from "./tree-base.ts";
export { isShown } from "./withhold.ts";
export { SessionTrees, type OpenTree } from "./trees.ts";
