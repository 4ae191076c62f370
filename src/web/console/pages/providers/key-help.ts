import { PROVIDER_KINDS, type KindDefaults } from "../../../../protocol/index.ts";

/** How a key gets to the server, for one of the providers that ship. */
export interface KeyHelp {
  readonly id: string;
  readonly name: string;
  /** The variable that is read without any setting. */
  readonly variable?: string;
  /** To be run on the server's machine. */
  readonly command: string;
  /** The same in sallyport.yaml. */
  readonly yaml: string;
  readonly note: string;
}

export const KEY_HELP: readonly KeyHelp[] = Object.entries(PROVIDER_KINDS).map(([id, kind]) => helpWith(id, kind));

function helpWith(id: string, { name, note, baseUrl, variables: [variable] }: KindDefaults): KeyHelp {
  if (baseUrl === undefined || variable === undefined)
    return {
      id,
      name,
      command: `sallyport provider add ${id} --base-url http://127.0.0.1:11434 --wire anthropic --wire openai --default-model qwen3-coder`,
      yaml: `providers:\n  ${id}:\n    base_url: http://127.0.0.1:11434\n    wires: [anthropic, openai]\n    default_model: qwen3-coder`,
      note,
    };
  const file = `~/.secrets/${id}`;
  return {
    id,
    name,
    variable,
    command: `install -D -m 600 /dev/null ${file} && cat > ${file}   # paste the key, Ctrl-D\nsallyport provider add ${id} --credential-file ${file}`,
    yaml: `providers:\n  ${id}:\n    credential_file: ${file}`,
    note,
  };
}
