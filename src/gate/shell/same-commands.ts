import { LIMITS } from "../../protocol/index.ts";
import { setOf } from "./lists.ts";

/** Other ways to write the same command. A rule that refuses or asks covers all of them. */

/** npm's commands and their aliases; npm also accepts any unique prefix of either. */
const NPM_COMMANDS = setOf(
  "access adduser approve-scripts audit bugs cache ci completion config dedupe deny-scripts deprecate diff dist-tag docs doctor edit exec",
  "explain explore find-dupes fund get help help-search hook init install install-ci-test install-scripts install-test link ll login logout",
  "ls org outdated owner pack ping pkg prefix profile prune publish query rebuild repo restart root run sbom search set shrinkwrap stage",
  "star stars start stop team test token trust undeprecate uninstall unpublish unstar update version view whoami",
);
const NPM_NAMES: Readonly<Record<string, string>> = {
  author: "owner",
  home: "docs",
  issues: "bugs",
  info: "view",
  show: "view",
  find: "search",
  add: "install",
  unlink: "uninstall",
  remove: "uninstall",
  rm: "uninstall",
  r: "uninstall",
  un: "uninstall",
  rb: "rebuild",
  list: "ls",
  ln: "link",
  create: "init",
  i: "install",
  it: "install-test",
  cit: "install-ci-test",
  u: "update",
  up: "update",
  c: "config",
  s: "search",
  se: "search",
  tst: "test",
  t: "test",
  ddp: "dedupe",
  v: "view",
  "run-script": "run",
  "clean-install": "ci",
  "clean-install-test": "install-ci-test",
  x: "exec",
  why: "explain",
  la: "ll",
  verison: "version",
  ic: "ci",
  innit: "init",
  in: "install",
  ins: "install",
  inst: "install",
  insta: "install",
  instal: "install",
  isnt: "install",
  isnta: "install",
  isntal: "install",
  isntall: "install",
  "install-clean": "ci",
  "isntall-clean": "ci",
  hlep: "help",
  "dist-tags": "dist-tag",
  upgrade: "update",
  udpate: "update",
  rum: "run",
  sit: "install-ci-test",
  urn: "run",
  ogr: "org",
  "add-user": "adduser",
};

/** Short and singular names of what kubectl works on; rules may use any of them. */
const KUBERNETES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "pods po pod",
    "services svc service",
    "deployments deploy deployment",
    "namespaces ns namespace",
    "configmaps cm configmap",
    "secrets secret",
    "nodes no node",
    "persistentvolumes pv persistentvolume",
    "persistentvolumeclaims pvc persistentvolumeclaim",
    "serviceaccounts sa serviceaccount",
    "daemonsets ds daemonset",
    "replicasets rs replicaset",
    "statefulsets sts statefulset",
    "ingresses ing ingress",
    "cronjobs cj cronjob",
    "jobs job",
  ].flatMap((names) => {
    const [name = "", ...others] = names.split(" ");
    return others.map((other) => [other, name]);
  }),
);

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pnpm: {
    i: "install",
    rm: "remove",
    un: "remove",
    uninstall: "remove",
    up: "update",
    upgrade: "update",
    list: "ls",
    t: "test",
    tst: "test",
    "run-script": "run",
  },
  bun: { i: "install", a: "add", rm: "remove", c: "create" },
  cargo: { b: "build", c: "check", d: "doc", t: "test", r: "run", rm: "remove" },
  helm: { del: "uninstall", delete: "uninstall", un: "uninstall", ls: "list" },
  svn: {
    ci: "commit",
    co: "checkout",
    del: "delete",
    rm: "delete",
    remove: "delete",
    up: "update",
    mv: "move",
    rename: "move",
  },
  brew: { rm: "uninstall", remove: "uninstall" },
  git: { stage: "add", annotate: "blame", "send-pack": "push", "http-push": "push" },
  gh: { cs: "codespace", rs: "ruleset", at: "attestation", ext: "extension", extensions: "extension" },
  composer: { i: "install", r: "require", u: "update", upgrade: "update", rm: "remove" },
  conda: { uninstall: "remove", upgrade: "update" },
  mamba: { uninstall: "remove", upgrade: "update" },
  rustup: { uninstall: "toolchain" },
};

/** Names of the second word, by program and, where it matters, by the first one. */
const INNER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "git remote": { rm: "remove" },
  gh: { new: "create", ls: "list", co: "checkout" },
  glab: { new: "create", ls: "list", accept: "merge", del: "delete" },
  docker: { remove: "rm", ls: "list", ps: "list" },
  podman: { remove: "rm", ls: "list", ps: "list" },
  "npm config": { rm: "delete" },
  kubectl: KUBERNETES,
  oc: KUBERNETES,
};

/** Programs that accept any unique prefix of a command's name. */
const SHORTENED = setOf("gem bundle hg composer thor");
/** Programs whose first operand is a package's program. */
const RUNS_PACKAGES = setOf("npx pnpx bunx corepack pipx uvx");
/** Subcommands that do the same. */
const RUNNING_COMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: setOf("exec"),
  pnpm: setOf("exec dlx"),
  yarn: setOf("exec dlx npm run"),
  bun: setOf("x"),
  uv: setOf("run"),
  poetry: setOf("run"),
  bundle: setOf("exec"),
};
const SCRIPTS: Readonly<Record<string, string>> = {
  "npm-cli.js": "npm",
  "npx-cli.js": "npx",
  "yarn.js": "yarn",
  "yarn.cjs": "yarn",
  "pnpm.cjs": "pnpm",
  "corepack.js": "corepack",
};

type CommandWords = readonly string[];

/** Every other form of a command that its words show; the command itself is not included. */
export function sameCommands(words: CommandWords): readonly CommandWords[] {
  const forms: CommandWords[] = [];
  let pending: readonly CommandWords[] = [words];
  for (
    let depth = 0;
    depth < LIMITS.shellDepth && pending.length > 0 && forms.length < LIMITS.shellSpellings;
    depth++
  ) {
    pending = pending
      .flatMap((form) => step(form))
      .filter((form) => !forms.some((known) => same(known, form)) && !same(form, words));
    forms.push(...pending);
  }
  return forms.slice(0, LIMITS.shellSpellings);
}

function same(left: CommandWords, right: CommandWords): boolean {
  return left.length === right.length && left.every((word, index) => word === right[index]);
}

function step([program = "", ...rest]: CommandWords): readonly CommandWords[] {
  const forms: CommandWords[] = [];
  const bare = program.replace(/(?<=^(python|pip|node|ruby|perl|php|lua|gem))[\d.]+$/, "");
  if (bare !== program) forms.push([bare, ...rest]);
  if (program === "nodejs" || program === "hub") forms.push([program === "hub" ? "git" : "node", ...rest]);
  const dashed = /^(git|docker)-([a-z].*)$/.exec(program);
  if (dashed?.[1] !== undefined && dashed[2] !== undefined) forms.push([dashed[1], dashed[2], ...rest]);
  if (/^(python|pypy)$/.test(bare)) forms.push(...module(rest));
  if (program === "node" || program === "bun") forms.push(...script(rest));
  if (RUNS_PACKAGES.has(program)) forms.push(...packaged(rest));
  if (program === "cargo" && rest[0]?.startsWith("+") === true) forms.push([program, ...rest.slice(1)]);
  for (const at of commandPlaces(rest)) forms.push(...bySubcommand(program, rest, at));
  return forms;
}

/** Where the subcommand may be: after options, each of which may take a value. */
function commandPlaces(rest: CommandWords): readonly number[] {
  const places: number[] = [];
  for (const [at, word] of rest.slice(0, LIMITS.shellSpellings).entries()) {
    if (word.startsWith("-")) continue;
    places.push(at);
    if (at === 0 || rest[at - 1]?.startsWith("-") !== true) break;
  }
  return places;
}

function bySubcommand(program: string, rest: CommandWords, at: number): readonly CommandWords[] {
  const name = rest[at] ?? "";
  const after = rest.slice(at + 1);
  const forms: CommandWords[] = meanings(program, name).map((meaning) => [program, meaning].concat(after));
  if (at > 0) forms.push([program, name, ...after]);
  if (/^p?npm$/.test(program) && /^(set|get)$/.test(name)) forms.push([program, "config", name, ...after]);
  const runs = Object.hasOwn(RUNNING_COMMANDS, program) ? RUNNING_COMMANDS[program] : undefined;
  if (runs?.has(name) === true || meanings(program, name).some((meaning) => runs?.has(meaning) === true))
    forms.push(...(name === "npm" ? [["npm", ...after]] : packaged(after)));
  if (/^(docker|podman|nerdctl)$/.test(program) && /^(container|image|builder|buildx)$/.test(name))
    forms.push(
      [program, ...after],
      ...(name === "image" && after[0] === "rm" ? [[program, "rmi", ...after.slice(1)]] : []),
    );
  return forms;
}

/** The commands that a name may stand for. */
function meanings(program: string, name: string): readonly string[] {
  if (program === "npm") return npmMeanings(name);
  const names = Object.hasOwn(NAMES, program) ? NAMES[program] : undefined;
  return names !== undefined && Object.hasOwn(names, name) ? [names[name] ?? name] : [];
}

function npmMeanings(given: string): readonly string[] {
  // `distTag` is `dist-tag`.
  const name = given.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (NPM_COMMANDS.has(name)) return name === given ? [] : [name];
  if (Object.hasOwn(NPM_NAMES, name)) return [NPM_NAMES[name] ?? name];
  if (name === "") return [];
  const begun = [...NPM_COMMANDS, ...Object.keys(NPM_NAMES)].filter((known) => known.startsWith(name));
  // npm accepts a prefix only if it is unique; the list of commands depends on npm's version.
  return [
    ...new Set(begun.map((known) => (Object.hasOwn(NPM_NAMES, known) ? (NPM_NAMES[known] ?? known) : known))),
  ].slice(0, 4);
}

function module(rest: CommandWords): readonly CommandWords[] {
  const at = rest.findIndex((word) => /^-[A-Za-z]*m/.test(word));
  const attached = /^-[A-Za-z]*?m(.+)$/.exec(rest[at] ?? "")?.[1];
  if (at === -1) return [];
  return attached === undefined ? [rest.slice(at + 1)] : [[attached, ...rest.slice(at + 1)]];
}

function script(rest: CommandWords): readonly CommandWords[] {
  const at = rest.findIndex((word) => !word.startsWith("-"));
  const file = (rest[at] ?? "").split("/").at(-1) ?? "";
  return Object.hasOwn(SCRIPTS, file) ? [[SCRIPTS[file] ?? file, ...rest.slice(at + 1)]] : [];
}

/** `npx -y npm@9 publish` runs `npm publish`. Every word that may be the program is tried. */
function packaged(rest: CommandWords): readonly CommandWords[] {
  return commandPlaces(rest.filter((word) => word !== "--")).map((at) => {
    const [tool = "", ...after] = rest.filter((word) => word !== "--").slice(at);
    const name = tool.replace(/(?<=.)@[^/]*$/, "");
    return [name.slice(name.lastIndexOf("/") + 1)].concat(after);
  });
}

/** The words that a rule begins with. */
export interface RuleWords {
  readonly words: CommandWords;
  /** The last word is only the beginning of one: `npm run deploy*`. */
  readonly isCut: boolean;
}

/** Whether a rule's first words mean the same as a command, whatever the order and grouping of options, and whatever name is used. */
export function saysTheSame(rule: RuleWords, words: CommandWords): boolean {
  const [program = ""] = words;
  if (rule.words[0] !== program || rule.words.some((word) => /^-[A-Za-z]{9,}$/.test(word))) return false;
  const wanted = leastSense(rule.words);
  const given = sense(words);
  const cutAt = rule.isCut && rule.words.at(-1) === wanted.operands.at(-1) ? wanted.operands.length - 1 : undefined;
  return (
    operandsFit(program, { wanted: wanted.operands, given: given.operands, cutAt }) &&
    wanted.options.every((option) => given.options.some((other) => sameOption(program, option, other)))
  );
}

/** A word behind an option may be the option's value: `npm run -w x deploy` is `npm run deploy`. */
function operandsFit(
  program: string,
  {
    wanted,
    given,
    cutAt,
  }: { readonly wanted: CommandWords; readonly given: readonly Operand[]; readonly cutAt: number | undefined },
): boolean {
  // How many of the rule's words are found so far; an option's value leaves it open.
  let found = new Set([0]);
  for (const { word, mayBeValue } of given) {
    if (found.has(wanted.length)) return true;
    const next = new Set<number>();
    for (const count of found) {
      const name = wanted[count] ?? "";
      if (mayBeValue) next.add(count);
      if (isSameName(program, { wanted, at: count, given: word }) || (cutAt === count && word.startsWith(name)))
        next.add(count + 1);
    }
    found = next;
  }
  return found.has(wanted.length);
}

function isSameName(
  program: string,
  { wanted, at, given }: { readonly wanted: CommandWords; readonly at: number; readonly given: string },
): boolean {
  const name = wanted[at] ?? "";
  if (name === given || (SHORTENED.has(program) && given.length > 1 && name.startsWith(given))) return true;
  if (at > 1) return false;
  const [first = ""] = wanted;
  const namesOf = (word: string): readonly string[] =>
    at === 0 ? [word, ...meanings(program, word)] : innerNames(program, { first, word });
  return namesOf(name).some((one) => namesOf(given).includes(one));
}

/** What the second word may stand for: `git remote rm`, `kubectl delete ns/x`. */
function innerNames(
  program: string,
  { first, word }: { readonly first: string; readonly word: string },
): readonly string[] {
  const key = Object.hasOwn(INNER_NAMES, `${program} ${first}`) ? `${program} ${first}` : program;
  const names = Object.hasOwn(INNER_NAMES, key) ? (INNER_NAMES[key] ?? {}) : {};
  const written = names === KUBERNETES ? word.split(",").map((part) => part.replace(/[/.].*$/s, "")) : [word];
  return written.map((name) => (Object.hasOwn(names, name) ? (names[name] ?? name) : name));
}

/** Short and long names of the options that rules are usually about. */
const LONG_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rm: { "-r": "--recursive", "-R": "--recursive", "-f": "--force" },
  cp: { "-r": "--recursive", "-R": "--recursive", "-f": "--force" },
  chmod: { "-R": "--recursive" },
  chown: { "-R": "--recursive" },
  git: { "-f": "--force", "-D": "--delete", "-d": "--delete", "-n": "--no-verify", "-a": "--all" },
  npm: { "-g": "--global", "-f": "--force" },
  sed: { "-i": "--in-place" },
  docker: { "-v": "--volume", "-p": "--publish" },
};

function sameOption(program: string, wanted: string, given: string): boolean {
  const names = Object.hasOwn(LONG_NAMES, program) ? (LONG_NAMES[program] ?? {}) : {};
  const long = (option: string): string => (Object.hasOwn(names, option) ? (names[option] ?? option) : option);
  const [left, right] = [long(wanted), long(given)];
  // A long name may be shortened.
  return left === right || (right.length > 3 && right.startsWith("--") && left.startsWith(right));
}

/** The least that a command must contain to match a rule. */
function leastSense(words: CommandWords): {
  readonly options: readonly string[];
  readonly operands: readonly string[];
} {
  const operands = sense(words).operands.map(({ word }) => word);
  const options = words
    .slice(1)
    .filter((word) => /^-./.test(word) && word !== "--")
    .flatMap((word) =>
      /^-[A-Za-z]{1,8}$/.test(word) && !isWholeName(word)
        ? Array.from(word.slice(1), (letter) => `-${letter}`)
        : [word],
    );
  return { options, operands };
}

/** `-exec`, `-delete`: a name, not letters. */
function isWholeName(word: string): boolean {
  return /^-(exec|execdir|delete|ok|okdir|name|type|jar|version)$/.test(word);
}

interface Operand {
  readonly word: string;
  readonly mayBeValue: boolean;
}

function sense(words: CommandWords): { readonly options: readonly string[]; readonly operands: readonly Operand[] } {
  const options: string[] = [];
  const operands: Operand[] = [];
  for (const [at, word] of words.slice(0, LIMITS.shellSpellings).entries()) {
    if (at === 0) continue;
    if (!/^-./.test(word) || word === "--") {
      if (word !== "--") operands.push({ word, mayBeValue: at > 1 && /^-[^=]+$/.test(words[at - 1] ?? "") });
    } else if (word.startsWith("--")) options.push(word, word.split("=")[0] ?? word);
    else if (/^-[A-Za-z]{1,8}$/.test(word)) options.push(word, ...Array.from(word.slice(1), (letter) => `-${letter}`));
    else options.push(word, word.slice(0, 2));
  }
  return { options, operands };
}
