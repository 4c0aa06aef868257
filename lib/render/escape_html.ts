const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Text as it stands in HTML or XML, inside an element or an attribute.
 *
 * @param text any text
 * @returns the text with the characters escaped that mean something there
 *
 * @example
 * ```ts
 * import { escapeHtml } from "./escape_html.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(escapeHtml(`p99 < "3 ms" & it's`), "p99 &lt; &quot;3 ms&quot; &amp; it&#39;s");
 * ```
 */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
