import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A part of each build that puts code of packages into files of ours: writes THIRD-PARTY.txt beside them, with the licences.
 * `worker` is for `worker.plugins`: scripts of a page's workers are bundled by themselves, before the page is.
 * @param {string} root
 * @returns {{ plugin: import("vite").Plugin, worker: import("vite").Plugin }}
 */
export function thirdParty(root) {
  const modules = join(root, "node_modules");
  /** @type {Set<string>} */
  const packages = new Set();
  /** @param {import("vite").Rolldown.OutputBundle} files */
  const collect = (files) => {
    for (const file of Object.values(files))
      for (const id of file.type === "chunk" ? file.moduleIds : []) {
        const name = packageOf(id, modules);
        if (name !== undefined) packages.add(name);
      }
  };
  return {
    plugin: {
      name: "third-party",
      apply: "build",
      generateBundle(_, files) {
        collect(files);
        this.emitFile({ type: "asset", fileName: "THIRD-PARTY.txt", source: licences(modules, packages) });
      },
    },
    worker: { name: "third-party-of-workers", generateBundle: (_, files) => collect(files) },
  };
}

/**
 * @param {string} id
 * @param {string} modules
 */
function packageOf(id, modules) {
  // Modules that a plugin makes of a file begin with a zero byte.
  const path = id.replace("\0", "");
  const [, name] =
    /^[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path.startsWith(modules) ? path.slice(modules.length) : "") ?? [];
  return name;
}

/**
 * @param {string} modules
 * @param {ReadonlySet<string>} packages
 */
function licences(modules, packages) {
  const texts = [...packages]
    .toSorted((left, right) => (left < right ? -1 : 1))
    .map((name) => {
      const folder = join(modules, name);
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
      return `${name} ${version} (${license})${text}`;
    });
  return `The files beside this one contain code of these packages.\n\n${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
