/** What a holder is told: the first word of a message. */
export const COMMAND = { hold: 1, letGo: 2 } as const;

/** What it answers: the first word of its answer. The second is how many sockets it holds. */
export const ANSWER = { done: 0, full: 1 } as const;

/**
 * The name under which a holder listens.
 *
 * @param pid its process id
 * @returns the name of an abstract Unix socket
 */
export function holderName(pid: number): string {
  return `connlab-holder-${pid}`;
}
