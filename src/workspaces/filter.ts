import picomatch from "picomatch";
import type { RepoFilterMode } from "../protocol/index.ts";

/** Which files of a repository an agent gets to see. Patterns are globs relative to its root; one without a slash holds in every folder. */
export type RepoFilter =
  | { readonly mode: "none" | "standard" | "strict" }
  /** Without an allowlist everything is allowed that is not denied. */
  | { readonly mode: "custom"; readonly denylist: readonly string[]; readonly allowlist: readonly string[] };

export function filterOf(mode: RepoFilterMode): RepoFilter {
  return typeof mode === "string" ? { mode } : { mode: "custom", ...mode.custom };
}

/** Why a file is withheld; undefined: it is not. */
export const WITHHELD_BECAUSE = ["name", "not on the allowlist"] as const;
type WithheldBecause = (typeof WITHHELD_BECAUSE)[number];

/** Files that hold keys, passwords or sessions, by their usual names. */
export const STANDARD_DENYLIST = [
  // Document 003's own list.
  ".env",
  ".env.*",
  "*.pem",
  "*.key",
  "**/credentials.json",
  "**/secrets.yaml",
  "**/.git/config",
  // The same in other spellings.
  "*.env",
  ".envrc",
  "credentials",
  "credentials.*",
  "secrets.{yml,yaml,json,toml,ini,env,properties,xml}",
  "*.secrets.{yml,yaml,json,toml}",
  "*secret*.{yml,yaml,json,toml}",
  "service-account*.json",
  "client_secret*.json",
  "application_default_credentials.json",
  // Keys and certificates with keys.
  "id_{rsa,dsa,ecdsa,ed25519}",
  "*_{rsa,dsa,ecdsa,ed25519}",
  "*.{ppk,p8,p12,pfx,jks,keystore,kdb,kdbx,asc,gpg,pgp,ovpn,mobileprovision}",
  "**/.ssh/**",
  "**/.gnupg/**",
  "**/wireguard/**",
  // What programs keep their logins in.
  ".netrc",
  "_netrc",
  ".pgpass",
  ".my.cnf",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pypirc",
  ".gem/credentials",
  ".git-credentials",
  ".htpasswd",
  ".dockercfg",
  "**/.docker/config.json",
  "**/.aws/**",
  "**/.azure/**",
  "**/.config/gcloud/**",
  "**/.kube/**",
  "kubeconfig",
  "*.kubeconfig",
  "**/.terraform.d/**",
  ".terraformrc",
  "terraform.rc",
  "*.tfstate",
  "*.tfstate.*",
  "*.tfvars",
  "*.auto.tfvars.json",
  ".vault-token",
  "**/.claude/.credentials.json",
  "**/.codex/auth.json",
  "**/.local/share/opencode/auth.json",
  ".bash_history",
  ".zsh_history",
  ".psql_history",
  ".mysql_history",
  ".node_repl_history",
  "**/.password-store/**",
  "master.key",
  "wp-config.php",
  "*.har",
] as const;

/** Examples that people write for others to fill in. Their content is looked at all the same. */
const EXAMPLES = ["*.{example,sample,template,dist}", ".env.{example,sample,template,dist,defaults}", "*.example.*"];

/** With `strict`, only what a source tree is made of. */
export const STRICT_ALLOWLIST = [
  "*.{astro,bash,bat,bazel,bzl,c,cc,cjs,clj,cljs,cmake,cpp,cs,css,csv,cts,cu,cxx,dart,el,elm,erb,erl,ex,exs,fish,fs,fsx,go,gradle}",
  "*.{graphql,groovy,h,hbs,hcl,hpp,hrl,hs,htm,html,hxx,ini,ipynb,java,jl,js,json,json5,jsonc,jsx,kt,kts,less,lisp,lua,m,md,mdx,mjs}",
  "*.{ml,mli,mm,mts,mustache,nim,nix,pas,php,pl,pm,proto,ps1,pug,py,pyi,r,rake,rb,rego,rs,rst,s,sass,scala,scm,scss,sh,sol,sql,svelte}",
  "*.{svg,swift,tcl,tex,tf,toml,ts,tsx,tsv,txt,v,vb,vhd,vhdl,vim,vue,wat,xml,xsd,xsl,yaml,yml,zig,zsh}",
  "*.{png,jpg,jpeg,gif,webp,ico,woff,woff2,ttf,snap,golden,patch,diff,lock,sum,mod,work,cfg,conf,properties,gemspec,podspec}",
  "{Dockerfile,Containerfile,Makefile,GNUmakefile,Justfile,justfile,Rakefile,Gemfile,Procfile,Brewfile,Vagrantfile,Jenkinsfile}",
  "{Dockerfile,Makefile}.*",
  "{LICENSE,LICENCE,COPYING,NOTICE,README,CHANGELOG,AUTHORS,CONTRIBUTORS,CODEOWNERS,VERSION,OWNERS}*",
  "{BUILD,WORKSPACE,.gitignore,.gitattributes,.gitmodules,.dockerignore,.editorconfig,.npmignore,.prettierignore,.eslintignore}",
  ".{prettierrc,eslintrc,babelrc,nvmrc,node-version,python-version,ruby-version,tool-versions,swcrc,stylelintrc,browserslistrc}*",
] as const;

interface NameRules {
  readonly denied: (path: string) => boolean;
  /** Absent: everything is allowed. */
  readonly allowed?: ((path: string) => boolean) | undefined;
}

/** Judges files by their names alone. Paths are relative to the repository's root, with `/`. */
export function nameFilter(filter: RepoFilter): (path: string) => WithheldBecause | undefined {
  const { denied, allowed } = rulesOf(filter);
  return (path) => {
    if (denied(path)) return "name";
    return allowed === undefined || allowed(path) ? undefined : "not on the allowlist";
  };
}

function rulesOf(filter: RepoFilter): NameRules {
  switch (filter.mode) {
    case "none":
      return { denied: () => false };
    case "standard":
      return { denied: standardDenied };
    case "strict":
      return { denied: matcher(STANDARD_DENYLIST), allowed: matcher(STRICT_ALLOWLIST) };
    case "custom":
      return {
        denied: matcher(filter.denylist),
        allowed: filter.allowlist.length === 0 ? undefined : matcher(filter.allowlist),
      };
  }
}

const denylisted = matcher(STANDARD_DENYLIST);
const isExample = matcher(EXAMPLES);

function standardDenied(path: string): boolean {
  return denylisted(path) && !isExample(path);
}

/** Case does not count: on some disks `.ENV` is `.env`. A pattern without a slash is for names, in whatever folder. */
function matcher(patterns: readonly string[]): (path: string) => boolean {
  const [names, paths] = [patterns.filter((one) => !one.includes("/")), patterns.filter((one) => one.includes("/"))];
  const [name, whole] = [anyOf(names), anyOf(paths)];
  return (path) => name.test(path.slice(path.lastIndexOf("/") + 1)) || whole.test(path);
}

/** One expression for all, which takes a fraction of the time. */
function anyOf(patterns: readonly string[]): RegExp {
  if (patterns.length === 0) return /(?!)/;
  const options = { dot: true, nocase: true, nonegate: true };
  return new RegExp(patterns.map((one) => `(?:${picomatch.makeRe(one, options).source})`).join("|"), "i");
}
