import type { LanguageRegistration } from "@shikijs/primitive";

/** Loads a grammar, and before it those that it embeds. */
type GrammarLoader = () => Promise<{ readonly default: LanguageRegistration[] }>;

/** Languages that have colours: the grammar's own name, then those after ``` and at the end of a file's name. */
export const LANGUAGES: readonly (readonly [names: string, load: GrammarLoader])[] = [
  ["asm s", () => import("@shikijs/langs/asm")],
  ["bat cmd", () => import("@shikijs/langs/bat")],
  ["c", () => import("@shikijs/langs/c")],
  ["clojure clj cljs cljc edn", () => import("@shikijs/langs/clojure")],
  ["cmake cmakelists.txt", () => import("@shikijs/langs/cmake")],
  ["cpp c++ cc cxx h hh hpp ino", () => import("@shikijs/langs/cpp")],
  ["csharp cs c#", () => import("@shikijs/langs/csharp")],
  ["css", () => import("@shikijs/langs/css")],
  ["csv", () => import("@shikijs/langs/csv")],
  ["dart", () => import("@shikijs/langs/dart")],
  ["diff patch", () => import("@shikijs/langs/diff")],
  ["dockerfile docker containerfile", () => import("@shikijs/langs/dockerfile")],
  ["dotenv env", () => import("@shikijs/langs/dotenv")],
  ["elixir ex exs", () => import("@shikijs/langs/elixir")],
  ["erlang erl hrl", () => import("@shikijs/langs/erlang")],
  ["fsharp fs fsx", () => import("@shikijs/langs/fsharp")],
  ["go golang", () => import("@shikijs/langs/go")],
  ["graphql gql", () => import("@shikijs/langs/graphql")],
  ["groovy gradle", () => import("@shikijs/langs/groovy")],
  ["haskell hs", () => import("@shikijs/langs/haskell")],
  ["hcl tf tfvars terraform", () => import("@shikijs/langs/hcl")],
  ["html htm", () => import("@shikijs/langs/html")],
  ["http", () => import("@shikijs/langs/http")],
  ["ini cfg conf properties", () => import("@shikijs/langs/ini")],
  ["java", () => import("@shikijs/langs/java")],
  ["javascript js mjs cjs", () => import("@shikijs/langs/javascript")],
  ["json jsonl ipynb", () => import("@shikijs/langs/json")],
  ["jsonc json5", () => import("@shikijs/langs/jsonc")],
  ["jsx", () => import("@shikijs/langs/jsx")],
  ["julia jl", () => import("@shikijs/langs/julia")],
  ["kotlin kt kts", () => import("@shikijs/langs/kotlin")],
  ["latex tex", () => import("@shikijs/langs/latex")],
  ["less", () => import("@shikijs/langs/less")],
  ["lua", () => import("@shikijs/langs/lua")],
  ["make makefile mk", () => import("@shikijs/langs/make")],
  ["markdown md mdx", () => import("@shikijs/langs/markdown")],
  ["matlab m", () => import("@shikijs/langs/matlab")],
  ["nginx", () => import("@shikijs/langs/nginx")],
  ["nix", () => import("@shikijs/langs/nix")],
  ["objective-c objc mm", () => import("@shikijs/langs/objective-c")],
  ["ocaml ml mli", () => import("@shikijs/langs/ocaml")],
  ["perl pl pm", () => import("@shikijs/langs/perl")],
  ["php", () => import("@shikijs/langs/php")],
  ["powershell ps1 psm1 pwsh", () => import("@shikijs/langs/powershell")],
  ["prisma", () => import("@shikijs/langs/prisma")],
  ["proto protobuf", () => import("@shikijs/langs/proto")],
  ["python py pyi pyw", () => import("@shikijs/langs/python")],
  ["r", () => import("@shikijs/langs/r")],
  ["ruby rb gemfile rakefile", () => import("@shikijs/langs/ruby")],
  ["rust rs", () => import("@shikijs/langs/rust")],
  ["sass", () => import("@shikijs/langs/sass")],
  ["scala sc", () => import("@shikijs/langs/scala")],
  ["scheme scm", () => import("@shikijs/langs/scheme")],
  ["scss", () => import("@shikijs/langs/scss")],
  ["shellscript shell sh bash zsh ksh", () => import("@shikijs/langs/shellscript")],
  ["shellsession console", () => import("@shikijs/langs/shellsession")],
  ["sql", () => import("@shikijs/langs/sql")],
  ["svelte", () => import("@shikijs/langs/svelte")],
  ["swift", () => import("@shikijs/langs/swift")],
  ["toml", () => import("@shikijs/langs/toml")],
  ["tsx", () => import("@shikijs/langs/tsx")],
  ["typescript ts mts cts", () => import("@shikijs/langs/typescript")],
  ["vb", () => import("@shikijs/langs/vb")],
  ["verilog v sv", () => import("@shikijs/langs/verilog")],
  ["vhdl vhd", () => import("@shikijs/langs/vhdl")],
  ["viml vim", () => import("@shikijs/langs/viml")],
  ["vue", () => import("@shikijs/langs/vue")],
  ["wasm wat", () => import("@shikijs/langs/wasm")],
  ["xml svg xsd xsl plist", () => import("@shikijs/langs/xml")],
  ["yaml yml", () => import("@shikijs/langs/yaml")],
  ["zig", () => import("@shikijs/langs/zig")],
];

export interface CodeLanguage {
  readonly id: string;
  readonly load: GrammarLoader;
}

const BY_NAME: ReadonlyMap<string, CodeLanguage> = new Map(
  LANGUAGES.flatMap(([names, load]) => {
    const [id = "", ...others] = names.split(" ");
    return [id, ...others].map((name) => [name, { id, load }] as const);
  }),
);

/** By a name that a person would write. Undefined: it has no colours. */
export function languageNamed(name: string): CodeLanguage | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** What a file is written in, as far as its name tells. */
export function languageOfFile(path: string): CodeLanguage | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return languageNamed(name) ?? languageNamed(name.slice(name.lastIndexOf(".") + 1));
}
