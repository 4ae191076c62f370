import { GENERIC, RUNS_PACKAGE, type ProgramSpec } from "./spec.ts";

const CARGO_BUILD: ProgramSpec = {
  flags: "rvq",
  texts: "pFj",
  dashes: "generic",
  long: "release all workspace package~ exclude~ lib bins bin~ tests test~ examples example~ benches bench~ all-targets all-features features~ no-default-features verbose quiet locked offline frozen jobs~ no-run no-fail-fast message-format~ color~ profile~ doc keep-going no-deps",
};

const GO_BUILD: ProgramSpec = {
  single:
    "v race short count~ run~ skip~ bench~ benchtime~ benchmem timeout~ cover failfast json n x parallel~ p~ tags~ cpu~ shuffle~ list~ a trimpath",
};

/** `@file` holds further options. */
const RESPONSE_FILE = /^@/;

const PYTHON: ProgramSpec = { flags: "uBVqbvhOsSEI", runs: "m", long: "version help", script: true, rest: "generic" };
const PIP: ProgramSpec = {
  flags: "qvVh",
  long: "quiet verbose version help disable-pip-version-check no-input no-color",
  commands: {
    install: {
      // `x @ https://…`
      asks: /@\s*[a-z+]+:/i,
      flags: "Uq",
      files: "rec",
      long: "upgrade requirement= editable= constraint= no-deps dry-run pre no-cache-dir force-reinstall require-hashes",
    },
    uninstall: { flags: "y", files: "r", long: "yes requirement=" },
    list: { flags: "oue", long: "outdated uptodate editable local user format~ not-required" },
    show: { flags: "f", long: "files" },
    freeze: { flags: "l", long: "local all user exclude~" },
    ...Object.fromEntries(
      "check index download wheel hash debug cache inspect help".split(" ").map((name) => [name, {}]),
    ),
  },
};

const MAVEN: ProgramSpec = {
  flags: "qBoUeXVvh",
  operands: "text",
  tasks: true,
  asks: /^-D/,
  long: "quiet batch-mode offline update-snapshots errors debug show-version version help no-transfer-progress fail-fast fail-at-end",
};
const GRADLE: ProgramSpec = {
  flags: "qiwsSdvhm",
  operands: "text",
  tasks: true,
  long: "quiet info warn stacktrace full-stacktrace debug offline parallel no-parallel daemon no-daemon console~ warning-mode~ continue dry-run rerun-tasks build-cache no-build-cache version help tests~ scan-off",
};
const MAKE: ProgramSpec = {
  flags: "ksnqBiwSrR",
  attached: "jl",
  operands: "text",
  tasks: true,
  asks: /=/,
  long: "jobs? keep-going silent quiet dry-run just-print recon always-make question no-print-directory print-directory ignore-errors version help",
};
/** Runs tasks that a file of the project describes. */
const TASKS: ProgramSpec = { ...GENERIC, tasks: true, dashes: "generic", asks: /^@|=/ };
/** `uv run tool …`: the rest belongs to the tool. */
const PROJECT_RUNNER: ProgramSpec = {
  ...GENERIC,
  commands: { run: { rest: "program" }, exec: { rest: "program" } },
  otherwise: "script",
};
const INTERPRETER: ProgramSpec = { flags: "cwvh", long: "version help", script: true, rest: "generic" };

/** A package with a version, or from another host: `example.com/x@latest`. */
const GO_REMOTE = /@|^[\w-][^/]*\.[^/]*\//;

export const LANGUAGES: Readonly<Record<string, ProgramSpec>> = {
  cargo: {
    flags: "vqV",
    long: "verbose quiet version help locked offline frozen color~",
    asks: /^\+/,
    commands: {
      ...Object.fromEntries(
        "build b check c test t clippy doc d bench run r".split(" ").map((name) => [name, CARGO_BUILD]),
      ),
      fmt: { flags: "v", long: "check all" },
      tree: { flags: "ei", texts: "p", long: "depth~ edges~ invert? duplicates prefix~ no-dedupe" },
      metadata: { long: "format-version~ no-deps" },
      clean: { texts: "p", long: "release doc package~" },
      update: { texts: "p", long: "package~ precise~ dry-run" },
      add: { flags: "D", texts: "F", long: "dev build features~ no-default-features optional rename~ dry-run" },
      remove: { flags: "D", long: "dev build dry-run" },
      search: { long: "limit~" },
      ...Object.fromEntries(
        "new init publish package login logout owner yank fix vendor fetch pkgid generate-lockfile locate-project version help"
          .split(" ")
          .map((name) => [name, {}]),
      ),
      nextest: CARGO_BUILD,
      install: RUNS_PACKAGE,
      binstall: RUNS_PACKAGE,
    },
  },
  rustc: { asks: RESPONSE_FILE, long: "version help explain~ print~" },
  rustup: { flags: "vV", asks: /^(run|self|default|override|toolchain|update|install|component|target|set)$/ },
  rustfmt: { flags: "v", long: "check edition~" },
  go: {
    single: "v",
    commands: {
      build: GO_BUILD,
      test: { ...GO_BUILD, asks: GO_REMOTE },
      vet: GO_BUILD,
      install: { ...GO_BUILD, asks: GO_REMOTE },
      run: { ...GO_BUILD, asks: GO_REMOTE, rest: "generic" },
      tool: RUNS_PACKAGE,
      list: { single: "m json f~ deps e u test", long: "" },
      fmt: { single: "n x" },
      mod: { single: "v json go~" },
      get: { single: "u t v d" },
      env: { single: "json changed" },
      doc: { single: "all short src u c" },
      clean: { single: "cache testcache modcache n x" },
      help: {},
      version: { single: "m" },
      generate: { single: "n v x run~ skip~" },
    },
  },
  gofmt: { flags: "lde" },
  make: MAKE,
  gmake: MAKE,
  ninja: { flags: "vn", texts: "jkl", operands: "text", tasks: true },
  ...Object.fromEntries(
    "just task rake sbt lein tox nox mage invoke inv ant scons grunt gulp turbo"
      .split(" ")
      .map((name) => [name, TASKS]),
  ),
  ...Object.fromEntries("uv poetry pipenv pdm rye bundle".split(" ").map((name) => [name, PROJECT_RUNNER])),
  // Modules of Python that run what their words say.
  ...Object.fromEntries(["timeit", "runpy", "code"].map((name) => [name, { operands: "none" as const }])),
  unittest: { flags: "vqfcb", texts: "k", operands: "text", long: "verbose quiet failfast catch buffer locals" },
  cmake: { operands: "none", long: "version help" },
  ctest: {
    flags: "VNQ",
    texts: "REj",
    operands: "text",
    long: "verbose output-on-failure rerun-failed parallel~ tests-regex~",
  },
  bazel: { operands: "none" },
  python: PYTHON,
  python2: PYTHON,
  python3: PYTHON,
  pypy: PYTHON,
  pypy3: PYTHON,
  pipx: {
    flags: "h",
    long: "version help quiet verbose",
    commands: {
      list: { long: "short json" },
      ...Object.fromEntries(["run", "install", "inject", "upgrade", "runpip"].map((name) => [name, RUNS_PACKAGE])),
    },
  },
  pip: PIP,
  pip3: PIP,
  pytest: {
    asks: RESPONSE_FILE,
    flags: "vqxslh",
    texts: "kmnr",
    long: "maxfail~ tb~ lf ff sw nf co collect-only durations~ exitfirst verbose quiet no-header no-summary last-failed failed-first new-first stepwise version showlocals capture~ color~ numprocesses~ strict-markers disable-warnings",
  },
  mypy: {
    asks: RESPONSE_FILE,
    flags: "vVh",
    long: "strict version help verbose pretty show-error-codes show-error-context ignore-missing-imports no-incremental warn-unused-ignores check-untyped-defs",
  },
  ruff: {
    flags: "qvsV",
    long: "quiet verbose silent version help",
    commands: {
      check: { flags: "n", long: "diff no-cache select~ ignore~ statistics show-files exit-zero no-fix" },
      format: { flags: "n", long: "check diff no-cache" },
      ...Object.fromEntries("rule linter clean version help".split(" ").map((name) => [name, {}])),
    },
  },
  black: {
    flags: "qvS",
    texts: "lt",
    long: "check diff quiet verbose line-length~ target-version~ version help fast safe",
  },
  isort: { flags: "cq", long: "check check-only diff quiet version" },
  flake8: { flags: "qv", long: "select~ ignore~ max-line-length~ count statistics version show-source" },
  pylint: { texts: "jd", long: "disable~ enable~ jobs~ version score~" },
  perl: INTERPRETER,
  ruby: INTERPRETER,
  php: { flags: "lvimh", long: "version help", script: true, rest: "generic" },
  lua: { flags: "v", script: true, rest: "generic" },
  gem: {
    operands: "text",
    flags: "qVv",
    long: "quiet verbose version local remote",
    asks: /^(push|owner|signin|yank|install|i|exec|update|cert|uninstall)$/,
  },
  rspec: {
    flags: "bw",
    texts: "e",
    long: "fail-fast? color no-color example~ tag~ seed~ dry-run version",
    rest: "generic",
  },
  java: { single: "version showversion help", operands: "none", long: "version help" },
  javac: { asks: RESPONSE_FILE, single: "version help nowarn verbose" },
  mvn: MAVEN,
  mvnw: MAVEN,
  gradle: GRADLE,
  gradlew: GRADLE,
  dotnet: {
    flags: "h",
    long: "info version list-sdks list-runtimes help",
    commands: Object.fromEntries([
      ..."build test restore clean run format list".split(" ").map((name) => [
        name,
        {
          // One dash, whole names: `-flp:logfile=x` is no `-f`.
          single: "c~ v~ f~ h",
          asks: RESPONSE_FILE,
          long: "configuration~ no-restore no-build verbosity~ nologo framework~ verify-no-changes filter~ no-incremental",
          dashes: "generic" as const,
        },
      ]),
      ..."add remove new publish pack sln".split(" ").map((name) => [name, {}]),
    ]),
  },
  swift: {
    commands: Object.fromEntries(
      ["build", "test", "run"].map((name) => [
        name,
        { flags: "vq", texts: "c", long: "configuration~ verbose quiet filter~ parallel", rest: "generic" as const },
      ]),
    ),
  },
};
