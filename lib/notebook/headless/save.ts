import { basename, dirname, join } from "node:path";

/**
 * Writes a file whole: into a temporary file beside it, through to the disk, then renamed.
 *
 * @param path the file; its folder exists
 * @param text its content
 */
export function writeWhole(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
  try {
    using file = Deno.openSync(temporary, { write: true, createNew: true });
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    file.syncSync();
    Deno.renameSync(temporary, path);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
}

/**
 * Makes sure that a folder is there and takes files.
 *
 * @param folder the folder
 * @throws {Error} it cannot be made, or takes none
 */
export function requireWritable(folder: string): void {
  Deno.mkdirSync(folder, { recursive: true });
  const probe = join(folder, `.connlab-${crypto.randomUUID().slice(0, 8)}.tmp`);
  Deno.openSync(probe, { write: true, createNew: true }).close();
  removeIfThere(probe);
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was never made.
  }
}
