/** Bounds of vendors' programs that are installed for Sallyport. Times are milliseconds. */
export const PROGRAM_LIMITS = {
  /** How long npm has to install one program. */
  programInstallMs: 900_000,
  /** How long an installed program has to tell its version. */
  programVersionMs: 30_000,
  /** What is read of npm's answer, and of a program's version. */
  programAnswerBytes: 1_048_576,
  /** Folders above a program in which its package is looked for. */
  programPackageDepth: 6,
} as const;
