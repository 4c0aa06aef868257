import { readKernelFile } from "./proc.ts";

/** Whether a process can be started in a network namespace of its own. */
export interface NamespaceSupport {
  /** Whether it can. */
  readonly available: boolean;
  /** Why not; `null` when it can. */
  readonly reason: string | null;
  /** What helps; `null` when it can. */
  readonly remedy: string | null;
}

/** The program that starts another one in namespaces of its own, and how it is told to. */
export const UNSHARE: readonly [program: string, ...args: string[]] = [
  "unshare",
  "--map-root-user",
  "--net",
];

/** Settings that keep a person who is not root from having namespaces: where each is, when it does, what helps. */
const SWITCHES: readonly { name: string; forbids: string; remedy: string }[] = [
  {
    name: "user.max_user_namespaces",
    forbids: "0",
    remedy: "Allow some, as root: sysctl -w user.max_user_namespaces=1000",
  },
  {
    name: "user.max_net_namespaces",
    forbids: "0",
    remedy: "Allow some, as root: sysctl -w user.max_net_namespaces=1000",
  },
  {
    name: "kernel.unprivileged_userns_clone",
    forbids: "0",
    remedy: "Allow them, as root: sysctl -w kernel.unprivileged_userns_clone=1",
  },
  {
    name: "kernel.apparmor_restrict_unprivileged_userns",
    forbids: "1",
    remedy: "Allow them, as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, " +
      "or give unshare an AppArmor profile with the right to userns",
  },
];

/** ENOSPC, as unshare puts it: as many namespaces are there as the system allows. Source: user_namespaces(7). */
const NONE_LEFT = "No space left on device";

/** How long unshare may take; it takes milliseconds. */
const LIMIT_MS = 10_000;

/**
 * Whether this system lets a person start a process in user and network namespaces of its own. It is tried, as
 * only that tells.
 *
 * Needs `--allow-run=unshare`, and `--allow-ffi` of the C library for a more exact reason. Source:
 * user_namespaces(7), unshare(1).
 *
 * @returns whether it can be, else why not and what helps
 */
export async function namespaceSupport(): Promise<NamespaceSupport> {
  const { os } = Deno.build;
  if (os !== "linux") return refused(`${os} has no network namespaces`, "Run it on Linux");
  const said = await tryUnshare();
  return said === null ? { available: true, reason: null, remedy: null } : explainRefusal(said);
}

/**
 * Why unshare failed.
 *
 * @param said what it said; empty when it could not be started
 * @param read gives the value of a setting by its name; `null` when there is none. @default {this system's}
 * @returns the reason and the remedy
 */
export function explainRefusal(
  said: string,
  read: (name: string) => string | null = readSwitch,
): NamespaceSupport {
  if (said === "") {
    return refused(
      "no program called unshare can be started",
      "Install util-linux, or add the folder of unshare to PATH",
    );
  }
  const found = SWITCHES.find(({ name, forbids }) => read(name) === forbids);
  if (found !== undefined) return refused(`${found.name} is ${found.forbids}`, found.remedy);
  if (said.endsWith(NONE_LEFT)) {
    return refused(
      "there are as many namespaces as the system allows",
      "End other runs, or raise user.max_user_namespaces and user.max_net_namespaces, as root, with sysctl -w",
    );
  }
  return refused(
    `the system refused: ${said}`,
    "Inside a container, start that with the right to user namespaces, such as with " +
      "--security-opt seccomp=unconfined; else look for what limits them in user_namespaces(7)",
  );
}

function refused(reason: string, remedy: string): NamespaceSupport {
  return { available: false, reason, remedy };
}

/** What unshare says when it fails, in its own words; `null` when it does what it is asked. */
async function tryUnshare(): Promise<string | null> {
  const [program, ...args] = UNSHARE;
  try {
    const { success, stderr } = await new Deno.Command(program, {
      // It has to start something, and is itself at hand.
      args: [...args, program, "--help"],
      env: { LC_ALL: "C" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(LIMIT_MS),
    }).output();
    if (success) return null;
    const [line = ""] = new TextDecoder().decode(stderr).trim().split("\n");
    return line || "unshare failed without a word";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return "";
    throw error;
  }
}

function readSwitch(name: string): string | null {
  try {
    return readKernelFile(`/proc/sys/${name.replaceAll(".", "/")}`).trim();
  } catch {
    // This system has no such switch, or this process may not look: the next one may tell.
    return null;
  }
}
