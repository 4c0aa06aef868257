/**
 * Refuses numbers that no statistic can be made of.
 *
 * @param values the numbers
 * @param what the statistic, for the message
 * @throws {RangeError} there are none, or one is not finite
 */
export function checkValues(values: ArrayLike<number>, what: string): void {
  if (values.length === 0) throw new RangeError(`Cannot compute ${what} as there are no values`);
  for (let index = 0; index < values.length; index++) {
    if (!Number.isFinite(values[index])) {
      throw new RangeError(
        `Cannot compute ${what} as every value must be finite: value ${index} is ${values[index]}`,
      );
    }
  }
}
