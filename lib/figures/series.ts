/** Points of one colour. A point that lacks a number (`NaN`) is left out. */
export interface Series {
  /** What they belong to, such as a variant: it stands in the legend and decides the colour. */
  readonly name: string;
  /** Where each lies along x. */
  readonly x: ArrayLike<number>;
  /** Where each lies along y. */
  readonly y: ArrayLike<number>;
}
