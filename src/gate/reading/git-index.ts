const HEADER = 12;
/** Up to the name: times, numbers, mode, size, a SHA-1 hash, flags. */
const ENTRY = 62;
const MODE = 24;
const FLAGS = 60;
const EXTENDED = 0x4000;
const REPOSITORY = 0o160000;
const FOLDER = 0o040000;
const SHA1 = 20;

/**
 * Whether git's index holds files only. Another repository in it (a submodule) has settings of its own, which git obeys when it looks
 * whether something changed. False also for forms that are not read here: SHA-256, split and sparse ones.
 */
export function holdsFilesOnly(index: Uint8Array): boolean {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  if (index.length < HEADER + SHA1 || view.getUint32(0) !== 0x44495243) return false;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return false;
  let at = HEADER;
  for (let left = view.getUint32(8); left > 0; left--) {
    if (at + ENTRY > index.length - SHA1) return false;
    const kind = view.getUint32(at + MODE) & 0o170000;
    if (kind === REPOSITORY || kind === FOLDER) return false;
    const start = at + ENTRY + ((view.getUint16(at + FLAGS) & EXTENDED) === 0 ? 0 : 2);
    const name = version === 4 ? afterNumber(index, start) : start;
    const end = index.indexOf(0, name);
    if (end === -1) return false;
    at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
  }
  return extensionsAreKnown(index, view, at);
}

/** Where a number of variable length ends. */
function afterNumber(bytes: Uint8Array, from: number): number {
  let at = from;
  while (((bytes[at] ?? 0) & 0x80) !== 0) at += 1;
  return at + 1;
}

/** Small letters mark extensions without which the index cannot be understood. */
function extensionsAreKnown(index: Uint8Array, view: DataView, from: number): boolean {
  let at = from;
  while (at + 8 <= index.length - SHA1) {
    const first = index[at] ?? 0;
    if (first < 0x41 || first > 0x5a) return false;
    at += 8 + view.getUint32(at + 4);
  }
  return at === index.length - SHA1;
}
