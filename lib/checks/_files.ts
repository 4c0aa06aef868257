/**
 * The files below folders, sorted. Hidden folders below them are left out.
 *
 * @param root the project root, absolute
 * @param folders the folders, relative to the root; one that does not exist has no files
 * @returns the paths, relative to the root, with `/`
 */
export async function files(root: string, folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    try {
      for await (const { name, isDirectory, isFile } of Deno.readDir(`${root}/${folder}`)) {
        if (isFile) found.push(`${folder}/${name}`);
        if (isDirectory && !name.startsWith(".")) await visit(`${folder}/${name}`);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  };
  for (const folder of folders) await visit(folder);
  return found.sort();
}
