import { rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A real file whose content is only ever replaced whole: readers see the old one or the new one. */
export class ReplacedFile {
  #written: Uint8Array | undefined;

  async replace(path: string, bytes: Uint8Array): Promise<void> {
    if (this.#written !== undefined && Buffer.compare(this.#written, bytes) === 0) return;
    const beside = join(dirname(path), `.${basename(path)}.next`);
    await writeFile(beside, bytes, { mode: 0o400 });
    await rename(beside, path);
    this.#written = bytes;
  }
}
