import { basename, join } from "node:path";

/** Smaller modules that several pages share are not worth a request of their own. */
const SMALL_BYTES = 6_000;
/** @type {["$initial"]} Modules that are loaded with a page itself. */
const INITIAL = ["$initial"];
/** Libraries that are their own size stay files of their own. */
const SMALL_CODE = /[\\/](?:src|@tanstack[\\/](?:react-query|query-core))[\\/]/;
const ICONS = /[\\/]lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/]/;

/**
 * Which files the code of the web pages goes into, and which of them a page needs at once. Left alone, the bundler makes a file for each set
 * of pages that share something: the list of sessions came in 44 of them, most smaller than their headers, and asked for them in three rounds.
 *
 * Writes `console/parts.json`: for each address of `opened` the files that its page needs beyond what the HTML names. The server puts them in.
 * @param {object} options
 * @param {string} options.root
 * @param {readonly [string, string]} options.shells What is loaded whatever is opened: the console's, and the other page's.
 * @param {Readonly<Record<string, readonly string[]>>} options.opened The pages that people open most, by their addresses: each with what it loads to show anything.
 * @param {(id: string) => boolean} options.isPlain Modules of which only what is used counts: what imports them says nothing.
 * @param {RegExp} options.late A library that the shell and the pages opened most do without. It is in one file with the plain modules that import it.
 */
export function pageParts({ root, shells: [first, other], opened, isPlain, late }) {
  const pages = Object.values(opened).flatMap(([page]) => page ?? []);
  /** @type {Map<string, ReadonlySet<string>>} The modules that each of these needs before it runs. */
  let needed = new Map();
  /** @type {Set<string>} */
  const soon = new Set();
  /** @type {Set<string>} */
  const lateModules = new Set();
  /** @param {string} name @param {string} id */
  const needs = (name, id) => needed.get(name)?.has(id) === true;
  /** @type {import("vite").Plugin} */
  const plugin = {
    name: "page-parts",
    apply: "build",
    buildEnd() {
      const infoOf = (/** @type {string} */ id) => this.getModuleInfo(id)?.importedIds ?? [];
      needed = new Map([first, other, ...pages].map((name) => [name, reached(join(root, name), infoOf)]));
      for (const id of this.getModuleIds())
        if (late.test(id) || (isPlain(id) && infoOf(id).some((imported) => late.test(imported)))) lateModules.add(id);
    },
    generateBundle(_, files) {
      const importsOf = (/** @type {string} */ name) => (files[name]?.type === "chunk" ? files[name].imports : []);
      /** @param {string} module */
      const filesOf = (module) => {
        const chunk = Object.values(files).find(
          (file) => file.type === "chunk" && file.moduleIds.includes(join(root, module)),
        );
        return chunk === undefined ? new Set() : reached(chunk.fileName, importsOf);
      };
      const shell = filesOf(first);
      const parts = Object.entries(opened).map(([address, shown]) => [
        address,
        [...new Set(shown.flatMap((page) => [...filesOf(page)]))].filter((file) => !shell.has(file)),
      ]);
      for (const file of [...shell, ...parts.flatMap(([, names]) => names)]) {
        soon.add(basename(file));
        const mistake = lateWords(files, { file, late });
        if (mistake !== undefined) this.error(mistake);
      }
      // Vite's own note of the stylesheets that come with a file.
      for (const file of shell)
        for (const style of files[file]?.viteMetadata?.importedCss ?? []) soon.add(basename(style));
      this.emitFile({
        type: "asset",
        fileName: "console/parts.json",
        source: JSON.stringify(Object.fromEntries(parts)),
      });
    },
  };
  return {
    plugin,
    /** Whether a file is on the way to the first page: it is worth the best compression. @param {string} name */
    isSoon: (name) => soon.has(name),
    groups: groupsOf({ first, other, pages, needs, isPlain, isLate: (id) => lateModules.has(id) }),
  };
}

/**
 * @param {object} options
 * @param {string} options.first
 * @param {string} options.other
 * @param {readonly string[]} options.pages
 * @param {(name: string, id: string) => boolean} options.needs
 * @param {(id: string) => boolean} options.isPlain
 * @param {(id: string) => boolean} options.isLate
 */
function groupsOf({ first, other, pages, needs, isPlain, isLate }) {
  return [
    {
      name: (/** @type {string} */ id) => (isLate(id) ? "schemas" : null),
      // What they import may be needed at once.
      includeDependenciesRecursively: false,
      priority: 5,
    },
    { name: "icons", test: ICONS, minShareCount: 2, priority: 4 },
    { name: "protocol", test: isPlain, priority: 4 },
    {
      name: (/** @type {string} */ id) =>
        needs(other, id) && [first, ...pages].some((page) => needs(page, id)) ? "base" : null,
      tags: INITIAL,
      priority: 3,
    },
    { name: (/** @type {string} */ id) => (needs(first, id) ? "shell" : null), tags: INITIAL, priority: 2 },
    {
      name: (/** @type {string} */ id) =>
        SMALL_CODE.test(id) && pages.some((page) => needs(page, id)) ? "parts" : null,
      minShareCount: 2,
      maxModuleSize: SMALL_BYTES,
      priority: 1,
    },
  ];
}

/**
 * What is wrong if a file that is needed at once has the library that comes late.
 * @param {import("vite").Rollup.OutputBundle} files
 * @param {{ readonly file: string, readonly late: RegExp }} checked
 * @returns {string | undefined}
 */
function lateWords(files, { file, late }) {
  const chunk = files[file];
  if (chunk?.type !== "chunk" || !chunk.moduleIds.some((id) => late.test(id))) return undefined;
  const users = Object.values(files).filter((user) => user.type === "chunk" && user.imports.includes(file));
  return `The pages opened first load ${file} (${late}), needed by ${users.map(({ fileName }) => fileName).join(", ")}`;
}

/**
 * @param {string} first
 * @param {(name: string) => readonly string[]} importsOf
 * @returns {Set<string>}
 */
function reached(first, importsOf) {
  const seen = new Set();
  const waiting = [first];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    waiting.push(...importsOf(name));
  }
  return seen;
}
