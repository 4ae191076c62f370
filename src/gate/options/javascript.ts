import { RUNS_PACKAGE, type ProgramSpec } from "./spec.ts";

/** Code that is downloaded before it runs. */
const REMOTE = /^(https?|npm|jsr|data|blob|git|github|file):/i;

/** npm reads `-name` as `--name`, so only whole names are covered. */
const NPM_COMMON =
  "silent quiet verbose loglevel~ json long parseable color? no-color progress no-progress no-audit no-fund no-update-notifier if-present ignore-scripts dry-run offline prefer-offline version help";
const NPM_SAVE =
  "save save-dev save-exact save-optional save-peer save-prod no-save legacy-peer-deps package-lock-only omit~ include~ prefer-dedupe production no-optional D E S O P B";

const SCRIPT: ProgramSpec = { dashes: "generic" };
/** A package that no registry has: `github:x/y`, `x/y`, `https://…`, `x@git+ssh://…`. */
const NOT_OF_REGISTRY = /^[^@./~][^/@]*\/|^(?:@?[^@]+@)?(?!npm:)[a-z][a-z+]*:/i;

const INSTALL: ProgramSpec = { single: NPM_SAVE, long: NPM_SAVE, asks: NOT_OF_REGISTRY };
const SHOW: ProgramSpec = { asks: NOT_OF_REGISTRY, single: "a l", long: "all depth~ prod dev omit~" };

const NPM: ProgramSpec = {
  single: `s q d dd ddd v h ${NPM_COMMON}`,
  long: NPM_COMMON,
  commands: {
    ...Object.fromEntries(
      ["run", "run-script", "rum", "urn", "test", "t", "tst", "start", "stop", "restart"].map((name) => [name, SCRIPT]),
    ),
    ...Object.fromEntries(
      "install i in ins inst insta instal isnt isnta isntal isntall add ci clean-install ic install-clean isntall-clean update up upgrade udpate uninstall un unlink remove rm r install-test it install-ci-test cit dedupe ddp prune"
        .split(" ")
        .map((name) => [name, INSTALL]),
    ),
    ...Object.fromEntries(
      "ls list ll la outdated view info show v why explain root prefix bin ping whoami fund search s se find docs bugs sbom query"
        .split(" ")
        .map((name) => [name, SHOW]),
    ),
    audit: { single: "", long: "audit-level~ omit~", asks: /^(fix|signatures)$/ },
    pkg: { asks: /^(set|delete|fix)$/ },
    config: { asks: /^(set|delete|rm|edit|fix)$/ },
    c: { asks: /^(set|delete|rm|edit|fix)$/ },
    version: { most: 0 },
    ...Object.fromEntries(
      "pack publish unpublish deprecate undeprecate dist-tag dist-tags owner author access org team star unstar stars login adduser add-user logout doctor cache rebuild rb shrinkwrap repo home issues help get completion diff token profile"
        .split(" ")
        .map((name) => [name, {}]),
    ),
    exec: { rest: "program" },
    x: { rest: "program" },
    create: RUNS_PACKAGE,
    ...Object.fromEntries(["init", "innit"].map((name) => [name, { ...RUNS_PACKAGE, single: "y yes", long: "yes" }])),
  },
};

const PNPM_INSTALL: ProgramSpec = {
  asks: NOT_OF_REGISTRY,
  flags: "DEOP",
  long: "frozen-lockfile no-frozen-lockfile prefer-offline offline ignore-scripts save-dev save-exact save-prod save-optional prod dev no-optional lockfile-only",
};

const PNPM: ProgramSpec = {
  flags: "sv",
  long: "silent color no-color loglevel~ version help",
  otherwise: "script",
  commands: {
    ...Object.fromEntries(
      ["run", "run-script", "test", "t", "start", "stop", "restart"].map((name) => [
        name,
        { long: "if-present", rest: "generic" },
      ]),
    ),
    ...Object.fromEntries(
      [
        "install",
        "i",
        "add",
        "ci",
        "update",
        "up",
        "upgrade",
        "remove",
        "rm",
        "uninstall",
        "un",
        "dedupe",
        "prune",
      ].map((name) => [name, PNPM_INSTALL]),
    ),
    ...Object.fromEntries(
      ["ls", "list", "ll", "la", "outdated", "why", "audit", "licenses"].map((name) => [
        name,
        { long: "json long depth~ prod dev", asks: /^--fix$/ },
      ]),
    ),
    exec: { rest: "program" },
    dlx: { rest: "program" },
    create: RUNS_PACKAGE,
    ...Object.fromEntries(["config", "c"].map((name) => [name, { asks: /^(set|delete|rm|edit)$/ }])),
    set: { operands: "none" },
    publish: {},
  },
};

const YARN: ProgramSpec = {
  flags: "sv",
  long: "silent verbose json non-interactive no-progress version help",
  otherwise: "script",
  commands: {
    ...Object.fromEntries(["run", "test", "start"].map((name) => [name, { rest: "generic" }])),
    ...Object.fromEntries(
      ["install", "add", "remove", "upgrade", "up", "dedupe"].map((name) => [
        name,
        {
          asks: NOT_OF_REGISTRY,
          flags: "DEPO",
          long: "frozen-lockfile immutable immutable-cache dev exact peer optional ignore-scripts offline prefer-offline check-files production",
        },
      ]),
    ),
    ...Object.fromEntries(
      ["list", "info", "why", "outdated", "audit", "licenses"].map((name) => [
        name,
        { flags: "R", long: "depth~ recursive all level~" },
      ]),
    ),
    exec: { rest: "program" },
    dlx: { flags: "q", rest: "program" },
    create: RUNS_PACKAGE,
    set: { operands: "none" },
    policies: { operands: "none" },
    plugin: { asks: /^(import|remove)$/ },
    init: { flags: "pyw", long: "yes private workspace" },
    config: { asks: /^(set|unset|delete)$/ },
    npm: {},
    workspace: { operands: "none" },
    workspaces: {},
  },
};

const BUN: ProgramSpec = {
  flags: "v",
  long: "version help silent revision",
  otherwise: "script",
  asks: REMOTE,
  commands: {
    run: { asks: REMOTE, rest: "generic" },
    test: { texts: "t", long: "bail? timeout~ only todo test-name-pattern~ rerun-each~", operands: "text" },
    ...Object.fromEntries(
      ["install", "i", "add", "a", "remove", "rm", "update", "outdated"].map((name) => [
        name,
        {
          asks: NOT_OF_REGISTRY,
          flags: "dDEp",
          long: "dev exact frozen-lockfile production no-save ignore-scripts no-progress no-summary",
        },
      ]),
    ),
    x: RUNS_PACKAGE,
    create: RUNS_PACKAGE,
    c: RUNS_PACKAGE,
    init: { ...RUNS_PACKAGE, flags: "y", long: "yes" },
  },
};

const RUNNER: ProgramSpec = { single: "y q", long: "yes no no-install quiet", rest: "program" };

export const JAVASCRIPT: Readonly<Record<string, ProgramSpec>> = {
  npm: NPM,
  pnpm: PNPM,
  yarn: YARN,
  bun: BUN,
  npx: RUNNER,
  pnpx: RUNNER,
  bunx: RUNNER,
  corepack: { operands: "none" },
  node: {
    single: "v h version help",
    long: "version help trace-warnings trace-deprecation trace-uncaught no-warnings no-deprecation enable-source-maps test watch max-old-space-size? stack-trace-limit? throw-deprecation pending-deprecation unhandled-rejections?",
    script: true,
    rest: "generic",
  },
  tsx: { flags: "vh", script: true, rest: "generic" },
  "ts-node": { flags: "vh", script: true, rest: "generic" },
  deno: {
    flags: "qVh",
    long: "quiet version help",
    asks: REMOTE,
    commands: {
      run: { long: "no-check check", asks: REMOTE, rest: "generic" },
      serve: { long: "no-check check", asks: REMOTE, rest: "generic" },
      test: { long: "no-check fail-fast? filter~ parallel doc", asks: REMOTE, dashes: "generic" },
      bench: { long: "no-check filter~", asks: REMOTE, dashes: "generic" },
      lint: { long: "json compact" },
      fmt: { long: "check" },
      check: { asks: REMOTE },
      ...Object.fromEntries(
        ["x", "create", "install", "i", "init", "eval", "compile"].map((name) => [name, RUNS_PACKAGE]),
      ),
      task: { rest: "generic" },
      info: { long: "json" },
    },
  },
  tsc: {
    // `@file` holds further options.
    asks: /^@/,
    single: "v h w",
    long: "noEmit pretty version help watch strict skipLibCheck listFiles listFilesOnly noErrorTruncation diagnostics extendedDiagnostics showConfig",
  },
  eslint: {
    flags: "vh",
    long: "quiet max-warnings~ no-color color debug ext~ no-error-on-unmatched-pattern no-inline-config report-unused-disable-directives pass-on-no-patterns version help",
  },
  prettier: {
    flags: "clu",
    long: "check list-different no-color color log-level~ version help no-error-on-unmatched-pattern ignore-unknown",
  },
  vitest: {
    flags: "vh",
    texts: "t",
    operands: "text",
    long: "run watch no-watch passWithNoTests testNamePattern~ bail? silent? no-color color retry? version help changed? no-coverage hideSkippedTests allowOnly",
  },
  jest: {
    flags: "bivhoe",
    texts: "tw",
    operands: "text",
    long: "testNamePattern~ watch watchAll bail? ci verbose silent passWithNoTests runInBand onlyChanged listTests no-coverage version help maxWorkers~ testPathPattern~ testPathPatterns~ findRelatedTests detectOpenHandles forceExit noStackTrace colors no-colors expand errorOnDeprecated",
  },
};
