import { type Symptom, symptoms } from "../record/mod.ts";

const README = new URL("../../README.md", import.meta.url);

/** What the README's table stands between. The formatter would pad every cell to the width of the longest. */
const MARKS = {
  begin: "<!-- symptoms -->\n<!-- deno-fmt-ignore-start -->\n",
  end: "\n<!-- deno-fmt-ignore-end -->\n<!-- /symptoms -->",
} as const;

/**
 * The table of symptoms as Markdown, errors first.
 *
 * @returns two tables, each with a line of its own before it
 */
export function symptomTable(): string {
  return [
    ...["Errors, by the name that a row has:", "", table(symptoms("errors"))],
    ...["", "No errors, and often taken for one:", "", table(symptoms("no-errors"))],
  ].join("\n");
}

/**
 * Puts the table of symptoms where it belongs.
 *
 * @param readme the text of the README
 * @returns the text with the table as it is now
 * @throws {Error} the marks of the table are missing
 */
export function withSymptomTable(readme: string): string {
  const from = readme.indexOf(MARKS.begin);
  const to = readme.indexOf(MARKS.end);
  if (from < 0 || to < from) {
    throw new Error("Cannot write table of symptoms as README.md has no marks for it");
  }
  return readme.slice(0, from) + MARKS.begin + "\n" + symptomTable() + "\n" + readme.slice(to);
}

function table(lines: readonly Symptom[]): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    row(["name", "symptom", "cause", "whose limit", "remedy"]),
    row(["---", "---", "---", "---", "---"]),
    ...lines.map(({ name, symptom, cause, limit, remedy }) =>
      row([`\`${name}\``, symptom, cause, limit, remedy])
    ),
  ].join("\n");
}

if (import.meta.main) await Deno.writeTextFile(README, withSymptomTable(await Deno.readTextFile(README)));
