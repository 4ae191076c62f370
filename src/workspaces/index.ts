export {
  applyChanges,
  clearRewinding,
  compareWithSource,
  contentOf,
  discardChanges,
  type ComparedChange,
} from "./apply-changes.ts";
export { changeSetOf, type Change, type ChangeSet } from "./change-set.ts";
export { filterOf, nameFilter } from "./filter.ts";
export { commitChanges } from "./commit-changes.ts";
export { commitInFolder, currentBranch } from "./commit-in-folder.ts";
export { contentState, isSameFile, readBeneath, type FileState } from "./manifest.ts";
export { findProgram } from "./publish/program.ts";
export { hostedAt, openPullRequest, programFor } from "./publish/pull-request.ts";
export { pushCommit } from "./publish/push.ts";
export { kindOf, remotesOf, shownAddress, type GitRemote } from "./publish/remotes.ts";
export {
  beginRecording,
  changesSince,
  differing,
  filesNow,
  readBook,
  recordPoint,
  treeAt,
  type ChangeBase,
  type RecordingBook,
} from "./recording/recording.ts";
export { recordedContent, type RecordedDifference, type RecordedPlace } from "./recording/shadow.ts";
export { findRepository } from "./repository.ts";
export { repositoryOf } from "./stamps/source-state.ts";
export { TreeBase } from "./tree-base.ts";
export { isShown } from "./withhold.ts";
export { SessionTrees, type OpenTree } from "./trees.ts";
export { commitsOn, replaceFile, type CommitsByBranch } from "./tree-record.ts";
