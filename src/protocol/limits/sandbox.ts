import { SHELL_LIMITS } from "./terminals.ts";

/** Sandboxes, and the files in them. */
export const SANDBOX_LIMITS = {
  ...SHELL_LIMITS,
  /** Characters of one message of a sandbox's helper. */
  sandboxMessageChars: 4_194_304,
  /** Streams of programs that are open at a time, for one sandbox. */
  sandboxStreams: 3_072,
  /** Connections that have not said which stream they are, for one sandbox. One more ends the oldest. */
  sandboxUnnamedStreams: 1_024,
  /** The longest that a sandbox's helper takes to answer. Then everything in the sandbox is ended. */
  sandboxAnswerMs: 20_000,
  /** The same of an emulated machine, with its start. */
  machineAnswerMs: 180_000,
  /** Bytes of /tmp, of the home and of each other folder in a sandbox that lives in memory. */
  sandboxTemporaryBytes: 536_870_912,
  /** Files of a folder that is copied for a session. */
  snapshotFiles: 200_000,
  /** A file of which something looked like a secret is read up to here; a larger one is withheld. */
  filteredFileBytes: 16_777_216,
  secretScanMs: 120_000,
  gitTimeoutMs: 60_000,
  /** Folders of a repository's own files that are looked through for links which lead out of it. */
  gitFolders: 10_000,
  /** A file of settings or a pointer in a repository; a longer one is taken for empty. */
  gitSettingsBytes: 1_048_576,
  /** Memory of everything in a sandbox together, unless the settings say otherwise. */
  sandboxMemoryBytes: 4_294_967_296,
  /** Processes and threads of everything in a sandbox together. */
  sandboxProcesses: 1_024,
  /** The least and the most that the settings may name as processors' worth of time of one sandbox. */
  sandboxCpusLeast: 0.1,
  sandboxCpusMost: 1_024,
  /** The longest that a try takes whether a sandbox works here. */
  sandboxProbeMs: 30_000,
  /** Open files of each process in a sandbox. */
  sandboxFiles: 4_096,
  /** Bytes of one file that a process in a sandbox can write. */
  sandboxFileBytes: 8_589_934_592,
  /** Document 003's: memory of everything in a container together, and its processes and threads. */
  containerMemoryBytes: 4_294_967_296,
  containerProcesses: 100,
  /** Fewer would not do for the helper and one program. */
  containerProcessesLeast: 32,
  /** gVisor runs a container's threads as threads of its own, and ends all of it when they are too many. */
  gvisorProcesses: 2_048,
  /** Bytes of one connection out of a virtual machine that are under way. */
  sandboxWindowBytes: 262_144,
  /** How long a container may take before its helper answers. */
  containerStartMs: 60_000,
  /** How long the end of a container that was killed is waited for. */
  containerEndMs: 10_000,
} as const;
