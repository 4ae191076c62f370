import { lstatSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
// Not through the folder's index: this runs in its own process, which must start fast.
import { errorText, Failure } from "../../protocol/failure.ts";
import { LIMITS } from "../../protocol/limits.ts";

/**
 * Opens a file so that SQLite itself refuses to write: read-only, nothing can be attached (so no VACUUM INTO either), no
 * extensions, no trust in functions that a schema names. No temporary file is written.
 */
export function openFile(path: string): DatabaseSyncInstance {
  checkRegular(path);
  try {
    const database = new DatabaseSync(path, {
      readOnly: true,
      defensive: true,
      allowExtension: false,
      enableDoubleQuotedStringLiterals: false,
      timeout: LIMITS.connectionLockMs,
      limits: {
        attach: 0,
        length: LIMITS.connectionResultBytes,
        sqlLength: LIMITS.connectionSqlChars * 4,
        triggerDepth: 1,
      },
    });
    for (const setting of [
      "PRAGMA trusted_schema = OFF",
      "PRAGMA query_only = ON",
      "PRAGMA cell_size_check = ON",
      "PRAGMA temp_store = MEMORY",
    ])
      database.exec(setting);
    return database;
  } catch (error) {
    throw new Failure("connection_failed", `the file cannot be opened: ${errorText(error)}`);
  }
}

function checkRegular(path: string): void {
  try {
    if (lstatSync(path).isFile()) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(
      "connection_failed",
      code === "ENOENT" ? "the file does not exist" : `the file cannot be read (${code ?? "?"})`,
    );
  }
  throw new Failure("connection_failed", "it must be a regular file, no link and no folder");
}
