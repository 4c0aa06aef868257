import type { Browser, Page } from "playwright-core";
import type { Workspace } from "./workspace.ts";

/** A JupyterLab of a workspace, on a port and with a token of its own. */
export class JupyterLab implements AsyncDisposable {
  readonly #server: Deno.ChildProcess;
  readonly #log: Promise<string>;
  readonly #url: string;
  readonly #token: string;

  private constructor(server: Deno.ChildProcess, log: Promise<string>, url: string, token: string) {
    this.#server = server;
    this.#log = log;
    this.#url = url;
    this.#token = token;
  }

  /** Starts the server and waits until it says where it listens. */
  static async start(workspace: Workspace): Promise<JupyterLab> {
    const settings = `${workspace.env.JUPYTERLAB_SETTINGS_DIR}/@jupyterlab/apputils-extension`;
    const quiet = { fetchNews: "false", checkForUpdates: false };
    await Deno.mkdir(settings, { recursive: true });
    await Deno.writeTextFile(`${settings}/notification.jupyterlab-settings`, JSON.stringify(quiet));
    const token = crypto.randomUUID();
    const server = new Deno.Command("jupyter", {
      args: ["lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"],
      cwd: workspace.root,
      env: { ...workspace.env, JUPYTER_TOKEN: token },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const url = Promise.withResolvers<string>();
    const log = readLog(server.stderr, url);
    return new JupyterLab(server, log, await url.promise, token);
  }

  /** Opens a notebook of the workspace in a page of its own and waits until its kernel is connected. */
  async open(browser: Browser, path: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 960 } });
    await page.goto(`${this.#url}/tree/${path}?token=${this.#token}`);
    await page.locator(".jp-Notebook .jp-Cell").first().waitFor();
    await page.locator(".jp-KernelName", { hasText: "Deno" }).waitFor();
    // The page shows an idle kernel before there is one; a run that begins then ends in a question.
    await until("the kernel is connected", () => this.#isConnected());
    return page;
  }

  /** Whether the server has a kernel that is idle, with a page listening to it. */
  async #isConnected(): Promise<boolean> {
    const url = this.#url.replace(/lab$/, "api/sessions");
    const response = await fetch(url, { headers: { authorization: `token ${this.#token}` } });
    const sessions: { kernel: { execution_state: string; connections: number } }[] = await response.json();
    return sessions.some(({ kernel }) => kernel.execution_state === "idle" && kernel.connections > 0);
  }

  /** Ends the server, and with it its kernels. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.kill("SIGTERM");
    await Promise.all([this.#server.status, this.#log]);
  }
}

/** Chooses Run All Cells, and waits until every code cell has run and the kernel is idle. */
export async function runAll(page: Page, timeoutMs: number): Promise<void> {
  await page.getByRole("menuitem", { name: "Run", exact: true }).click();
  await page.getByRole("menuitem", { name: "Run All Cells", exact: true }).click();
  const haveRun = () => {
    const prompts = [...document.querySelectorAll(".jp-CodeCell .jp-InputArea-prompt")];
    return prompts.length > 0 && prompts.every((prompt) => /\[\d+\]/.test(prompt.textContent ?? ""));
  };
  await page.waitForFunction(haveRun, undefined, { timeout: timeoutMs });
  await page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").waitFor();
}

/** Saves the notebook and waits until JupyterLab says that it is. */
export async function save(page: Page): Promise<void> {
  await page.getByRole("menuitem", { name: "File", exact: true }).click();
  await page.getByRole("menuitem", { name: /^Save Notebook(?! As)/ }).click();
  await page.locator(".jp-mod-dirty").waitFor({ state: "detached" });
}

/**
 * Records every value that a progress bar shows from now on.
 *
 * @returns a function that tells the values so far, in order
 */
export async function watchProgress(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(globalThis, { progressSeen: seen });
    new MutationObserver(() => {
      const bar = document.querySelector(".jp-OutputArea-output progress") as HTMLProgressElement | null;
      if (bar && seen.at(-1) !== bar.value) seen.push(bar.value);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { progressSeen: number[] }).progressSeen);
}

/** How many outputs are drawn below each code cell, in order. */
export function countOutputs(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll(".jp-CodeCell")].map((cell) =>
      cell.querySelectorAll(".jp-OutputArea-output").length
    )
  );
}

/** How many plots are drawn below each code cell, in order. */
export function countPlots(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll(".jp-CodeCell")].map((cell) =>
      cell.querySelectorAll(".js-plotly-plot .main-svg:has(.trace)").length
    )
  );
}

/** Asks until something is so, for half a minute at most. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Cannot go on as in 30 s it did not come about that ${what}`);
}

/** Reads what the server says to its end, and finds where it listens. */
async function readLog(
  stream: ReadableStream<Uint8Array>,
  url: PromiseWithResolvers<string>,
): Promise<string> {
  let said = "";
  const decoder = new TextDecoder();
  for await (const part of stream) {
    said += decoder.decode(part, { stream: true });
    const match = /http:\/\/127\.0\.0\.1:\d+\/lab/.exec(said);
    if (match) url.resolve(match[0]);
  }
  url.reject(new Error(`JupyterLab ended before it listened\n${said}`));
  return said;
}
