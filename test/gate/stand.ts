import type { CallInQuestion, ResolvedPath, PolicyContext } from "../../src/gate/index.ts";
import type { Profile } from "../../src/protocol/index.ts";

export const WORKSPACE = "/home/dev/app";
export const FOLDER = { cwd: WORKSPACE, workspace: WORKSPACE };

export function context(profile: Profile = {}, more: Partial<PolicyContext> = {}): PolicyContext {
  return {
    profile,
    profileName: "test",
    autonomy: "supervised",
    acceptEdits: false,
    neverAsk: false,
    grants: [],
    workspace: WORKSPACE,
    extraRead: [],
    askReads: false,
    ...more,
  };
}

export function call(tool: string, more: Partial<CallInQuestion> = {}): CallInQuestion {
  return { tool, input: {}, known: true, tier: "execute", alwaysAsks: false, paths: [], hosts: [], ...more };
}

export function bash(command: string, more: Readonly<Record<string, unknown>> = {}): CallInQuestion {
  return call("Bash", { input: { command, ...more } });
}

export function at(path: string, access: ResolvedPath["access"]): ResolvedPath {
  return { given: path, real: path.startsWith("/") ? path : `${WORKSPACE}/${path}`.replace(/\/\.?$/, ""), access };
}

export function edit(path: string, tool = "Edit"): CallInQuestion {
  return call(tool, { tier: "write", input: { file_path: path }, paths: [at(path, "write")] });
}

export function read(path: string, tool = "Read"): CallInQuestion {
  return call(tool, { tier: "read", input: { file_path: path }, paths: [at(path, "read")] });
}

export function fetching(host: string): CallInQuestion {
  return call("WebFetch", { tier: "network", input: { url: `https://${host}/` }, hosts: [host] });
}
