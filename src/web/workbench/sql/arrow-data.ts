import { makeData, type Data, type DataType, type Vector } from "apache-arrow";

/** Arrow's own builders make functions from texts, which the page forbids: data is put together by hand. */
export function newData(
  type: DataType,
  parts: {
    readonly length: number;
    readonly values: ArrayBufferView;
    readonly present: (index: number) => boolean;
    readonly valueOffsets?: Int32Array;
    readonly dictionary?: Vector;
  },
): Data {
  let nullCount = 0;
  const nullBitmap = bits(parts.length, (index) => {
    const isPresent = parts.present(index);
    if (!isPresent) nullCount += 1;
    return isPresent;
  });
  const { dictionary, valueOffsets } = parts;
  const shared = { type, length: parts.length, nullCount, data: parts.values };
  // The union of all types is more than its overloads can tell apart.
  return makeData({
    ...shared,
    ...(nullCount === 0 ? {} : { nullBitmap }),
    ...(dictionary === undefined ? {} : { dictionary }),
    ...(valueOffsets === undefined ? {} : { valueOffsets }),
  } as never) as Data;
}

export function bits(length: number, isSet: (index: number) => boolean): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(length / 8));
  for (let index = 0; index < length; index += 1)
    if (isSet(index)) bytes[index >>> 3] = (bytes[index >>> 3] ?? 0) | (1 << (index & 7));
  return bytes;
}

/** UTF-8, one after the other. */
export function encoded(texts: readonly string[]): { readonly values: Uint8Array; readonly valueOffsets: Int32Array } {
  const encoder = new TextEncoder();
  const valueOffsets = new Int32Array(texts.length + 1);
  let bytes = new Uint8Array(1_024);
  let end = 0;
  for (const [index, text] of texts.entries()) {
    // A UTF-16 unit is at most three bytes.
    if (end + text.length * 3 > bytes.length) {
      const larger = new Uint8Array(Math.max(bytes.length * 2, end + text.length * 3));
      larger.set(bytes);
      bytes = larger;
    }
    end += encoder.encodeInto(text, bytes.subarray(end)).written;
    valueOffsets[index + 1] = end;
  }
  return { values: bytes.subarray(0, end), valueOffsets };
}
