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

function withKey(id: string, name: string, variable: string, note: string): KeyHelp {
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

export const KEY_HELP: readonly KeyHelp[] = [
  withKey("cloud", "Anthropic", "ANTHROPIC_API_KEY", "An OAuth token goes into ANTHROPIC_AUTH_TOKEN instead."),
  withKey("openai", "OpenAI", "OPENAI_API_KEY", "Supports the OpenAI API format only."),
  withKey("xai", "xAI", "XAI_API_KEY", "Supports the OpenAI API format only."),
  withKey(
    "openrouter",
    "OpenRouter",
    "OPENROUTER_API_KEY",
    "Model names include the maker: anthropic/claude-sonnet-5.",
  ),
  {
    id: "local",
    name: "A model of your own",
    command:
      "sallyport provider add local --base-url http://127.0.0.1:11434 --wire anthropic --wire openai --default-model qwen3-coder",
    yaml: "providers:\n  local:\n    base_url: http://127.0.0.1:11434\n    wires: [anthropic, openai]\n    default_model: qwen3-coder",
    note: "Ollama, llama.cpp, vLLM and others; needs no key and costs nothing unless a price is set.",
  },
];
