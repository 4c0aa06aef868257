import type { KernelMessage } from "../kernel/mod.ts";
import type { CodeCell, DataOutput, ErrorOutput, JsonObject, Output } from "./nbformat.ts";

/**
 * Turns the messages of a kernel into the outputs of cells, by the rules of Jupyter: a stream goes on
 * where it stopped, a display is changed wherever it stands, `clear_output` clears.
 *
 * Source: https://jupyter-client.readthedocs.io/en/stable/messaging.html#messages-on-the-iopub-pub-sub-channel
 */
export class OutputCollector {
  readonly #displays = new Map<string, Set<DataOutput>>();
  readonly #onLive: (text: string) => void;
  #outputs: Output[] = [];
  #errors: ErrorOutput[] = [];
  #clearFirst = false;

  /**
   * Begins without outputs.
   *
   * @param onLive takes the plain text of a display that changes in place, such as a progress bar
   */
  constructor(onLive: (text: string) => void = () => {}) {
    this.#onLive = onLive;
  }

  /**
   * Puts what comes from now on under a cell, in place of the outputs it had.
   *
   * @param cell the cell
   */
  begin(cell: CodeCell): void {
    cell.outputs = this.#outputs = [];
    this.#errors = [];
    this.#clearFirst = false;
  }

  /**
   * Takes a message.
   *
   * @param message what the kernel published
   */
  take({ type, content }: KernelMessage): void {
    const { name, text, wait } = content as { name: "stdout" | "stderr"; text: string; wait?: boolean };
    switch (type) {
      case "stream": {
        this.#clearIfDue();
        const last = this.#outputs.at(-1);
        if (last?.output_type === "stream" && last.name === name) last.text += text;
        else this.#outputs.push({ output_type: type, name, text });
        break;
      }
      case "display_data":
      case "execute_result":
      case "update_display_data":
        this.#takeData(type, content as unknown as DataContent);
        break;
      case "error":
        this.#errors.push(readError(content as Partial<ErrorOutput>));
        break;
      case "clear_output":
        if (wait) this.#clearFirst = true;
        else this.#clear();
    }
  }

  /**
   * Adds an error that the kernel did not publish.
   *
   * @param error the error
   */
  fail(error: ErrorOutput): void {
    this.#errors.push(error);
  }

  /**
   * Ends the cell. The kernel publishes errors ahead of outputs that came before: they go last here, as
   * they came last.
   */
  end(): void {
    this.#outputs.push(...this.#errors.splice(0));
  }

  /** The first error since the cell began, or was ended; `null` when there is none. */
  get firstError(): ErrorOutput | null {
    return this.#errors[0] ?? null;
  }

  #takeData(type: DataOutput["output_type"] | "update_display_data", content: DataContent): void {
    const { data, metadata = {}, transient, execution_count = null } = content;
    const id = transient?.display_id;
    const places = id === undefined ? new Set<DataOutput>() : this.#displays.get(id) ?? new Set();
    for (const place of places) Object.assign(place, { data, metadata });
    const text = data["text/plain"];
    if (id !== undefined && typeof text === "string" && text !== "") this.#onLive(text);
    if (type === "update_display_data") return;
    this.#clearIfDue();
    const output: DataOutput = { output_type: type, data, metadata };
    if (type === "execute_result") output.execution_count = execution_count;
    this.#outputs.push(output);
    if (id !== undefined) this.#displays.set(id, places.add(output));
  }

  #clearIfDue(): void {
    if (this.#clearFirst) this.#clear();
  }

  #clear(): void {
    this.#outputs.length = 0;
    this.#clearFirst = false;
  }
}

interface DataContent {
  readonly data: JsonObject;
  readonly metadata?: JsonObject;
  readonly transient?: { readonly display_id?: string };
  readonly execution_count?: number;
}

/** An error; what is thrown without being an error has no stack to show. */
function readError({ ename = "Error", evalue = "", traceback = [] }: Partial<ErrorOutput>): ErrorOutput {
  const told = traceback.some((line) => line !== "");
  return { output_type: "error", ename, evalue, traceback: told ? [...traceback] : [`${ename}: ${evalue}`] };
}
