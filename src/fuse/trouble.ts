/** Mounting or unmounting did not work; the words say what to do next. */
export class MountTrouble extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MountTrouble";
  }
}
