/** What stands over a figure. */
export interface Heading {
  /** What is seen, in a sentence without a period. */
  readonly title: string;
  /** What one has to know to read it: how many, of what. @default {none} */
  readonly subtitle?: string;
}
