import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { Failure, LIMITS, type Attachment, type ImageMediaType } from "../../protocol/index.ts";

/** Images of a prompt. The first bytes decide the type, not the name. */
export async function readImages(paths: readonly string[], cwd: string): Promise<readonly Attachment[]> {
  if (paths.length > LIMITS.attachmentsPerPrompt) {
    throw new Failure("invalid_request", `a prompt takes ${LIMITS.attachmentsPerPrompt} images at most`);
  }
  return Promise.all(
    paths.map(async (path): Promise<Attachment> => {
      const bytes = await readFile(resolve(cwd, path));
      const media_type = mediaType(bytes);
      if (media_type === undefined)
        throw new Failure("invalid_request", `${path} is not a PNG, JPEG, GIF or WebP image`);
      if (bytes.length > LIMITS.attachmentBytes) {
        throw new Failure(
          "payload_too_large",
          `${path} has ${bytes.length} bytes; an image may have ${LIMITS.attachmentBytes}`,
        );
      }
      return { type: "image", media_type, data: bytes.toString("base64"), name: basename(path) };
    }),
  );
}

function mediaType(bytes: Buffer): ImageMediaType | undefined {
  const starts = (hex: string, at = 0): boolean => bytes.subarray(at, at + hex.length / 2).toString("hex") === hex;
  if (starts("89504e470d0a1a0a")) return "image/png";
  if (starts("ffd8ff")) return "image/jpeg";
  if (starts("474946383761") || starts("474946383961")) return "image/gif";
  if (starts("52494646") && starts("57454250", 8)) return "image/webp";
  return undefined;
}
