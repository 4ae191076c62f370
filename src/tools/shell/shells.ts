/** The session's background shells. */
export interface Shells {
  close(): Promise<void>;
}
