const MINUS = 45;
const ZERO = 48;
const NINE = 57;

/**
 * A number as Table Schema writes it: `Number()` alone would also take spaces, `0x10` and `.5`.
 *
 * @param text the text of a cell
 * @returns the number; `undefined` when the text is none
 */
export function readNumber(text: string): number | undefined {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  const first = text.charCodeAt(start);
  const last = text.charCodeAt(text.length - 1);
  if (!(first >= ZERO && first <= NINE && last >= ZERO && last <= NINE)) return undefined;
  if (first === ZERO && /[xob]/i.test(text.charAt(start + 1))) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * A whole number that a double holds exactly.
 *
 * @param text the text of a cell
 * @returns the number; `undefined` when the text is none
 */
export function readInteger(text: string): number | undefined {
  const number = readNumber(text);
  return Number.isSafeInteger(number) ? number : undefined;
}
