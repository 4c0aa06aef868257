import type { Browser, Page } from "playwright-core";

/** Debian's Chromium. */
const EXECUTABLE = "/usr/bin/chromium";

/**
 * Starts a headless Chromium that reaches this machine only: every name but the loopback address is unknown
 * to it.
 */
export async function openBrowser(): Promise<Browser> {
  // On import playwright looks below /proc for the Windows subsystem, which Deno allows with every right
  // only; with this variable it does not look.
  Deno.env.set("__IS_WSL_TEST__", "1");
  const { chromium } = await import("playwright-core");
  return await chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
}

/**
 * Collects the addresses outside of this machine that a page asks for.
 *
 * @returns the list, which grows while the page lives
 */
export function watchRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    const local = ["data:", "blob:", "file:"].includes(protocol) ||
      hostname === "127.0.0.1";
    if (!local) asked.push(request.url());
  });
  return asked;
}
