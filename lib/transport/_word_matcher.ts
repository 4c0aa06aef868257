/**
 * Tells which of a few words the bytes are that come one by one, without regard to case. It makes no strings:
 * a response's head is read between two system calls that are being timed.
 */
export class WordMatcher<W extends string> {
  readonly #words: readonly W[];
  /** The words that the bytes so far may still become, one bit each. */
  #candidates = 0;
  #length = 0;

  /** @param words at most 31 words in lower case, of letters and hyphens */
  constructor(words: readonly W[]) {
    this.#words = words;
  }

  /** Begins another word. */
  begin(): void {
    this.#candidates = (1 << this.#words.length) - 1;
    this.#length = 0;
  }

  /** Takes the word's next byte. */
  add(byte: number): void {
    if (this.#candidates !== 0) {
      // The bit that tells lower case from upper: it is set in a hyphen too.
      const lower = byte | 32;
      for (let index = 0; index < this.#words.length; index++) {
        if (this.#words[index]!.charCodeAt(this.#length) !== lower) this.#candidates &= ~(1 << index);
      }
    }
    this.#length++;
  }

  /** The word that has come; `null` when it is none of those. */
  get match(): W | null {
    for (let index = 0; index < this.#words.length; index++) {
      if ((this.#candidates >> index & 1) === 1 && this.#words[index]!.length === this.#length) {
        return this.#words[index]!;
      }
    }
    return null;
  }
}
