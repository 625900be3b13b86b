import { existsSync } from "node:fs";
import { launch } from "puppeteer-core";
import { startVisit, type Visit } from "./visit.ts";

/** A headless browser with a temporary profile, which is deleted when the browser is disposed. */
export interface Chromium extends AsyncDisposable {
  /** Opens a URL in a tab with its own cookies and cache; resolves when the page has loaded. */
  visit(url: string, view?: View): Promise<Visit>;
}

/** A window size and colour scheme. */
export interface View {
  /** Width in CSS pixels. @default 1200 */
  readonly width?: number;
  /** Preferred colour scheme. @default "light" */
  readonly colours?: "light" | "dark";
}

export interface ChromiumOptions {
  /** Host names, with `*` as a wildcard, that resolve to 127.0.0.1; other names do not resolve. @default [] */
  readonly hosts?: readonly string[];
}

/** Returns the reason to skip browser tests; `false` when the executable exists (`CHROMIUM`, or `/usr/bin/chromium`). */
export const noChromium = (): string | false =>
  existsSync(chromiumPath())
    ? false
    : `there is no ${chromiumPath()}; set CHROMIUM to the path of a Chromium`;

const chromiumPath = (): string => process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Time limit of the start, which takes many seconds on a busy machine. */
const TIMEOUT_MS = 60_000;

/** Height of a window in CSS pixels. */
const HEIGHT = 1000;

/** Starts Chromium; only `127.0.0.1` and the given hosts resolve. */
export const startChromium = async ({ hosts = [] }: ChromiumOptions = {}): Promise<Chromium> => {
  const browser = await launch({
    executablePath: chromiumPath(),
    args: flagsFor(hosts),
    timeout: TIMEOUT_MS,
    handleSIGINT: false, // the test runner handles signals
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return {
    async visit(url, { width = 1200, colours = "light" } = {}) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      page.setDefaultTimeout(TIMEOUT_MS);
      await page.setViewport({ width, height: HEIGHT });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: colours }]);
      return startVisit(page, url, () => context.close());
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
};

const flagsFor = (hosts: readonly string[]): string[] => [
  "--no-sandbox",
  "--disable-gpu",
  "--mute-audio",
  "--autoplay-policy=no-user-gesture-required",
  `--host-resolver-rules=${[...hosts.map((host) => `MAP ${host} 127.0.0.1`), "MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1"].join(", ")}`,
];
