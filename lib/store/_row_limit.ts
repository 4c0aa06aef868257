/** Longest row, in bytes or UTF-16 units, so that a quote that never ends does not fill the memory. */
export const MAX_ROW_LENGTH = 16 * 1024 * 1024;

/** What is wrong with a longer one. */
export const ROW_TOO_LONG = "a row is longer than 16 MiB, or a quote is never closed";
