/**
 * A copy of the project in a temporary folder, with a home of its own in which the Deno kernel is installed:
 * the runs that notebooks save there end with it.
 */
export class Workspace implements AsyncDisposable {
  /** The project's root in the copy, absolute. */
  readonly root: string;
  /** What every program that runs in it is given beside the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly #folder: string;

  private constructor(folder: string) {
    const home = `${folder}/home`;
    this.#folder = folder;
    this.root = `${folder}/project`;
    this.env = {
      HOME: home,
      NO_COLOR: "1",
      XDG_DATA_HOME: `${home}/.local/share`,
      JUPYTER_DATA_DIR: `${home}/.local/share/jupyter`,
      JUPYTER_CONFIG_DIR: `${home}/.jupyter`,
      JUPYTER_RUNTIME_DIR: `${folder}/runtime`,
      JUPYTERLAB_SETTINGS_DIR: `${home}/.jupyter/settings`,
      JUPYTERLAB_WORKSPACES_DIR: `${home}/.jupyter/workspaces`,
      IPYTHONDIR: `${home}/.ipython`,
    };
  }

  /** Copies what is committed or about to be, and installs the kernel. */
  static async open(): Promise<Workspace> {
    const workspace = new Workspace(await Deno.makeTempDir({ prefix: "connlab-" }));
    try {
      await Deno.mkdir(workspace.env.HOME!);
      const project = await Deno.realPath(`${import.meta.dirname}/../..`);
      // The clone may belong to another user than the one who runs the checks.
      const list = ["git", "-c", `safe.directory=${project}`, "ls-files", "-z", "--cached", "--others"];
      const paths = await run([...list, "--exclude-standard"], { cwd: project });
      for (const path of paths.split("\0").filter(Boolean)) {
        const target = `${workspace.root}/${path}`;
        await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
        await Deno.copyFile(`${project}/${path}`, target);
      }
      await workspace.run(["deno", "task", "kernel"]);
      return workspace;
    } catch (error) {
      await workspace[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Runs a program in the project's root.
   *
   * @returns what it said on standard output
   * @throws {Error} it ends with another status than 0
   */
  run(command: readonly string[]): Promise<string> {
    return run(command, { cwd: this.root, env: this.env });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#folder, { recursive: true });
  }
}

async function run(
  [program, ...args]: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<string> {
  const output = await new Deno.Command(program!, { ...options, args, stdin: "null" }).output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!output.success) {
    throw new Error(`${program} ${args.join(" ")} ended with ${output.code}\n${stdout}\n${stderr}`);
  }
  return stdout!;
}
