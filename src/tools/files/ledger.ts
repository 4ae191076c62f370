/** What the model has seen of each file, so that an edit of something that changed meanwhile is refused. */
export interface FileLedger {
  /** Remembers the content as the model saw it. */
  saw(path: string, content: Buffer): void;
  /** `unseen`: never read in this session. `changed`: not what was read. */
  check(path: string, current: Buffer): "same" | "unseen" | "changed";
  forget(): void;
}
