import { CannotRunHereError } from "../record/mod.ts";

const NAMES: Readonly<Record<string, string>> = { darwin: "macOS", linux: "Linux", windows: "Windows" };

/** What this system has not got. */
export class UnsupportedError extends CannotRunHereError {
  /** `UnsupportedError`. */
  override name = "UnsupportedError";
  /** What is missing, as the system's manual calls it. */
  readonly missing: string;

  /**
   * Says what is missing.
   *
   * @param action what cannot be done, such as `wait for sockets`
   * @param missing what is missing, as the manual calls it, such as `epoll_create1(2)`
   */
  constructor(action: string, missing: string) {
    const { os } = Deno.build;
    super(
      `Cannot ${action} as ${NAMES[os] ?? os} has no ${missing}`,
      "Run it on Linux, in a container or a virtual machine",
    );
    this.missing = missing;
  }
}
