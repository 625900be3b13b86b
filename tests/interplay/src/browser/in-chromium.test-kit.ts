import { after, test } from "node:test";
import { type Chromium, noChromium, startChromium, type Visit } from "@framework/browser";
import type { App, Logger, Running, RunOptions } from "@framework/core";

/** The context of a test. */
export interface TestContext {
  readonly transport: "fast" | "node";
  /** Serves an app on a new port for the duration of the test. */
  serve(app: App, options?: RunOptions): Promise<Site>;
  /** Opens a page in a new tab, without cookies or cache. */
  visit(url: string): Promise<Visit>;
}

/** A served app. */
export interface Site {
  /** Its origin, `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Returns the URL with another host name; browsers treat it as another site. */
  as(host: "localhost" | "good.example" | "evil.example"): string;
  /** Stops the app before the test ends. */
  close(): Promise<void>;
}

export type BrowserTests = Readonly<Record<string, (context: TestContext) => Promise<void>>>;

/** Registers every test once for each transport; all share one Chromium. */
export const inChromium = (tests: BrowserTests): void => {
  const skip = noChromium();
  let chromium: Promise<Chromium> | undefined;
  const browser = () => (chromium ??= startChromium({ hosts: ["localhost", "*.example"] }));
  after(async () => {
    await (await chromium)?.[Symbol.asyncDispose]();
  });
  for (const transport of ["fast", "node"] as const) {
    for (const [name, run] of Object.entries(tests)) {
      void test(`${name} (${transport} transport)`, { skip, timeout: 30_000 }, async ({ signal }) => {
        await using stack = new AsyncDisposableStack();
        // closes the servers of a test that hangs, so that the process can end
        signal.addEventListener("abort", () => void stack.disposeAsync());
        await run({
          transport,
          serve: async (app, options) => {
            const running = await app.run({ ...runOptions, transport, ...options });
            stack.defer(running.close);
            return siteOf(running);
          },
          visit: async (url) => stack.use(await (await browser()).visit(url)),
        });
      });
    }
  }
};

const siteOf = ({ url, port, close }: Running): Site => ({
  url,
  close,
  as: (host) => `http://${host}:${port}`,
});

const silent: Logger = { info() {}, warn() {}, error() {} };

const runOptions: RunOptions = {
  host: "127.0.0.1",
  port: 0,
  workers: 1,
  argv: [],
  environment: {},
  logs: false,
  log: silent,
  exitOnError: false,
};
