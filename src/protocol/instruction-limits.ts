/** What a workspace says to agents: its instructions, skills, commands and kinds of sub-agents. Sizes are bytes unless the name says otherwise. */
export const INSTRUCTION_LIMITS = {
  /** One file of instructions, and all of them together. A larger one is left out. */
  instructionFileBytes: 65_536,
  instructionBytes: 131_072,
  /** Files of instructions, imported ones included. */
  instructionFiles: 32,
  /** How deep a file may import others, and how many imports are followed in all. */
  instructionImportDepth: 5,
  instructionImports: 100,
  /** Folders above the workspace that are looked at on the way to the repository's root, and below it on the way to a file. */
  instructionFolders: 16,
  /** Agents of a session, sub-agents included, of which it is known which instructions of folders they were told. */
  nestedInstructionAgents: 64,
  /** Skills, commands and kinds of sub-agents of a workspace; `agents` bounds the last together with the session's own. */
  workspaceSkills: 100,
  workspaceCommands: 100,
  /** Names of one of their folders that are looked at, and folders of commands. */
  workspaceFolderEntries: 1_000,
  workspaceCommandFolders: 32,
  /** Their `description` and `argument-hint`, in characters; the rest is cut. */
  workspaceDescriptionChars: 1_024,
  workspaceHintChars: 200,
  /** The head of such a file, between its two lines `---`. */
  frontmatterChars: 8_192,
  frontmatterFields: 64,
  /** Words of a command's prompt that `$1` … can name. */
  commandArguments: 9,
  /** Files whose times and sizes are compared before a turn; where there are more, all are read again. */
  instructionLooks: 1_024,
  /** Milliseconds: a file that changed so shortly before it was read is read again, because its time could be the same after another change. */
  instructionSettledMs: 2_000,
  /** Files that are read at the same time. */
  instructionReads: 16,
  /** Rules of each kind and hooks that a repository may have; how long a hook may run, and how much of its output counts, in characters. */
  repositoryRules: 200,
  repositoryHooks: 32,
  repositoryHookMs: 60_000,
  repositoryHookChars: 65_536,
  /** Approvals of one repository's programs that are looked through. */
  repositoryApprovals: 50,
  /** What was not loaded, as it is journaled and shown. */
  leftOutFiles: 50,
} as const;
