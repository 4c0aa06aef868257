import { join } from "node:path";

/** A folder that is removed, with all that is in it, at the end of its block. */
export class TemporaryFolder implements Disposable {
  /** Its path, without links. */
  readonly path: string = Deno.realPathSync(Deno.makeTempDirSync());

  /**
   * What is in it.
   *
   * @returns the names, in order
   */
  get names(): string[] {
    return [...Deno.readDirSync(this.path)].map(({ name }) => name).sort();
  }

  /**
   * Writes a file.
   *
   * @param name its name
   * @param text what is in it
   * @returns its path
   */
  write(name: string, text: string): string {
    const path = join(this.path, name);
    Deno.writeTextFileSync(path, text);
    return path;
  }

  /** Removes it. */
  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}
