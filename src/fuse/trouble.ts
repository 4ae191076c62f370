/** Mounting or unmounting failed; the message says what to do next. */
export class MountTrouble extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MountTrouble";
  }
}
