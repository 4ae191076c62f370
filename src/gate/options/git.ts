import type { ProgramSpec } from "./spec.ts";

const DIFF = {
  flags: "pusabwRzrcmt",
  texts: "USG",
  attached: "MCBD",
  long: [
    "stat? numstat shortstat dirstat? summary name-only name-status patch no-patch unified~ raw minimal patience histogram",
    "diff-algorithm~ color? no-color color-words? color-moved? word-diff? word-diff-regex~ no-renames find-renames? find-copies? check full-index",
    "binary abbrev? no-abbrev cached staged ignore-space-change ignore-all-space ignore-space-at-eol ignore-blank-lines no-ext-diff",
    "no-textconv exit-code quiet diff-filter~ pickaxe-all pickaxe-regex relative? no-relative text submodule? ignore-submodules?",
    "src-prefix~ dst-prefix~ no-prefix merge-base inter-hunk-context~ function-context cc patch-with-stat compact-summary",
  ].join(" "),
  numbers: true,
} as const satisfies ProgramSpec;

const LOG = {
  ...DIFF,
  flags: `${DIFF.flags}igEFPW`,
  texts: `${DIFF.texts}nL`,
  long: [
    DIFF.long,
    "oneline graph no-graph decorate? no-decorate all branches? tags? remotes? max-count~ since~ until~ after~ before~ author~ committer~",
    "grep~ invert-grep all-match regexp-ignore-case extended-regexp fixed-strings perl-regexp merges no-merges first-parent reverse date~",
    "format~ pretty? abbrev-commit no-abbrev-commit follow left-right cherry cherry-pick cherry-mark topo-order date-order author-date-order",
    "ancestry-path? simplify-by-decoration full-history no-walk? reflog walk-reflogs skip~ no-notes notes? parents children boundary count",
    "relative-date no-patch log-size source min-parents~ max-parents~",
  ].join(" "),
} as const satisfies ProgramSpec;

/** A repository given by address instead of by name. */
const ADDRESS = /^[+:]|^[a-z][\w+.-]*:\/\/|^[\w.-]+@[\w.-]+:|^[\w.-]+:(?!\/\/).*\/|::/i;

const COMMANDS: Readonly<Record<string, ProgramSpec>> = {
  diff: DIFF,
  "diff-tree": DIFF,
  "diff-index": DIFF,
  "diff-files": DIFF,
  log: LOG,
  show: LOG,
  whatchanged: LOG,
  "rev-list": LOG,
  reflog: { ...LOG, asks: /^(expire|delete|drop)$/ },
  "range-diff": DIFF,
  shortlog: { ...LOG, flags: "sne", attached: "w", long: `${LOG.long} summary numbered email` },
  status: {
    flags: "sbvz",
    attached: "u",
    long: "short branch show-stash porcelain? long verbose untracked-files? ignored? ignore-submodules? column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?",
  },
  add: { flags: "AuvnN", long: "all no-all update verbose dry-run intent-to-add renormalize ignore-errors refresh" },
  commit: {
    flags: "asqv",
    texts: "m",
    long: "message~ all signoff no-signoff quiet verbose allow-empty allow-empty-message dry-run short no-edit author~ date~ trailer~ no-gpg-sign status no-status fixup~ squash~",
  },
  branch: {
    flags: "arlvqt",
    long: "all remotes list verbose show-current contains~ no-contains~ merged? no-merged? points-at~ sort~ format~ column? no-column color? no-color quiet track? no-track ignore-case",
  },
  checkout: { flags: "qtd", texts: "b", long: "quiet progress no-progress track? no-track detach guess no-guess" },
  switch: {
    flags: "qdt",
    texts: "c",
    long: "create~ quiet detach guess no-guess track? no-track progress no-progress",
  },
  restore: { flags: "SWq", texts: "s", long: "staged worktree source~ quiet progress no-progress" },
  stash: {
    ...DIFF,
    flags: "ukqp",
    texts: "m",
    long: `${DIFF.long} include-untracked keep-index no-keep-index message~ quiet index staged`,
    asks: /^(drop|clear)$/,
  },
  push: {
    flags: "uvqn",
    long: "set-upstream verbose quiet dry-run tags follow-tags no-follow-tags porcelain progress no-progress atomic",
    asks: ADDRESS,
  },
  fetch: {
    flags: "tpvqn",
    texts: "j",
    long: "all tags no-tags prune verbose quiet dry-run depth~ deepen~ unshallow shallow-since~ progress no-progress jobs~ no-recurse-submodules multiple",
    asks: ADDRESS,
  },
  pull: {
    flags: "vqtpn",
    long: "rebase? no-rebase ff no-ff ff-only verbose quiet all tags prune depth~ autostash no-autostash stat no-stat no-edit progress no-progress",
    asks: ADDRESS,
  },
  clone: {
    remote: true,
    flags: "qv",
    texts: "b",
    long: "depth~ branch~ single-branch no-single-branch no-tags quiet verbose progress no-progress shallow-submodules filter~",
  },
  merge: {
    flags: "qvn",
    texts: "m",
    long: "no-ff ff ff-only no-commit commit squash no-squash no-edit message~ abort continue quit quiet verbose stat no-stat signoff",
  },
  rebase: {
    flags: "qv",
    long: "abort continue skip quit quiet verbose stat no-stat autostash no-autostash onto~ keep-base",
  },
  reset: { flags: "q", long: "soft mixed quiet no-quiet" },
  revert: { flags: "ns", texts: "m", long: "no-edit no-commit abort continue skip quit mainline~ signoff" },
  "cherry-pick": { flags: "nsx", texts: "m", long: "no-commit abort continue skip quit mainline~ signoff" },
  tag: {
    flags: "lai",
    texts: "m",
    attached: "n",
    long: "list sort~ contains~ no-contains~ points-at~ merged? no-merged? format~ column? no-column annotate message~ ignore-case",
  },
  remote: {
    flags: "v",
    long: "verbose all push",
    asks: /^(add|set-url|rename|remove|rm|set-head|set-branches|update|prune)$/,
  },
  blame: {
    flags: "wlsetpbcfn",
    texts: "L",
    attached: "MC",
    long: "porcelain line-porcelain show-email show-name show-number date~ since~ color-lines color-by-age first-parent root incremental abbrev?",
  },
  annotate: { flags: "lt", texts: "L" },
  grep: {
    flags: "niIwvhHlLcEFGPrzoqpWa",
    texts: "eABCm",
    numbers: true,
    operands: "pattern",
    long: "line-number column count heading break cached untracked name-only files-with-matches files-without-match only-matching word-regexp invert-match ignore-case extended-regexp fixed-strings perl-regexp basic-regexp and or not all-match max-depth~ max-count~ recursive no-recursive after-context~ before-context~ context~ show-function function-context color? no-color text quiet full-name",
  },
  "ls-files": {
    flags: "cdmoisuztvk",
    long: "cached deleted modified others ignored stage unmerged killed exclude-standard full-name error-unmatch abbrev? directory no-empty-directory eol deduplicate",
  },
  "ls-tree": { flags: "rtdlz", long: "name-only name-status full-name full-tree abbrev? long format~" },
  "ls-remote": { flags: "qt", long: "heads tags branches quiet refs get-url exit-code symref sort~", asks: ADDRESS },
  "rev-parse": {
    flags: "q",
    long: "abbrev-ref? short? verify show-toplevel show-prefix show-cdup is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository symbolic symbolic-full-name quiet git-common-dir absolute-git-dir git-dir branches? tags? remotes? all",
  },
  describe: {
    long: "tags all always dirty? long abbrev? match~ exclude~ exact-match first-parent contains candidates~",
  },
  "show-ref": { flags: "dqs", long: "heads tags branches head dereference verify quiet abbrev? hash? exists" },
  "for-each-ref": { texts: "", long: "sort~ format~ count~ contains~ merged? points-at~" },
  "cat-file": { flags: "tsep" },
  "merge-base": { flags: "a", long: "all is-ancestor fork-point octopus independent" },
  "name-rev": { long: "name-only tags all always" },
  "count-objects": { flags: "vH", long: "verbose human-readable" },
  "check-ignore": { flags: "qvzn", long: "quiet verbose non-matching no-index" },
  worktree: { flags: "vzq", long: "porcelain verbose quiet", asks: /^(remove|prune|repair|unlock)$/ },
  config: {
    flags: "lz",
    long: "get~ get-all~ get-regexp~ list show-origin show-scope name-only local",
    // `git config key value` changes what git does; `git config key` shows it.
    most: 1,
    asks: /^(set|unset|edit|rename-section|remove-section|get)$/,
  },
  init: { flags: "q", texts: "b", long: "quiet initial-branch~" },
  clean: { flags: "ndq", long: "dry-run quiet" },
  rm: { flags: "rqn", long: "cached quiet dry-run", writes: true },
  mv: { flags: "vnk", long: "verbose dry-run", writes: true },
  apply: { flags: "vR3q", long: "check stat numstat summary verbose quiet index cached reverse 3way" },
  archive: { flags: "vl", long: "format~ prefix~ verbose list" },
  submodule: { flags: "q", long: "quiet recursive init cached", asks: /^(add|set-url|foreach|deinit|absorbgitdirs)$/ },
  bisect: { asks: /^run$/ },
  version: { long: "build-options" },
  notes: {},
  "symbolic-ref": { flags: "q", long: "short quiet", most: 1 },
  fsck: { long: "full no-progress progress" },
};

export const GIT: Readonly<Record<string, ProgramSpec>> = {
  git: {
    flags: "Pv",
    long: "no-pager no-optional-locks literal-pathspecs no-replace-objects version help",
    commands: COMMANDS,
  },
};
